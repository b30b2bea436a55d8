// Pictures of the graph in every state: see rig/pictures.mjs. What it exports is drawn by the browser, by itself.

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { PYTHON, ROOT } from '../../scripts/vscode_server.mjs'
import { Graph } from './rig/graph.mjs'
import { openByName, pictures } from './rig/pictures.mjs'
import { until } from './rig/workbench.mjs'

const TRANSFORMER = 'from transformer import transformer; from uopc.uir import dump; print(dump(transformer(2000)[0]))'
const CHAIN = '%0 = buffer 64 : dtype=f32 slot=0\n%1 = reshape %0, (8, 8)\n' +
  Array.from({ length: 4998 }, (_, k) => `%${k + 2} = ${['mul', 'add', 'max'][k % 3]} %${k + 1}, ${k % 5 ? `%${Math.max(1, k + 1 - (k % 7))}` : '1.5'}\n`).join('')
const SMALL = '%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%s = reduce %m : op=add pop=1\n%y = exp2 %s\n'

async function show({ window }, file) {
  await openByName(window, file)
  await window.command('UIR: Show Graph')
  await window.page.locator(`.tab[aria-label*="Graph: ${file}"]`).first().waitFor({ timeout: 120_000 })
  const graph = new Graph(window.page)
  await window.page.waitForTimeout(500)
  return graph
}

const SCENES = {
  async softmax(stage) {
    const graph = await show(stage, 'softmax.uir')
    await graph.pointAt(/reduce/)
  },
  async loops(stage) {
    await show(stage, 'row_sum_loops.uir')
  },
  async found(stage) {
    const graph = await show(stage, 'attention.uir')
    await graph.search('reduce')
  },
  async transformer(stage) {
    await show(stage, 'transformer.uir')
  },
  async opened(stage) {
    const graph = await show(stage, 'transformer.uir')
    await graph.search('exp2')
  },
  async all(stage) {
    const graph = new Graph(stage.window.page)
    await graph.press('Close kernels')
    await graph.press('Open kernels')
    await stage.window.page.waitForTimeout(500)
  },
  async chain(stage) {
    await show(stage, 'chain.uir')
  },
  async nothingFound(stage) {
    const graph = await show(stage, 'softmax.uir')
    await graph.search('conv')
  },
  async empty(stage) {
    await show(stage, 'nothing.uir')
  },
  async broken(stage) {
    await show(stage, 'broken.uir')
  },
  async lastGood(stage) {
    const graph = await show(stage, 'small.uir')
    const { window } = stage
    await window.focus()
    await window.goto(2, 1)
    await window.page.keyboard.press('End')
    await window.page.keyboard.type(', 7')
    await until('why it is stale', () => graph.message(), text => /last good/.test(text))
    await window.page.mouse.move(5, 400)
  },
  async exported({ window, rig }) {
    await window.page.keyboard.press('Control+z')
    const graph = await show({ window }, 'softmax.uir')
    await graph.press('Save as SVG')
    const input = window.page.locator('.quick-input-widget input').first()
    await until('the save dialog', () => input.inputValue(), text => /softmax\.svg$/.test(text))
    await input.press('Enter')
    const file = path.join(rig.workspace, 'softmax.svg')
    await until('the file', () => fs.existsSync(file))
    const page = await rig.browser.newPage({ viewport: { width: 900, height: 1100 } })
    await page.setContent(`<body style="margin:0;background:#fff">${fs.readFileSync(file, 'utf8').replace(/^<\?xml[^>]*>/, '')}</body>`)
    await page.screenshot({ path: path.join(ROOT, 'out', 'screenshots', 'graph-svg.png') })
    await page.close()
  },
}

const FILES = {
  'transformer.uir': () => execFileSync(PYTHON, ['-c', TRANSFORMER], { cwd: path.join(ROOT, 'tests', 'compiler'), encoding: 'utf8' }),
  'chain.uir': CHAIN, 'small.uir': SMALL, 'nothing.uir': '# nothing is in here yet\n', 'broken.uir': SMALL.replace('(3, 4)', '(5, 4)'),
}

pictures('graph', { files: FILES, scenes: SCENES })
