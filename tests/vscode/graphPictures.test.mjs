// Pictures of the graph for people to look at: out/screenshots/graph-*.png. UIR_THEMES and UIR_SCENES as in panelPictures.test.mjs.

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { PYTHON, ROOT } from '../../scripts/vscode_server.mjs'
import { Graph } from './rig/graph.mjs'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const OUT = path.join(ROOT, 'out', 'screenshots')
const WIDE = { width: 1360, height: 820 }
const THEMES = {
  light: ['Default Light Modern', WIDE],
  dark: ['Default Dark Modern', WIDE],
  contrast: ['Default High Contrast', WIDE],
  contrastLight: ['Default High Contrast Light', WIDE],
  narrow: ['Default Light Modern', { width: 720, height: 820 }],
}

const TRANSFORMER = 'from transformer import transformer; from uopc.uir import dump; print(dump(transformer(2000)[0]))'
const CHAIN = '%0 = buffer 64 : dtype=f32 slot=0\n%1 = reshape %0, (8, 8)\n' +
  Array.from({ length: 4998 }, (_, k) => `%${k + 2} = ${['mul', 'add', 'max'][k % 3]} %${k + 1}, ${k % 5 ? `%${Math.max(1, k + 1 - (k % 7))}` : '1.5'}\n`).join('')

async function show({ window }, file) {
  await window.page.keyboard.press('Escape')
  await until('the file list', async () => {
    await window.page.keyboard.press('Control+p')
    return window.page.locator('.quick-input-widget input').first().isVisible()
  })
  await window.page.locator('.quick-input-widget input').first().fill(file)
  await window.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: file }).first().click()
  window.file = file
  await window.editor().first().waitFor()
  await window.command('UIR: Show Graph')
  await window.page.locator(`.tab[aria-label*="Graph: ${file}"]`).first().waitFor({ timeout: 120_000 })
  const graph = new Graph(window.page)
  await graph.untilValues(all => all.length > 0)
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
}

const chosen = (all, names) => Object.entries(all).filter(([name]) => !names || names.split(',').includes(name))

for (const [theme, [label, size]] of chosen(THEMES, process.env.UIR_THEMES === 'all' ? undefined : (process.env.UIR_THEMES ?? 'light'))) {
  test(`the graph, ${theme}`, async () => {
    fs.mkdirSync(OUT, { recursive: true })
    const rig = await Rig.start({ settings: { 'workbench.colorTheme': label, 'window.commandCenter': false } })
    try {
      rig.write('transformer.uir', execFileSync(PYTHON, ['-c', TRANSFORMER], { cwd: path.join(ROOT, 'tests', 'compiler'), encoding: 'utf8' }))
      rig.write('chain.uir', CHAIN)
      const window = await rig.open('softmax.uir', { size })
      await until('lenses', () => window.lenses(), all => all.length > 1, 90_000)
      await window.command('View: Toggle Primary Side Bar Visibility')
      for (const [scene, draw] of chosen(SCENES, process.env.UIR_SCENES)) {
        await draw({ window })
        await window.page.waitForTimeout(500)
        await window.screenshot(path.join(OUT, `graph-${scene}-${theme}.png`))
      }
    } finally {
      await rig.stop()
    }
  })
}
