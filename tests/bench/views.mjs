// How smooth the views are: `node tests/bench/views.mjs`, after `make vsix`. The index maps of a million elements while the
// pointer moves and zooms, and the graph of 5,000 values, all kernels open, while it is panned and zoomed. A frame is the
// browser's own, from one to the next; the drawing is the part of it that is ours. On Linux also the processor time of the
// whole browser for each frame, which other work on the machine changes little.

import fs from 'node:fs'
import { Explorer } from '../vscode/rig/explorer.mjs'
import { Graph } from '../vscode/rig/graph.mjs'
import { Rig } from '../vscode/rig/rig.mjs'
import { until } from '../vscode/rig/workbench.mjs'

const MILLION = '%0 = buffer 1048576 : dtype=f32 slot=0\n%x = reshape %0, (1024, 1024)\n%t = permute %x, (1, 0)\n%y = flip %t, (0,)\n%s = reduce %y : op=add pop=1\n'
const LONG = '%0 = buffer 64 : dtype=f32 slot=0\n%1 = reshape %0, (8, 8)\n' +
  Array.from({ length: 4998 }, (_, k) => `%${k + 2} = ${['mul', 'add', 'max'][k % 3]} %${k + 1}, ${k % 5 ? `%${Math.max(1, k + 1 - (k % 7))}` : '1.5'}\n`).join('')

/** Milliseconds of processor time of the browser's processes; 0 where that cannot be read. */
function processorTime() {
  if (!fs.existsSync('/proc/self/stat')) return 0
  const parents = new Map()
  const ticks = new Map()
  for (const pid of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number)) {
    try {
      const [name, rest] = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
      const fields = rest.split(' ')
      parents.set(pid, Number(fields[1]))
      if (/chrom/.test(name)) ticks.set(pid, Number(fields[11]) + Number(fields[12]))
    } catch { continue } // it has just ended
  }
  const ours = pid => pid === process.pid || (parents.has(pid) && ours(parents.get(pid)))
  return 10 * [...ticks].reduce((sum, [pid, n]) => sum + (ours(pid) ? n : 0), 0)
}

/** The frames of a web view while something is done to it. */
async function frames(frame, what, work) {
  const body = frame.locator('body')
  await body.evaluate(() => {
    globalThis.times = []
    const tell = at => {
      globalThis.times.push(at)
      globalThis.running = requestAnimationFrame(tell)
    }
    globalThis.running = requestAnimationFrame(tell)
  })
  const before = processorTime()
  await work()
  const spent = processorTime() - before
  const times = await body.evaluate(() => (cancelAnimationFrame(globalThis.running), globalThis.times))
  const gaps = times.slice(1).map((at, k) => at - times[k]).sort((a, b) => a - b)
  const at = part => gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * part))].toFixed(0)
  console.log(`${what.padEnd(44)} ${gaps.length} frames, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms; ${(spent / Math.max(1, gaps.length)).toFixed(1)} ms of processor each`)
}

const rig = await Rig.start()
try {
  rig.write('million.uir', MILLION)
  rig.write('long.uir', LONG)
  const window = await rig.open('million.uir')
  const { mouse } = window.page
  await until('lenses', () => window.lenses(), all => all.length > 1, 90_000)
  await window.clickLens(/Explore/)
  const explorer = new Explorer(window.page)
  await explorer.until(/f32\[1024\]/)
  await explorer.frame.locator('.heading select').selectOption('%y')
  await explorer.untilWay('%y', '%t', '%x', '%0')
  await explorer.still()
  const grid = await explorer.grid('%y').boundingBox()
  await frames(explorer.frame, 'index maps, 1,048,576 elements: pointing', async () => {
    for (let k = 0; k < 80; k++) await mouse.move(grid.x + 50 + (k * 37) % 180, grid.y + 40 + (k * 53) % 180)
  })
  await frames(explorer.frame, 'index maps: zooming in and out', async () => {
    await explorer.grid('%y').focus()
    for (let k = 0; k < 40; k++) await window.page.keyboard.press(k % 20 < 10 ? '+' : '-')
  })

  await window.focus()
  await window.command('View: Close Editors in Other Groups')
  await window.show('long.uir')
  await window.command('UIR: Show Graph')
  const graph = new Graph(window.page)
  await graph.untilValues(all => all.some(text => /more values/.test(text)), 180_000)
  await graph.press('Open kernels')
  await window.page.waitForTimeout(1_000)
  const drawing = []
  const middle = await graph.canvas.boundingBox()
  await mouse.move(middle.x + middle.width / 2, middle.y + middle.height / 2)
  for (const [what, keys] of [['all of it in sight', '0'], ['text that can be read', '/']]) {
    await graph.key(keys)
    if (keys === '/') await graph.search('%2500')
    await window.page.waitForTimeout(500)
    await frames(graph.frame, `graph, 5,000 values: panning, ${what}`, async () => {
      for (let k = 0; k < 60; k++) {
        await mouse.wheel(0, k % 2 ? 240 : -200)
        drawing.push((await graph.times()).frame)
      }
    })
  }
  await frames(graph.frame, 'graph, 5,000 values: zooming', async () => {
    for (let k = 0; k < 40; k++) await graph.key(k % 20 < 10 ? '-' : '+')
  })
  drawing.sort((a, b) => a - b)
  const { layout } = await graph.times()
  console.log(`graph: layout ${layout} ms; drawing median ${drawing[drawing.length >> 1]} ms, longest ${drawing.at(-1)} ms`)
} finally {
  await rig.stop()
}
