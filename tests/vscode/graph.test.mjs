// The graph of a file in a real editor: pointing, keys, search, kernels, edits, a reload, a file for a paper; 5,000 values.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { addressOf } from '../../scripts/vscode_server.mjs'
import { Graph } from './rig/graph.mjs'
import { RESTRICTED, Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const SUMS = '%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%s = reduce %m : op=add pop=1\n%e = exp2 %s\n%y = mul %e, 2.0\n'
const LOOPS = '%0 = buffer 12 : dtype=f32 slot=0\n%o = buffer 12 : dtype=f32 slot=1\n%r = range 12 : idx=0\n%d = mul %r, 1\n%a = index %0, %d\n%v = load %a\n%t = index %o, %r\n%w = store %t, %v\n%n = end %w, %r\n%z = sink %n\n'
const LONG = '%0 = buffer 64 : dtype=f32 slot=0\n%1 = reshape %0, (8, 8)\n' +
  Array.from({ length: 4998 }, (_, k) => `%${k + 2} = ${['mul', 'add', 'max'][k % 3]} %${k + 1}, ${k % 5 ? `%${Math.max(1, k + 1 - (k % 7))}` : '1.5'}\n`).join('')

let rig, window, graph
before(async () => {
  rig = await Rig.start({ settings: RESTRICTED }) // nothing here runs anything
  for (const [name, text] of Object.entries({ 'sums.uir': SUMS, 'place.uir': SUMS, 'looped.uir': LOOPS, 'long.uir': LONG })) rig.write(name, text)
  window = await rig.open('sums.uir')
  graph = new Graph(window.page)
  await until('the server', () => window.lenses(), all => all.length > 1, 90_000)
  await window.command('UIR: Show Graph')
  await graph.untilValues(all => all.length === 5)
})
after(() => rig?.stop())

async function show(file) {
  await window.show(file)
  await window.command('UIR: Show Graph')
}

/** The line that the cursor is on, seen from outside: the status bar is silent while the drawing has the keys. */
async function untilLine(line) {
  await until(`the cursor on line ${line}`, () => window.editor().locator('.active-line-number').allTextContents(), all => all.includes(String(line)))
}

test('the graph shows every value; pointing tells it, a click goes to its line, and the keys stay', async () => {
  const values = await graph.untilValues(all => all.length === 5)
  assert.match(values[2], /%s = reduce.*f32\[3\].*line 3, reads %m/)
  assert.match(await graph.frame.locator('.legend').innerText(), /buffer[^]*view[^]*reduce/)
  assert.equal(await graph.message(), '')
  const at = await graph.pointAt(/^%e = exp2/)
  assert.match(await graph.tip(at.x, at.y), /f32\[3\] · compute\ncomputed in \S+\nline 4/)
  await graph.canvas.click({ position: at })
  await untilLine(4)
  await window.page.keyboard.press('ArrowUp')
  await until('the operand', () => graph.spoken(), text => text.startsWith('%s = reduce'))
  await window.page.keyboard.press('ArrowDown')
  await window.page.keyboard.press('ArrowDown')
  await until('the last one', () => graph.spoken(), text => text.startsWith('%y = mul'))
  await window.page.keyboard.press('Enter')
  await untilLine(5)
})

test('a search by shape counts, goes on and comes back', async () => {
  await graph.key('/')
  await window.page.keyboard.type('f32[3]')
  await until('the first', () => graph.count(), text => text === '1 of 3')
  assert.match(await graph.spoken(), /^%s = reduce/)
  await window.page.keyboard.press('Enter')
  await until('the second', () => graph.count(), text => text === '2 of 3')
  await window.page.keyboard.press('Shift+Enter')
  await until('the first', () => graph.count(), text => text === '1 of 3')
  await graph.search('f64')
  await until('nothing', () => graph.count(), text => text === 'nothing found')
  await window.page.keyboard.press('Escape')
})

test('the cursor of the text brings its value into sight', async () => {
  await graph.key('0')
  for (let k = 0; k < 8; k++) await graph.key('+')
  await window.focus()
  await window.goto(1)
  const { x, y } = await graph.middle()
  await until('the buffer', () => graph.tip(x, y), text => text.startsWith('%0 = buffer'))
  await window.goto(5)
  await until('the last one', () => graph.tip(x, y), text => text.startsWith('%y = mul'))
  await graph.key('0')
})

test('a kernel is closed to one box and opened again', async () => {
  await graph.press('Close kernels')
  const at = await graph.pointAt(/^kernel /)
  assert.match(await graph.tip(at.x, at.y), /4 values, gives f32\[3\]/)
  await graph.canvas.click({ position: at })
  await until('the kernel open', () => graph.spoken(), text => /opened$/.test(text))
  await graph.pointAt(/^%e = exp2/)
})

/** Where a value begins and ends on the screen, down a line through it. */
async function standing(pattern, x, near) {
  const seen = []
  for (let y = near - 60; y < near + 60; y += 3) if (pattern.test(await graph.tip(x, y))) seen.push(y)
  return { top: seen[0], bottom: seen.at(-1) }
}

test('an edit leaves the place, the zoom and what is selected where they are', async () => {
  await show('place.uir')
  await graph.untilValues(all => all.length === 5)
  const pattern = /^%s = reduce/
  for (let k = 0; k < 2; k++) await graph.key('-') // all of it stays in sight: the cursor brings nothing there
  const { x, y } = await graph.pointAt(pattern)
  await graph.canvas.click({ position: { x, y } })
  await untilLine(3)
  const before = await standing(pattern, x, y)
  await window.focus()
  await window.goto(1)
  await window.page.keyboard.type('%other = buffer 3 : dtype=f32 slot=1\n') // everything is a line lower now,
  await window.goto(7)
  await window.page.keyboard.type('%o = add %other, %s\n%z = sink %y, %o') // and the drawing another one
  await graph.untilValues(all => all.length === 8)
  await window.page.waitForTimeout(500)
  const after = await standing(pattern, x, y)
  assert.ok(before.top < before.bottom && Math.abs(after.top - before.top) <= 3 && Math.abs(after.bottom - before.bottom) <= 3, `${JSON.stringify(before)} ${JSON.stringify(after)}`)
  await graph.canvas.press('Enter')
  await untilLine(4)
  await window.focus()
  await window.page.keyboard.press('Control+s')
  await show('sums.uir')
  await graph.untilValues(all => all.length === 5)
  await graph.key('0')
})

test('it follows the edits, keeps the last good graph, and is back after a reload', async () => {
  await window.focus()
  await window.goto(6)
  await window.page.keyboard.type('%more = neg %y')
  await graph.untilValues(all => all.length === 6)
  await window.page.keyboard.type('%nothing')
  await until('why it is stale', () => graph.message(), text => /^The last good graph: line 6/.test(text))
  assert.equal((await graph.values()).length, 6)
  for (let k = 0; k < 8; k++) await window.page.keyboard.press('Backspace')
  await until('the graph of now', () => graph.message(), text => text === '')
  await window.page.keyboard.press('Control+s')
  await window.page.waitForTimeout(1500) // the editor writes what a panel knows a second later
  await window.page.goto(addressOf(rig.server.port, rig.workspace)) // without a file to open, which would begin anew
  await window.ready()
  await graph.untilValues(all => all.length === 6)
})

test('the drawing is saved as SVG', async () => {
  await graph.press('Save as SVG')
  const input = window.page.locator('.quick-input-widget input').first()
  await until('the save dialog', () => input.inputValue(), text => /sums\.svg$/.test(text))
  await input.press('Enter')
  const file = path.join(rig.workspace, 'sums.svg')
  const svg = await until('the file', () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''), text => text.endsWith('</svg>\n'))
  assert.match(svg, /^<\?xml/)
  for (const name of ['%0 buffer', '%m reshape', '%s reduce', '%e exp2', '%y mul']) assert.ok(svg.includes(`>${name}<`), name)
})

