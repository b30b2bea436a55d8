// Pictures of the index map explorer for people to look at: out/screenshots/explorer-*.png. UIR_THEMES and UIR_SCENES as in
// panelPictures.test.mjs.

import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../scripts/vscode_server.mjs'
import { Explorer } from './rig/explorer.mjs'
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

const CHAIN = '%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n%2 = permute %1, (1, 0)\n%3 = shrink %2, ((1, 3), (0, 3))\n'
const MILLION = '%0 = buffer 1048576 : dtype=f32 slot=0\n%x = reshape %0, (1024, 1024)\n%t = permute %x, (1, 0)\n%y = flip %t, (0,)\n'
const CUBE = '%0 = buffer 360 : dtype=f32 slot=0\n%x = reshape %0, (3, 4, 5, 6)\n%p = permute %x, (1, 0, 3, 2)\n%y = pad %p, ((0, 0), (0, 0), (1, 1), (0, 2))\n'

const FILES = { 'chain.uir': CHAIN, 'million.uir': MILLION, 'cube.uir': CUBE }

async function explore({ window }, file, value) {
  await window.page.keyboard.press('Escape')
  await until('the file list', async () => {
    await window.page.keyboard.press('Control+p')
    return window.page.locator('.quick-input-widget input').first().isVisible()
  })
  await window.page.locator('.quick-input-widget input').first().fill(file)
  await window.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: file }).first().click()
  window.file = file
  await window.editor().first().waitFor()
  await until('lenses', () => window.lenses(), all => all.some(text => /Explore/.test(text)))
  await window.clickLens(/Explore/)
  const explorer = new Explorer(window.page)
  await explorer.until(new RegExp(file))
  if (value) await explorer.frame.locator('.heading select').selectOption(value)
  await window.page.waitForTimeout(400)
  return explorer
}

const SCENES = {
  async start(stage) {
    await explore(stage, 'chain.uir')
  },
  async chain(stage) {
    const explorer = await explore(stage, 'chain.uir')
    await explorer.press('%3', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight')
  },
  async reverse(stage) {
    const explorer = await explore(stage, 'softmax.uir')
    await explorer.press('%0', 'ArrowRight', 'ArrowRight', 'ArrowRight')
  },
  async softmax(stage) {
    const explorer = await explore(stage, 'softmax.uir')
    await explorer.card('%y').getByRole('button', { name: '%r', exact: true }).click()
    await explorer.press('%y', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  },
  async pad(stage) {
    const explorer = await explore(stage, 'pad.uir')
    await explorer.press('%y', 'ArrowDown', 'ArrowRight')
    await explorer.point('%y', [3, 5], [0, 2])
  },
  async padding(stage) {
    const explorer = await explore(stage, 'pad.uir')
    await explorer.press('%y', 'Home', 'ArrowRight', 'ArrowRight')
  },
  async reduce(stage) {
    const explorer = await explore(stage, 'syllabus_gemm.uir')
    await explorer.press('%5', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  },
  async conv(stage) {
    const explorer = await explore(stage, 'conv2d.uir')
    await explorer.press('%out', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  },
  async gemm(stage) {
    const explorer = await explore(stage, 'gemm_256x256.uir')
    await explorer.press('%c', 'ArrowDown', 'PageDown', 'PageDown', 'PageDown')
  },
  async rank4(stage) {
    const explorer = await explore(stage, 'cube.uir')
    await explorer.press('%y', 'Home', 'PageDown', 'PageDown', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  },
  async million(stage) {
    const explorer = await explore(stage, 'million.uir')
    await explorer.press('%y', 'Home', 'Control+Home', 'ArrowDown', 'PageDown', 'PageDown')
  },
  async zoomed(stage) {
    const explorer = await explore(stage, 'million.uir')
    await explorer.press('%y', 'Control+Home', '+', '+', '+', '+', '+', '+')
  },
}

const chosen = (all, names) => Object.entries(all).filter(([name]) => !names || names.split(',').includes(name))

for (const [theme, [label, size]] of chosen(THEMES, process.env.UIR_THEMES === 'all' ? undefined : (process.env.UIR_THEMES ?? 'light'))) {
  test(`the explorer, ${theme}`, async () => {
    fs.mkdirSync(OUT, { recursive: true })
    const rig = await Rig.start({ settings: { 'workbench.colorTheme': label, 'window.commandCenter': false } })
    try {
      for (const [name, text] of Object.entries(FILES)) rig.write(name, text)
      const window = await rig.open('softmax.uir', { size })
      await until('lenses', () => window.lenses(), all => all.length > 1, 90_000)
      await window.command('View: Toggle Primary Side Bar Visibility')
      for (const [scene, draw] of chosen(SCENES, process.env.UIR_SCENES)) {
        await draw({ window })
        await window.page.waitForTimeout(500)
        await window.screenshot(path.join(OUT, `explorer-${scene}-${theme}.png`))
      }
    } finally {
      await rig.stop()
    }
  })
}
