// What a person sees of an open file: shapes, errors, hovers, lenses, colours; and a restart of the server.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

let rig, window
before(async () => {
  rig = await Rig.start()
  rig.write('broken.uir', BROKEN)
  rig.write('half.uir', BROKEN + '%z = reshape %0, (3, 4)\n')
  rig.write('typing.uir', '%0 = buffer 12 : dtype=f32 slot=0\n%x = \n')
  window = await rig.open('view_chain.uir')
})
after(() => rig?.stop())

const BROKEN = `%0 = buffer 12 : dtype=f32 slot=0
%x = reshape %0, (5, 2)
%y = mul %x, %x
`

test('every line shows its shape, the first has the lenses', async () => {
  await window.untilLine(/%w = shrink.*f32\[2, 3\]/)
  await window.untilLine(/%m = reshape.*f32\[3, 4\]/)
  const lenses = await until('lenses', () => window.lenses(), all => all.length >= 2)
  assert.match(lenses.join('\n'), /Run/)
  assert.match(lenses.join('\n'), /generated C/)
  assert.equal(await window.squiggles(), 0)
})

test('one mistake is one error: a squiggle, its text, and quiet after the mend', async () => {
  await window.show('broken.uir')
  await until('a squiggle', () => window.squiggles())
  const problems = (await window.problems()).filter(text => !text.includes('broken.uir'))
  const errors = problems.filter(text => /error/i.test(text))
  assert.equal(errors.length, 1, problems.join('\n'))
  assert.match(errors[0], /RESHAPE \(12,\) -> \(5, 2\)/)
  assert.match(errors[0], /12 elements cannot become 10/)

  await window.focus()
  await window.goto(2, 19)
  await window.page.keyboard.press('Delete')
  await window.page.keyboard.type('6')
  await until('no squiggle', () => window.squiggles(), count => count === 0)
  await window.untilLine(/%y = mul.*f32\[6, 2\]/)
})

test('hover on a value says shape, index map and where it is read from', async () => {
  await window.show('view_chain.uir')
  await window.untilLine(/%w = shrink.*f32\[2, 3\]/)
  await window.goto(await window.lineOf('%w ='), 2)
  const text = await window.hover(/%w/)
  assert.match(text, /f32\[2, 3\]/)
  assert.match(text, /i \+ 1/)
})

test('a file with an error still answers: hover and shapes on the good lines', async () => {
  await window.show('half.uir')
  await until('a squiggle', () => window.squiggles())
  await window.untilLine(/%z = reshape.*f32\[3, 4\]/)
  await window.goto(4, 2)
  assert.match(await window.hover(/%z/), /f32\[3, 4\]/)
})

test('completion offers operations while typing', async () => {
  await window.show('typing.uir')
  await window.untilLine(/f32\[12\]/)
  await window.goto(2, 6)
  await window.page.keyboard.type('resh')
  const names = window.page.locator('.editor-widget.suggest-widget.visible .monaco-list-row .label-name')
  await until('reshape in the list', async () => {
    const all = await names.allTextContents()
    if (all.length === 0) await window.page.keyboard.press('Control+Space')
    return all
  }, all => all.includes('reshape'))
})

test('the server can be restarted, also twice at once', async () => {
  await window.show('row_sum.uir')
  await window.untilLine(/%y = reduce.*f32\[3\]/)
  await window.command('UIR: Restart Language Server')
  await window.command('UIR: Restart Language Server')
  await window.goto(await window.lineOf('%y ='), 2)
  assert.match(await window.hover(/%y/), /f32\[3\]/)
  assert.deepEqual(await window.toasts(), [])
})

test('after a start that failed, the button of its message starts the server', async () => {
  const extensions = path.join(rig.home, 'extensions')
  const server = path.join(extensions, fs.readdirSync(extensions).find(name => name.startsWith('uir.uir-')), 'server')
  fs.renameSync(server, `${server}-away`)
  await window.command('UIR: Restart Language Server')
  await window.untilToast(/did not start/)
  fs.renameSync(`${server}-away`, server)
  await window.page.locator('.notifications-toasts .monaco-button', { hasText: 'Restart' }).click()
  await window.show('row_sum.uir')
  await window.goto(await window.lineOf('%y ='), 2)
  assert.match(await window.hover(/%y/), /f32\[3\]/)
  assert.deepEqual((await window.toasts()).filter(text => !/did not start/.test(text)), [])
})

test('nothing looked outside this machine', () => {
  assert.deepEqual(rig.outside, [])
})
