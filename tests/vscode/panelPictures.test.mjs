// Pictures of the result panel in every state, for people to look at: out/screenshots/panel-*.png.
// UIR_THEMES (all, or light when nothing is said) and UIR_SCENES choose some, by names with commas between; scenes follow
// one another in one window, and a few go on from the one before.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { PYTHON, ROOT } from '../../scripts/vscode_server.mjs'
import { Panel } from './rig/panel.mjs'
import { RESTRICTED, Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const OUT = path.join(ROOT, 'out', 'screenshots')
const WIDE = { width: 1360, height: 820 }
const NARROW = { width: 700, height: 820 }
const THEMES = {
  light: ['Default Light Modern', WIDE],
  dark: ['Default Dark Modern', WIDE],
  contrast: ['Default High Contrast', WIDE],
  contrastLight: ['Default High Contrast Light', WIDE],
  narrow: ['Default Light Modern', NARROW],
}

const CUBE = '# uir: input 0 = randn seed=5\n%0 = buffer 3840 : dtype=f32 slot=0\n%x = reshape %0, (6, 20, 32)\n%y = mul %x, 2.0\n'
const WAVE = '# uir: input 0 = arange\n%0 = buffer 2000 : dtype=f32 slot=0\n%a = mul %0, 0.02\n%s = sin %a\n%b = mul %0, 0.173\n%t = sin %b\n%u = mul %t, 0.2\n%y = add %s, %u\n'
const WRONG = '# uir: input 0 = arange\n# uir: expect = [0, 2, 4, 6, 8, 10.5, 12, 14, 16, 18, 20, 23]\n%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (3, 4)\n%y = mul %x, 2.0\n'
const ODD = '# uir: input 0 = [1, -1, 0, 4, 9, -4, 2, 0]\n# uir: input 1 = arange\n%0 = buffer 8 : dtype=f32 slot=0\n%1 = buffer 8 : dtype=i32 slot=1\n%q = sqrt %0\n%r = recip %0\n%n = mul %1, 1000\n%p = cmplt %1, 4\n%z = sink %q, %r, %n, %p\n'
const BROKEN = '%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%y = reshape %m, (5, 2)\n'
const LONG = '%0 = buffer 4096 : dtype=f32 slot=0\n%1 = reshape %0, (1, 4096, 1)\n%2 = expand %1, (2048, 4096, 2048)\n%3 = mul %2, %2\n%4 = reduce %3 : op=add pop=1\n%5 = sin %4\n%6 = reshape %5, (2048, 4096, 1)\n%7 = expand %6, (2048, 4096, 4096)\n%8 = sin %7\n%y = reduce %8 : op=add pop=2\n'

const RANK4 = '%0 = buffer 2880 : dtype=f32 slot=0\n%x = reshape %0, (4, 5, 12, 12)\n%y = mul %x, 3.0\n'
const SMALL = '# uir: input 0 = [3, -inf, nan, 2]\n%0 = buffer 4 : dtype=f32 slot=0\n%sum = reduce %0 : op=add pop=1\n%none = shrink %0, ((2, 2),)\n%z = sink %sum, %none, %0\n'
const ENDLESS = '# uir: input 0 = ones\n%0 = buffer 4096 : dtype=f32 slot=0\n%1 = reshape %0, (1, 4096, 1)\n%2 = expand %1, (4096, 4096, 4096)\n%3 = sin %2\n%y = reduce %3 : op=add pop=3\n'
const FAR = '# uir: input 1 = [1, 2, 3, 9]\n%0 = buffer 4 : dtype=f32 slot=0\n%1 = buffer 4 : dtype=i32 slot=1\n%o = buffer 4 : dtype=f32 slot=2\n%r = range 4 : idx=0\n%k = index %1, %r\n%kl = load %k\n%a = index %0, %kl\n%v = load %a\n%t = index %o, %r\n%s = store %t, %v\n%e = end %s, %r\n%z = sink %e\n'

const FAULTY = constant => `# uir: input 0 = arange\n%0 = buffer 96 : dtype=f32 slot=0\n%x = reshape %0, (8, 12)\n%s = reduce %x : op=add pop=1\n%c = mul %s, ${constant}\n%y = sin %c\n`

const FILES = { 'cube.uir': CUBE, 'wave.uir': WAVE, 'unexpected.uir': WRONG, 'odd.uir': ODD, 'broken.uir': BROKEN, 'long.uir': LONG, 'rank4.uir': RANK4, 'small.uir': SMALL, 'endless.uir': ENDLESS, 'far.uir': FAR, 'differs.uir': FAULTY(7.25), 'crashed.uir': FAULTY(1234.5) }

/** A compiler with faults, so that faults can be seen: two constants become another number, and an access to nowhere. */
const FAULTY_COMPILER = `#!/bin/sh\nsed -i -e 's/7\\.25f/7.5f/' -e 's/1234\\.5f/(*(volatile float*)16)/' program.c\nexec cc "$@"\n`

async function ran({ window, panel }, name) {
  await open(window, name)
  await until('lenses', () => window.lenses(), all => all.length > 1)
  await window.clickLens(/Run/)
  await until(`the panel of ${name}`, () => panel.text(), all => all.startsWith(name) && /kernel|line \d|Restricted|Cancel/i.test(all), 60_000)
  return panel
}

/** Opens a file by its name, also without the explorer. */
async function open(window, name) {
  await window.page.keyboard.press('Escape')
  await until('the file list', async () => {
    await window.page.keyboard.press('Control+p')
    return window.page.locator('.quick-input-widget input').first().isVisible()
  })
  await window.page.locator('.quick-input-widget input').first().fill(name)
  await window.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: name }).first().click()
  window.file = name
  await window.editor().first().waitFor()
}

