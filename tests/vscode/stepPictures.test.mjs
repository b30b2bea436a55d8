// Pictures of stepping, and of the program, its C and its assembly with the lines that know each other: see rig/pictures.mjs.

import { openByName, pictures } from './rig/pictures.mjs'
import { Stepper } from './rig/stepper.mjs'
import { until } from './rig/workbench.mjs'

const FAR = '# uir: input 1 = [1, 2, 3, 9]\n%0 = buffer 4 : dtype=f32 slot=0\n%1 = buffer 4 : dtype=i32 slot=1\n%o = buffer 4 : dtype=f32 slot=2\n%r = range 4 : idx=0\n%k = index %1, %r\n%kl = load %k\n%a = index %0, %kl\n%v = load %a\n%t = index %o, %r\n%s = store %t, %v\n%e = end %s, %r\n%z = sink %e\n'

const LOOPS = ['far.uir', 'row_sum_loops.uir']

async function step({ window }, file, ...keys) {
  if (await window.page.locator('.debug-toolbar').isVisible()) await window.page.keyboard.press('Shift+F5')
  await until('the end', () => window.page.locator('.debug-toolbar').isVisible(), shown => !shown)
  await window.command('View: Close All Editors')
  await openByName(window, file)
  const stepper = new Stepper(window)
  if (!LOOPS.includes(file)) await stepper.begin()
  else { // a loop program is its own listing
    await window.clickLens(/Step through/)
    await window.page.locator('.debug-toolbar').waitFor()
    await until('the values', () => stepper.variables(), all => all.length > 0, 60_000)
  }
  await window.page.waitForTimeout(500)
  for (const key of keys) {
    await window.page.keyboard.press(key)
    await window.page.waitForTimeout(400)
  }
  return stepper
}

const SCENES = {
  async linked({ window }) {
    await openByName(window, 'gemm_256x256.uir')
    const source = window.editor()
    const asm = window.page.locator('.editor-instance .monaco-editor[data-uri^="uir-c:"][data-uri*=".uir-asm?"]')
    await window.clickLens(/generated C/)
    await window.focus(source)
    await window.command('UIR: Show Assembly')
    await window.untilLine(/^gemm_256x256\w*:/, asm, 60_000)
    await window.focus(source)
    await window.goto(await window.lineOf('%ab =', source), 2)
    await until('the multiplication', () => window.litText(asm), all => all.some(line => /mul|fmadd|fml?a/.test(line)))
  },
  async linkedLoops({ window }) {
    await window.command('View: Close Editors in Other Groups')
    await window.focus()
    await window.command('UIR: Show Loops')
    const loops = window.page.locator('.editor-instance .monaco-editor[data-uri^="uir-c:"][data-uri*=".loops.uir?"]')
    await window.untilLine(/kind=reduce/, loops)
    await window.focus()
    await window.goto(await window.lineOf('%ab ='), 2)
    await until('the multiplication', () => window.litText(loops), all => all.length > 0)
  },
  async begun(stage) {
    await step(stage, 'row_sum.uir')
  },
  async middle(stage) {
    await step(stage, 'row_sum.uir', ...Array(10).fill('F10'))
  },
  async back(stage) {
    await new Stepper(stage.window).press('Shift+F10')
  },
  async loops(stage) {
    await step(stage, 'row_sum_loops.uir', 'F10', 'F10', 'F10', 'F10', 'F11')
  },
  async softmax(stage) {
    await step(stage, 'softmax.uir', ...Array(14).fill('F10'))
  },
  async fault(stage) {
    await step(stage, 'far.uir', 'F5')
    await stage.window.page.waitForTimeout(1500)
  },
}

pictures('step', { files: { 'far.uir': FAR }, scenes: SCENES, wide: 1500, narrow: 860 })
