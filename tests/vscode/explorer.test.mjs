// The index map explorer in a real editor: every way to it, pointing and keys, both directions, edits, and a reload.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addressOf } from '../../scripts/vscode_server.mjs'
import { Explorer } from './rig/explorer.mjs'
import { RESTRICTED, Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const CHAIN = '%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n%2 = permute %1, (1, 0)\n%3 = shrink %2, ((1, 3), (0, 3))\n'
const MORE = '%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (3, 4)\n%p = pad %x, ((1, 0), (0, 1))\n%s = reduce %x : op=add pop=1\n%1 = buffer 3 : dtype=f32 slot=1\n%k = stack %s, %1\n%r = reduce %k : op=max axes=(0,)\n%o = sink %r, %p\n'
const LOOPS = '%0 = buffer 4 : dtype=f32 slot=0\n%1 = range 4 : idx=0\n%2 = index %0, %1\n%3 = store %2, 1.0\n%4 = end %3, %1\n%5 = sink %4\n'
const BROKEN = '%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%y = permute %m, (0, 0)\n'
const SHIFTS = '%0 = buffer 512 : dtype=f32 slot=0\n%x0 = mul %0, 2.0\n' + [...Array(8).keys()].map(k => // twice as many places in each
  `%p${k} = pad %x${k}, ((${2 ** k}, 0),)\n%q${k} = shrink %p${k}, ((0, 512),)\n%x${k + 1} = add %x${k}, %q${k}\n`).join('')
const MILLION = '%0 = buffer 1048576 : dtype=f32 slot=0\n%x = reshape %0, (1024, 1024)\n%t = permute %x, (1, 0)\n'

let rig, window, explorer
before(async () => {
  rig = await Rig.start({ settings: RESTRICTED }) // nothing here runs anything
  for (const [name, text] of Object.entries({ 'chain.uir': CHAIN, 'more.uir': MORE, 'looped.uir': LOOPS, 'million.uir': MILLION, 'broken.uir': BROKEN, 'shifts.uir': SHIFTS })) rig.write(name, text)
  window = await rig.open('chain.uir')
  explorer = new Explorer(window.page)
  await until('the server', () => window.lenses(), all => all.length > 1, 90_000)
})
after(() => rig?.stop())

async function choose(name) {
  await explorer.frame.locator('.heading select').selectOption(name)
}

test('the lens opens the way from a value to its buffer', async () => {
  await window.clickLens(/Explore/)
  await explorer.untilWay('%3', '%2', '%1', '%0')
  const text = await explorer.until(/buffer 0/)
  assert.match(text, /%3\[i, j\] = %2\[i \+ 1, j\]/)
  assert.match(text, /%1\[i, j\] = %0\[4·i \+ j\]/)
})

test('pointing lights up every step, and says it with its numbers', async () => {
  const before = await explorer.pixel('%0', [12], [9])
  await explorer.point('%3', [2, 3], [0, 2]) // row 1 of the transpose, column 2: element [2, 1] of %1, 9
  await explorer.untilFrom('%3[0, 2] = %2[1, 2] = %1[2, 1] = buffer 0 at 9')
  assert.equal(await explorer.filled('%3'), '%3[0, 2] = %2[1, 2]')
  assert.equal(await explorer.filled('%1'), '%1[2, 1] = buffer 0 at 9')
  await until('another colour', () => explorer.pixel('%0', [12], [9]), now => now.join() !== before.join())
  await until('a screen reader is told', () => explorer.frame.locator('[aria-live]').textContent(), text => /buffer 0 at 9/.test(text))
  await window.page.mouse.move(5, 400)
  await until('the hint', () => explorer.from(), text => /Point at an element/.test(text))
})

test('a click pins, another pointer position does not move it, Escape lets go', async () => {
  await explorer.click('%3', [2, 3], [1, 1])
  await explorer.untilFrom('%3[1, 1] = %2[2, 1] = %1[1, 2] = buffer 0 at 6')
  await explorer.point('%3', [2, 3], [0, 0])
  await window.page.waitForTimeout(200)
  assert.match(await explorer.from(), /^%3\[1, 1\]/)
  await window.page.keyboard.press('Escape')
  await explorer.point('%3', [2, 3], [0, 1])
  await explorer.untilFrom(/^%3\[0, 1\] = /)
})

test('keys: arrows, Home, End, and Tab from grid to grid', async () => {
  await explorer.press('%3', 'Home', 'ArrowDown', 'End')
  await explorer.untilFrom('%3[1, 2] = %2[2, 2] = %1[2, 2] = buffer 0 at 10')
  await window.page.keyboard.press('Control+Home')
  await explorer.untilFrom(/^%3\[0, 0\] = %2\[1, 0\] = %1\[0, 1\] = buffer 0 at 1$/)
  for (let k = 0; k < 2; k++) await window.page.keyboard.press('Tab') // the next name, then its grid
  await until('the next grid has the focus', () => explorer.grid('%2').evaluate(canvas => document.activeElement === canvas))
  await window.page.keyboard.press('Escape')
})

test('the other way: a buffer element goes to what depends on it, or to nothing', async () => {
  await explorer.point('%0', [12], [10])
  await until('where it goes', () => explorer.to(), text => text === 'goes to %1[2, 2] → %2[2, 2] → %3[1, 2]')
  await explorer.point('%0', [12], [0])
  await until('nowhere', () => explorer.to(), text => text === 'goes to %1[0, 0] → %2[0, 0] → nothing of %3')
})

test('edits are followed, and while the text is broken the last good maps stay', async () => {
  await explorer.click('%3', [2, 3], [1, 2])
  await explorer.untilFrom(/at 10$/)
  await window.focus()
  await window.goto(4, 19)
  await window.page.keyboard.press('Delete')
  await window.page.keyboard.type('2') // ((2, 3), ...): one row
  await explorer.until(/f32\[1, 3\]/)
  await until('the element that is gone is let go', () => explorer.from(), text => /Point at/.test(text))
  await window.page.keyboard.press('Backspace')
  await window.page.keyboard.type('9')
  const text = await explorer.until(/The last good maps: line 4:/)
  assert.match(text, /f32\[1, 3\]/)
  await window.page.keyboard.press('Backspace')
  await window.page.keyboard.type('1')
  await explorer.until(/f32\[2, 3\]/)
  assert.doesNotMatch(await explorer.text(), /last good/)
})

/** The window loaded anew, with an element pinned: again while VS Code had not yet written down what the page knows. */
async function reopened() {
  for (let attempt = 1; ; attempt++) {
    await explorer.click('%3', [2, 3], [1, 0])
    await explorer.untilFrom('%3[1, 0] = %2[2, 0] = %1[0, 2] = buffer 0 at 2')
    await window.focus()
    await window.page.keyboard.press('Control+s')
    await window.page.waitForTimeout(1_200 * attempt)
    await window.page.goto(addressOf(rig.server.port, rig.workspace)) // without a file to open, which would begin anew
    await window.ready()
    await explorer.until(/buffer 0/, 60_000)
    try { // the editor itself writes such a state down now and then: it may be that of the element that was pinned before
      return await explorer.untilFrom(/^%3\[1, 0\] = .* = buffer 0 at 2$|^%3\[1, 2\] = .* = buffer 0 at 10$/, 10_000)
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

test('after a reload it is back, with the element that was pinned', async () => {
  await reopened()
  await choose('%2')
  await explorer.untilWay('%2', '%1', '%0') // it asks again, too
})

test('the code action and the hover lead to a value', async () => {
  await window.show('chain.uir')
  await window.goto(2, 1)
  await window.page.keyboard.press('Control+.')
  const row = window.page.locator('.action-widget .monaco-list-row').filter({ hasText: 'Explore index map of %1' })
  await row.waitFor()
  await until('the action to be chosen', async () => {
    if (/focused/.test(await row.getAttribute('class'))) return true
    await window.page.keyboard.press('ArrowDown')
    return false
  })
  await window.page.keyboard.press('Enter')
  await explorer.untilWay('%1', '%0')
  await window.focus()
  await window.goto(3, 1)
  await window.hover(/Explore/)
  await window.hoverRows().getByText('Explore', { exact: true }).click()
  await explorer.untilWay('%2', '%1', '%0')
})

test('the key and the context menu lead to the value at the cursor', async () => {
  await window.show('chain.uir')
  await window.goto(4, 1)
  await window.focus()
  await window.page.keyboard.press('Control+k')
  await window.page.keyboard.press('i')
  await explorer.untilWay('%3', '%2', '%1', '%0')
  await window.editor().locator('.view-line', { hasText: 'reshape' }).first().click({ button: 'right', position: { x: 5, y: 8 } })
  await window.page.locator('.monaco-menu .action-item', { hasText: 'Explore Index Maps' }).first().click()
  await explorer.untilWay('%1', '%0')
})

test('a file without its output says why, and an element that goes too many ways says so', async () => {
  await window.show('broken.uir')
  await window.clickLens(/Explore/)
  await explorer.until(/What the file computes is not known \(line 3: PERMUTE/)
  await explorer.untilWay('%m', '%0')
  await window.show('shifts.uir')
  await window.clickLens(/Explore/)
  await explorer.until(/%x8/)
  await until('the element', async () => { // the cards of the file before may still stand there
    await explorer.press('%0', 'Home', 'ArrowRight')
    return explorer.to().catch(() => '')
  }, text => /→ 64 elements of %x6 → at least 64 elements of %x7 → at least 64 elements of %x8$/.test(text))
  assert.match(await explorer.note('%x8'), /there are more ways to it than the 64 that are followed · at least 64 elements/)
})

test('the palette explores the value at the cursor; padding, sums and stacks are told', async () => {
  await window.show('more.uir')
  await window.goto(3, 1)
  await window.command('UIR: Explore Index Maps')
  await explorer.untilWay('%p', '%x', '%0')
  await explorer.press('%p', 'Home', 'Control+Home')
  await explorer.untilFrom('%p[0, 0] = 0: padding')
  assert.match(await explorer.note('%x'), /%p is padding there/)
  await choose('%s')
  await explorer.untilWay('%s', '%x', '%0')
  await explorer.press('%s', 'Home', 'ArrowRight')
  await explorer.untilFrom(/^%s\[1\] = %x\[1, 0\] \+ %x\[1, 1\] \+ %x\[1, 2\] \+ %x\[1, 3\]; %x\[1, 0…3\] = buffer 0 at 4…7$/)
  await choose('%k')
  await explorer.press('%k', 'Home', 'Control+Home', 'ArrowDown')
  await explorer.untilWay('%k', '%1') // the way turns to the operand that the element comes from
  await explorer.untilFrom('%k[1, 0] = buffer 1 at 0')
})

test('several operands: one is followed, a click follows another', async () => {
  await choose('%r')
  await explorer.untilWay('%r', '%k', '%1')
  await explorer.card('%k').getByRole('button', { name: '0: %s' }).click()
  await explorer.untilWay('%r', '%k', '%s', '%x', '%0')
  await explorer.point('%0', [12], [5])
  await until('where it goes', () => explorer.to(), text => text === 'goes to %x[1, 1] → %s[1] → %k[0, 1] → %r[1]')
})

test('a million elements: the keys are followed to the corner', async () => {
  await window.show('million.uir')
  await window.clickLens(/Explore/)
  await explorer.untilWay('%t', '%x', '%0')
  await until('the corner', async () => { // the cards of the file before may still stand there
    await explorer.press('%t', 'Control+End')
    return explorer.from().catch(() => '')
  }, text => text === '%t[1023, 1023] = %x[1023, 1023] = buffer 0 at 1048575')
  await window.page.keyboard.press('Home')
  await explorer.untilFrom('%t[1023, 0] = %x[0, 1023] = buffer 0 at 1023')
  await explorer.press('%t', '+', '+', '+')
  assert.ok(await explorer.card('%t').getByRole('button', { name: 'Show everything' }).isVisible())
})

test('a loop program is told to be one', async () => {
  await window.show('looped.uir')
  await window.clickLens(/Explore/)
  await explorer.until(/This is a loop program/)
})
