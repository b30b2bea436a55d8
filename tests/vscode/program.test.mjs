// The generated C beside the program, and running it.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { Panel } from './rig/panel.mjs'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

let rig, window, panel
before(async () => {
  rig = await Rig.start()
  rig.copy('row_sum.uir', 'edited.uir')
  rig.write('unexpected.uir', '# uir: input 0 = [1, 2]\n# uir: expect = [1, 3]\n%0 = buffer 2 : dtype=f32 slot=0\n%y = mul %0, 1.0\n')
  rig.write('wrong.uir', '%0 = buffer 12 : dtype=f32 slot=0\n%1 = mul %0, 1.0\n%x = reshape %0, (5, 2)\n')
  window = await rig.open('row_sum.uir')
  panel = new Panel(window.page)
})
after(() => rig?.stop())
afterEach(() => window.clear())

async function showWithC(file) {
  await window.show(file)
  await window.clickLens(/generated C/)
  await window.untilLine(/void |int /, window.generated())
}

test('Show generated C opens beside, follows edits, and keeps the last good text', async () => {
  await showWithC('edited.uir')
  const source = window.editor()
  const tabs = window.page.locator('.tab[role=tab]')
  const names = () => tabs.evaluateAll(all => all.map(tab => tab.getAttribute('data-resource-name')))
  await until('the tab of the C', names, all => all.includes('edited.c'))

  await window.focus(source)
  await replaceInLine(window, 'op=add', 'op=max')
  await window.untilLine(/INFINITY|max/i, window.generated())

  await replaceInLine(window, 'pop=1', 'pop=7')
  await window.untilLine(/^\/\/ The last good program/, window.generated())
  await window.untilLine(/INFINITY|max/i, window.generated())

  await replaceInLine(window, 'pop=7', 'pop=1')
  await until('the banner gone', () => window.lines(window.generated()), all => !all.some(line => line.startsWith('// The last good')))
  await window.focus()
  await window.page.keyboard.press('Control+s')
})

test('the lines that belong together are lit, both ways', async () => {
  await showWithC('softmax.uir')
  const source = window.editor()
  await window.focus(source)
  const line = await window.lineOf('%s = reduce', source)
  await window.goto(line, 2)
  const lit = await until('the lit loop in the C', () => window.litText(window.generated()), all => all.some(text => text.includes('for (')))
  assert.match(lit.join('\n'), /= 0\.0f;[^]*for \([^]*exp2f/) // the sum begins at 0, runs over the row, adds the power
  assert.deepEqual(await window.lit(source), [line])

  const [first] = await window.lit(window.generated())
  await window.focus(window.generated())
  await window.goto(first, 1)
  await until('the lit line of the program', () => window.lit(source), all => all.includes(line))
})

test('a lens on the C changes to the program as run, the title button back', async () => {
  await showWithC('gemm_256x256.uir')
  const lens = () => window.generated().locator('.codelens-decoration a').allTextContents()
  await until('the textbook program', lens, ([text]) => /^the textbook program/.test(text))
  await window.generated().locator('.codelens-decoration a').click()
  await until('the program as run', lens, ([text]) => /^the program as run/.test(text))
  await window.focus(window.generated())
  await window.pressTitle('Show the Textbook Program')
  await until('the textbook program', lens, ([text]) => /^the textbook program/.test(text))
  await window.untilLine(/ridx2 < 256/, window.generated())
})

test('Run shows the result, what was checked, and a verdict beside the value until the next edit', async () => {
  await window.show('row_sum.uir')
  await window.clickLens(/Run/)
  const text = await panel.until(/✓ as expected/)
  assert.match(text, /✓ verified against the reference/)
  assert.match(text, /%y : f32\[3\]/)
  await panel.untilCells(rows => rows.flat().join(' ') === '6 22 38')
  await until('the verdict beside the lenses', () => window.lenses(), all => all.some(lens => /✓ as expected · verified/.test(lens)))
  await window.goto(1)
  await window.page.keyboard.type('#')
  await until('no verdict', () => window.lenses(), all => !all.some(lens => /✓/.test(lens)))
  await window.page.keyboard.press('Control+z')
  await window.page.keyboard.press('Control+s')
})

test('a result that is not as expected says so', async () => {
  await window.show('unexpected.uir')
  await window.clickLens(/Run/)
  assert.match(await panel.until(/✗ not as expected/), /%y\[1\] is 2\.0, expected 3\.0/)
})

test('a file with errors does not run: one sentence, and a button that goes to the first', async () => {
  await window.show('wrong.uir')
  await until('a squiggle', () => window.squiggles())
  await window.focus()
  await window.page.keyboard.press('Control+F5')
  await panel.until(/12 elements cannot become 10/)
  await panel.press('Go to Line 3')
  await until('the cursor at the error', () => window.cursor(), text => text.includes('Ln 3'))
})

test('Show Loops opens the loop program', async () => {
  await window.show('row_sum.uir')
  await window.untilLine(/f32\[3\]/)
  await window.focus()
  await window.command('UIR: Show Loops')
  await window.untilLine(/kind=reduce/, window.generated())
})

async function replaceInLine(window, from, to) {
  const { page } = window
  await page.keyboard.press('Home')
  await page.keyboard.press('Control+h')
  await page.locator('.find-widget.visible .find-part textarea').first().fill(from)
  await page.locator('.find-widget.visible .replace-part textarea').first().fill(to)
  await page.keyboard.press('Control+Alt+Enter')
  await page.keyboard.press('Escape')
}
