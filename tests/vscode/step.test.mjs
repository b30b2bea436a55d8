// Stepping through a program: F5, counters, forward and back, breakpoints in the file and in its loops.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { Rig } from './rig/rig.mjs'
import { Stepper } from './rig/stepper.mjs'
import { until } from './rig/workbench.mjs'

let rig, window, stepper
before(async () => {
  rig = await Rig.start()
  rig.write('product.uir', [
    '# uir: input 0 = arange', '# uir: input 1 = arange',
    '%a = buffer 6 : dtype=f32 slot=0', '%b = buffer 12 : dtype=f32 slot=1',
    '%am = reshape %a, (2, 3, 1)', '%ax = expand %am, (2, 3, 4)',
    '%bm = reshape %b, (1, 3, 4)', '%bx = expand %bm, (2, 3, 4)',
    '%ab = mul %ax, %bx', '%p = permute %ab, (0, 2, 1)', '%c = reduce %p : op=add pop=1', '',
  ].join('\n'))
  window = await rig.open('row_sum.uir')
  stepper = new Stepper(window)
})
after(() => rig?.stop())
afterEach(async () => {
  if (await window.page.locator('.debug-toolbar').isVisible()) await stepper.end() // of a test that failed
})

test('F5 opens the loops beside, stopped at the first; lines go forward and back with their values', async () => {
  await stepper.begin()
  assert.match(await stepper.currentLine(), /^%i = range 3/)
  const bottom = await until('the stack', () => stepper.stack(), all => all.some(row => /%y = reduce/.test(row)))
  assert.match(bottom.join('\n'), /outside all loops/)

  for (let k = 0; k < 7; k++) await stepper.press('F10')
  await until('the inner loop', () => stepper.counters(), all => all.join() === 'i = 0  (0..2),j = 0  (0..3)')
  await until('the loops as a stack', () => stepper.stack(), all => /for j = 0 in 0\.\.3/.test(all[0]) && /for i = 0 in 0\.\.2/.test(all[1]))
  const loads = () => window.lines(stepper.listing())
  await until('a value at the end of its line', loads, all => all.some(line => /%v7 = load %v6.*%acc0 → 0\.0/.test(line)))

  const before = await stepper.counters()
  await stepper.press('F11') // the next round
  await until('the next round', () => stepper.counters(), all => all[1] === 'j = 1  (0..3)')
  for (let k = 0; k < 8; k++) await stepper.back()
  await until('where it was', () => stepper.counters(), all => all.join() === before.join())
  await stepper.end()
})

test('a breakpoint on a line of the file stops where its value is computed, and that line is lit', async () => {
  await window.show('product.uir')
  await window.untilLine(/f32\[2, 3, 4\]/)
  const line = await window.lineOf('%ab = mul')
  await window.goto(line)
  await window.page.keyboard.press('F9')
  await stepper.begin()
  await stepper.press('F5')
  await until('the product', () => stepper.currentLine(), text => /= mul %v\d+, %v\d+/.test(text))
  await until('the lit line', () => window.lit(window.editor()), lit => lit.includes(line))
  await stepper.press('F5')
  await until('the next one', () => stepper.counters(), all => all.join() === 'i = 0  (0..1),j = 0  (0..3),k = 1  (0..2)')
  await stepper.press('Alt+F5')
  await until('the one before', () => stepper.counters(), all => all[2] === 'k = 0  (0..2)')
  if (process.env.UIR_STEP_PICTURES) await window.screenshot(path.join(process.env.UIR_STEP_PICTURES, 'step.png'))
  await stepper.end()
  await window.focus()
  await window.goto(line)
  await window.page.keyboard.press('F9')
})

test('a program with errors is not begun, and the message says which', async () => {
  fs.writeFileSync(path.join(rig.workspace, 'wrong.uir'), '%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (5, 2)\n')
  await window.show('wrong.uir')
  await window.focus()
  await window.page.keyboard.press('F5')
  const text = await until('a message', () => stepper.dialog(), found => /line 2/.test(found))
  assert.match(text, /12 elements cannot become 10/)
  await window.page.keyboard.press('Escape')
})