test('the command saves it too, and says what it wants when there is no graph', async () => {
  const file = path.join(rig.workspace, 'sums.svg')
  const svg = fs.readFileSync(file, 'utf8')
  fs.rmSync(file)
  await window.show('sums.uir')
  await window.command('UIR: Save the Graph as SVG')
  const input = window.page.locator('.quick-input-widget input').first()
  await until('the save dialog', () => input.inputValue(), text => /sums\.svg$/.test(text))
  await input.press('Enter')
  assert.equal(await until('the file', () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''), text => text.endsWith('</svg>\n')), svg)
  await window.command('View: Close Editors in Other Groups')
  await window.focus()
  await window.command('UIR: Save the Graph as SVG')
  await window.untilToast(/Show the graph of a \.uir file first/)
})

test('index arithmetic is folded away until it is asked for', async () => {
  await show('looped.uir')
  await until('why there are no kernels', () => graph.message(), text => /^A loop program/.test(text))
  await graph.search('mul')
  await until('nothing', () => graph.count(), text => text === 'nothing found')
  await graph.press('Index arithmetic')
  await until('the product', () => graph.count(), text => text === '1 of 1')
})

test('5,000 values: drawn, panned, found', async () => {
  await show('long.uir')
  await graph.untilValues(all => all.some(text => /more values/.test(text)), 180_000)
  await graph.press('Open kernels')
  await graph.key('0')
  const { layout, count } = await graph.times()
  const { x, y } = await graph.middle()
  await graph.canvas.hover({ position: { x, y } })
  const frames = []
  for (let k = 0; k < 12; k++) {
    await window.page.mouse.wheel(0, 400)
    await window.page.waitForTimeout(60)
    frames.push((await graph.times()).frame)
  }
  for (let k = 0; k < 24; k++) await graph.key('-')
  await window.page.waitForTimeout(200)
  console.log(`5,000 values: layout ${layout} ms, a frame of a pan ${frames.toSorted((a, b) => a - b)[6]} ms in the middle and ${Math.max(...frames)} ms at most, of the whole ${(await graph.times()).frame} ms`)
  assert.ok((await graph.times()).count > count + 6)
  const { drawn: far } = await graph.times()
  await graph.search('%4321')
  await until('the one', () => graph.spoken(), text => text.startsWith('%4321 ='))
  await window.page.waitForTimeout(200)
  const { drawn } = await graph.times()
  assert.ok(drawn > 0 && drawn < 5_000 / 50, `${drawn} boxes are drawn where their text can be read`)
  assert.ok(far > 5 * drawn, `${far} boxes are drawn from afar`)
  await graph.key('Enter')
  await untilLine(4322)
})
