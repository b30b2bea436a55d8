// How long a click on Run takes until the result is seen, in a real VS Code, and where the time goes.
//
//   node tests/bench/click.mjs [--program gemm_256x256.uir] [--cold 3] [--ahead 2] [--built 2] [--warm 12] [--floor 1] [--json]
//
// cold: a new window each time, with an empty cache of built programs: the C compiler runs, and the panel opens.
// ahead: the same with the setting `uir.build.ahead`: the C compiler ran before the click.
// built: the same window and an open panel, but a program that was never built: the C compiler runs.
// warm: nothing changed since the run before. The kernel itself runs each time.
// Times are milliseconds from the release of the mouse button to the first frame that shows the new values.
//
// Below: what another extension takes that only shows a word in a panel of its own, from a click on its lens. What it needs, VS Code
// needs by itself: `new panel` is the floor of cold and ahead, `message` that of built and warm.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PYTHON, ROOT } from '../../scripts/vscode_server.mjs'
import { measureFloor } from './floor.mjs'
import { clickLens, measured, watchPanel } from '../vscode/rig/click.mjs'
import { Rig } from '../vscode/rig/rig.mjs'
import { sleep, until } from '../vscode/rig/until.mjs'

const STEPS = [
  ['extension', 'click', 'began'], // the click reaches the extension host
  ['to server', 'began', 'received'],
  ['to child', 'received', 'started'],
  ['check', 'check'], ['lower', 'lower'], ['build', 'build'], ['run', 'run'], ['verify', 'verify'],
  ['answer', 'finished', 'answered'], // from the child through the server to the extension
  ['to panel', 'answered', 'told'],
  ['values', 'told', 'values'], // fetched by the panel
  ['draw', 'values', 'seen'], // the table, to the next frame
]

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : process.argv[at + 1]
}

const clickRun = window => clickLens(window.page, window.editor(), /Run/)

function breakdown({ click, told, values, seen, result }) {
  const at = { click, told, values: values ?? told, seen, ...result.times }
  const stages = result.stages ?? {}
  const steps = STEPS.map(([name, from, to]) => [name, to === undefined ? stages[name] : at[to] - at[from]])
  return { total: seen - click, ...Object.fromEntries(steps) }
}

async function coldRun(file, settings = {}) {
  const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'uir-click-'))
  const rig = await Rig.start({ env: { UIR_CACHE_DIR: cache }, settings })
  try {
    const window = await rig.open(file)
    await until('lenses', () => window.lenses(), all => all.some(text => /Run/.test(text)))
    await sleep(SETTLE)
    await window.page.context().addInitScript(watchPanel)
    await clickRun(window)
    return { rig, window, cache, cold: breakdown(await measured(window, 0)) }
  } catch (error) {
    await rig.stop()
    throw error
  }
}

async function further(window, count) {
  await sleep(600)
  await clickRun(window)
  return breakdown(await measured(window, count))
}

/** What a cold run cannot do without, were it written by hand: Python with NumPy, and the C compiler on this C. */
function bare(file) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uir-bare-'))
  const c = spawnSync(path.join(path.dirname(PYTHON), 'uir'), ['c', file], { encoding: 'utf8' }).stdout
  fs.writeFileSync(path.join(folder, 'a.c'), c)
  const timed = (command, args) => median([1, 2, 3].map(() => {
    const began = performance.now()
    const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command}: ${stderr}`)
    return performance.now() - began
  }))
  try {
    return { compiler: timed('cc', ['-O2', '-march=native', '-fPIC', '-shared', '-w', '-o', 'a.so', 'a.c', '-lm']), numpy: timed(PYTHON, ['-c', 'import numpy']) }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function median(numbers) {
  const sorted = numbers.filter(number => Number.isFinite(number)).sort((a, b) => a - b)
  return sorted.length ? sorted[sorted.length >> 1] : NaN
}

function table(rows) {
  const names = ['total', ...STEPS.map(([name]) => name)]
  console.log(['', ...names].map(name => name.padStart(10)).join(''))
  for (const [kind, runs] of Object.entries(rows)) {
    if (!runs.length) continue
    const medians = names.map(name => median(runs.map(run => run[name])).toFixed(1))
    console.log([kind, ...medians].map(text => text.padStart(10)).join(''))
    console.log(`            of ${runs.length}: ${runs.map(({ total }) => total.toFixed(0)).join(' ')}`)
  }
}

const SETTLE = Number(option('settle', 4_000)) // the server has started and is idle
const file = option('program', 'gemm_256x256.uir')
const rows = { cold: [], ahead: [], built: [], warm: [] }
for (let k = 0; k < Number(option('cold', 3)); k++) {
  const { rig, window, cache, cold } = await coldRun(file)
  rows.cold.push(cold)
  let count = 1
  for (let n = 0; n < Number(option('built', 2)); n++, count++) {
    fs.rmSync(cache, { recursive: true, force: true })
    rows.built.push(await further(window, count))
  }
  if (k === 0) for (let n = 0; n < Number(option('warm', 12)); n++, count++) rows.warm.push(await further(window, count))
  await rig.stop()
  fs.rmSync(cache, { recursive: true, force: true })
}
for (let k = 0; k < Number(option('ahead', 2)); k++) {
  const { rig, cache, cold } = await coldRun(file, { 'uir.build.ahead': true })
  rows.ahead.push(cold)
  await rig.stop()
  fs.rmSync(cache, { recursive: true, force: true })
}
const floor = Number(option('floor', 1)) ? await measureFloor(SETTLE) : undefined
const { compiler, numpy } = bare(path.join(ROOT, 'examples', file))
if (process.argv.includes('--json')) console.log(JSON.stringify({ ...rows, floor, bare: { compiler, numpy } }))
else {
  table(rows)
  for (const [what, times] of Object.entries(floor ?? {})) console.log(`floor: ${what} ${median(times).toFixed(1)} ms (${times.map(time => time.toFixed(0)).join(' ')})`)
  console.log(`bare: compiler ${compiler.toFixed(0)} ms, Python with NumPy ${numpy.toFixed(0)} ms`)
}
