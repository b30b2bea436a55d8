// What a key stroke costs while a panel stands beside the text: `node tests/bench/typing.mjs`, after `make vsix`.
// The browser's own event timing: from the key to the next frame, in steps of 8 ms. Rounds of all panels follow each other.

import { spawnSync } from 'node:child_process'
import { PYTHON, ROOT } from '../../scripts/vscode_server.mjs'
import { Rig } from '../vscode/rig/rig.mjs'
import { until } from '../vscode/rig/workbench.mjs'

const PANELS = { none: null, 'index maps': 'UIR: Explore Index Maps', pipeline: 'UIR: Show Pipeline', graph: 'UIR: Show Graph' }
const ROUNDS = Number(process.env.UIR_ROUNDS ?? 2)
const KEYS = 40
const TEXT = `
import sys
sys.path.insert(0, "tests/compiler")
from transformer import transformer
from uopc.uir import dump
print(dump(transformer(500)[0]))
`

const middle = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
const high = numbers => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * 0.95)]

const rig = await Rig.start()
try {
  rig.write('long.uir', spawnSync(PYTHON, ['-c', TEXT], { cwd: ROOT, encoding: 'utf8' }).stdout)
  const window = await rig.open('long.uir')
  await until('lenses', () => window.lenses(), all => all.length > 1, 90_000)
  await window.page.evaluate(() => {
    globalThis.keys = []
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') globalThis.keys.push(entry.duration)
    }).observe({ type: 'event', durationThreshold: 16 })
  })
  const found = Object.fromEntries(Object.keys(PANELS).map(name => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, command] of Object.entries(PANELS)) {
      await window.focus()
      await window.goto(3, 1)
      if (command) await window.command(command)
      await window.page.waitForTimeout(3_000)
      await window.focus()
      await window.goto(3, 1)
      await window.page.keyboard.press('End')
      await window.page.evaluate(() => (globalThis.keys.length = 0))
      await window.page.keyboard.type('  # ' + 'x'.repeat(KEYS), { delay: 70 })
      await window.page.waitForTimeout(500)
      const slow = await window.page.evaluate(() => globalThis.keys)
      found[name].push(...slow, ...new Array(Math.max(0, KEYS + 4 - slow.length)).fill(8)) // faster ones are not told
      if (command) {
        await window.command('View: Close Editors in Other Groups')
        await window.page.waitForTimeout(500)
      }
    }
  }
  for (const [name, times] of Object.entries(found)) {
    console.log(`${name.padEnd(12)} median ${middle(times)} ms, 95 % ${high(times)} ms, longest ${Math.max(...times)} ms of ${times.length} keys`)
  }
} finally {
  await rig.stop()
}
