// From the click on Run to the result that is seen: what is known is not done again. Ratios within one window, no times.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { clickLens, measured, watchPanel } from './rig/click.mjs'
import { Rig } from './rig/rig.mjs'
import { sleep } from './rig/until.mjs'
import { until } from './rig/workbench.mjs'

const WARM = 5

let rig, window, cache
before(async () => {
  cache = fs.mkdtempSync(path.join(os.tmpdir(), 'uir-click-'))
  rig = await Rig.start({ env: { UIR_CACHE_DIR: cache } })
  window = await rig.open('gemm_256x256.uir')
  await until('lenses', () => window.lenses(), all => all.some(text => /Run/.test(text)), 60_000)
  await sleep(3_000) // a child is ready
  await window.page.context().addInitScript(watchPanel)
})
after(async () => {
  await rig?.stop()
  fs.rmSync(cache, { recursive: true, force: true })
})

async function run(count) {
  await clickLens(window.page, window.editor(), /Run/)
  const { click, seen, result } = await measured(window, count)
  return { total: seen - click, result }
}

const median = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]

test('a run that changes nothing is seen in less than half the time of the first, and is verified by its bits', async () => {
  const cold = await run(0)
  const warm = []
  for (let k = 1; k <= WARM; k++) warm.push(await run(k))
  const stage = name => median(warm.map(({ result }) => result.stages[name]))
  assert.equal(cold.result.verified, true)
  for (const { result } of warm) {
    assert.equal(result.verified, true)
    assert.equal(result.difference, cold.result.difference)
    assert.equal(result.outputs[0].digest, cold.result.outputs[0].digest)
    assert.ok(result.kernel_ms > 0) // it did run
  }
  console.log(`click to result: ${cold.total.toFixed(0)} ms, then ${warm.map(({ total }) => total.toFixed(0)).join(' ')}`)
  assert.ok(stage('build') < cold.result.stages.build / 5, `build ${stage('build')} of ${cold.result.stages.build}`)
  assert.ok(stage('verify') < cold.result.stages.verify / 2, `verify ${stage('verify')} of ${cold.result.stages.verify}`)
  assert.ok(median(warm.map(({ total }) => total)) < cold.total / 2, `${warm.map(({ total }) => total)} of ${cold.total}`)
})