async function begin(rig, size) {
  for (const [name, text] of Object.entries(FILES)) rig.write(name, text)
  const window = await rig.open('softmax.uir', { size })
  await until('lenses', () => window.lenses(), all => all.length > 1)
  await window.command('View: Toggle Primary Side Bar Visibility')
  return { window, panel: new Panel(window.page) }
}

const SCENES = {
  async empty({ window, panel }) {
    await window.command('UIR: Show Results')
    await panel.until(/not run yet/)
  },
  async table(stage) {
    await ran(stage, 'softmax.uir')
  },
  async large(stage) {
    const panel = await ran(stage, 'gemm_256x256.uir')
    await panel.untilCells(cells => cells.length > 10)
    await panel.frame.locator('.table').evaluate(table => table.scrollTo(4000, 3000))
  },
  async gemm({ panel }) {
    await panel.press('Heat map')
    await panel.frame.locator('.stage canvas').hover({ position: { x: 150, y: 120 } })
  },
  async slices(stage) {
    const panel = await ran(stage, 'cube.uir')
    await panel.slide(0, 3)
    await panel.press('Heat map')
    await panel.frame.locator('.stage canvas').click({ position: { x: 150, y: 120 } })
  },
  async histogram({ panel }) {
    await panel.press('Histogram')
    await panel.frame.locator('.stage canvas').hover({ position: { x: 200, y: 120 } })
  },
  async line(stage) {
    const panel = await ran(stage, 'wave.uir')
    await panel.press('Line')
    await panel.frame.locator('.stage canvas').hover({ position: { x: 200, y: 120 } })
  },
  async unexpected(stage) {
    const panel = await ran(stage, 'unexpected.uir')
    await panel.press('Show It')
  },
  async history({ window, panel }) {
    await panel.press('Run Again')
    await panel.until(/History \(2\)/)
    await open(window, 'unexpected.uir')
    await window.goto(5, 14)
    await window.page.keyboard.press('Delete')
    await window.page.keyboard.type('3')
    await panel.press('Run Again')
    await panel.until(/History \(3\)/)
    await panel.tab(/History/)
  },
  async several(stage) {
    const panel = await ran(stage, 'odd.uir')
    await panel.tab('%r')
  },
  async inputs({ window, panel }) {
    await panel.tab(/Inputs/)
    await panel.frame.locator('[data-slot="0"] select').selectOption('uniform')
    await until('the directive', () => window.lines(), lines => lines.some(line => line.includes('uniform 0 1')))
  },
  async rank4(stage) {
    const panel = await ran(stage, 'rank4.uir')
    await panel.slide(0, 2)
    await panel.slide(1, 3)
    await panel.press('Heat map')
  },
  async scalar(stage) {
    await ran(stage, 'small.uir')
  },
  async nothing({ panel }) {
    await panel.tab('%none')
  },
  async special({ panel }) {
    await panel.tab('%0')
  },
  async outside(stage) {
    await ran(stage, 'far.uir')
  },
  async differs(stage) {
    await ran(stage, 'differs.uir')
  },
  async crashed(stage) {
    await ran(stage, 'crashed.uir')
  },
  async stopped(stage) {
    await stage.window.command('View: Close All Editors')
    await open(stage.window, 'endless.uir')
    await until('lenses', () => stage.window.lenses(), all => all.length > 1)
    await stage.window.clickLens(/Run/)
    await stage.panel.until(/took longer/, 120_000)
  },
  async broken(stage) {
    await ran(stage, 'broken.uir')
  },
  async running(stage) {
    await ran(stage, 'long.uir')
  },
}

const chosen = (all, names) => Object.entries(all).filter(([name]) => !names || names.split(',').includes(name))

for (const [theme, [label, size]] of chosen(THEMES, process.env.UIR_THEMES === 'all' ? undefined : (process.env.UIR_THEMES ?? 'light'))) {
  test(`the panel, ${theme}`, async () => {
    fs.mkdirSync(OUT, { recursive: true })
    const settings = { 'workbench.colorTheme': label, 'window.commandCenter': false, 'uir.run.timeout': Number(process.env.UIR_SECONDS ?? 60) }
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uir pictures '))
    fs.writeFileSync(path.join(folder, 'faulty cc'), FAULTY_COMPILER, { mode: 0o755 })
    const machine = { 'uir.interpreter': PYTHON, 'uir.compiler': path.join(folder, 'faulty cc') }
    const rig = await Rig.start({ settings, machine })
    try {
      const stage = await begin(rig, size)
      for (const [scene, draw] of chosen(SCENES, process.env.UIR_SCENES)) {
        await draw(stage)
        await stage.window.page.waitForTimeout(700)
        await stage.window.screenshot(path.join(OUT, `panel-${scene}-${theme}.png`))
      }
    } finally {
      await rig.stop()
      fs.rmSync(folder, { recursive: true })
    }
    if (process.env.UIR_SCENES && !process.env.UIR_SCENES.includes('restricted')) return
    const restricted = await Rig.start({ settings: { ...settings, ...RESTRICTED } })
    try {
      const stage = await begin(restricted, size)
      await ran(stage, 'row_sum.uir')
      await stage.window.screenshot(path.join(OUT, `panel-restricted-${theme}.png`))
    } finally {
      await restricted.stop()
    }
  })
}
