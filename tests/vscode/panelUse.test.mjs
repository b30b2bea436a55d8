// The result panel without a mouse, with results of millions of elements, and after faults.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { PYTHON } from '../../scripts/vscode_server.mjs'
import { Panel } from './rig/panel.mjs'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const CUBE = '# uir: input 0 = arange\n# uir: expect = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 23]\n%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (2, 3, 2)\n%y = mul %x, 2.0\n'
const ENDLESS = '# uir: input 0 = ones\n%0 = buffer 4096 : dtype=f32 slot=0\n%1 = reshape %0, (1, 4096, 1)\n%2 = expand %1, (2048, 4096, 4096)\n%3 = sin %2\n%y = reduce %3 : op=add pop=3\n'
const CRASH = '# uir: input 0 = arange\n%0 = buffer 96 : dtype=f32 slot=0\n%x = reshape %0, (8, 12)\n%s = reduce %x : op=add pop=1\n%c = mul %s, 1234.5\n%y = sin %c\n'
const square = n => `# uir: input 0 = arange\n%0 = buffer ${n * n} : dtype=i32 slot=0\n%x = reshape %0, (${n}, ${n})\n%y = add %x, 1\n`
// A compiler with a fault: one constant becomes an access to nowhere.
const COMPILER = '#!/bin/sh\nsed -i -e \'s/1234\\.5f/(*(volatile float*)16)/\' program.c\nexec cc "$@"\n'

let rig, window, panel
before(async () => {
  const home = fs.mkdtempSync('/tmp/uir-faulty-')
  fs.writeFileSync(path.join(home, 'cc'), COMPILER, { mode: 0o755 })
  rig = await Rig.start({ settings: { 'uir.run.timeout': 2 }, machine: { 'uir.interpreter': PYTHON, 'uir.compiler': path.join(home, 'cc') } })
  rig.faulty = home
  for (const [name, text] of Object.entries({ 'cube.uir': CUBE, 'endless.uir': ENDLESS, 'crash.uir': CRASH, 'million.uir': square(1000), 'sixteen.uir': square(4096) })) rig.write(name, text)
  window = await rig.open('cube.uir')
  panel = new Panel(window.page)
})
after(async () => {
  await rig?.stop()
  if (rig) fs.rmSync(rig.faulty, { recursive: true })
})
afterEach(() => window.page.keyboard.press('Escape'))

async function run(file, pattern) {
  await window.show(file)
  await window.clickLens(/Run/)
  await until(`${pattern} of ${file}`, () => panel.text(), text => text.startsWith(file) && pattern.test(text), 90_000)
}

/** What has the focus in the panel: its role or tag and name, and whether the focus is seen. */
function focused() {
  return panel.body.evaluate(body => {
    const one = body.ownerDocument.activeElement
    if (!one || one === body) return undefined
    const style = getComputedStyle(one)
    const text = one.getAttribute('aria-label') ?? one.closest('label')?.textContent ?? one.textContent
    return { name: text.trim(), role: one.getAttribute('role') ?? one.tagName.toLowerCase(), seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 }
  })
}

/** Everything that Tab comes to, in order. */
async function tabStops() {
  await panel.frame.locator('header button').first().focus()
  await window.page.keyboard.press('Tab')
  await window.page.keyboard.press('Shift+Tab') // as the keyboard does it: the focus is to be seen
  const stops = []
  for (let k = 0; k < 40; k++) {
    const at = await focused()
    if (!at) break
    stops.push(at)
    await window.page.keyboard.press('Tab')
  }
  return stops
}

test('every control is reached by Tab, says its name, and shows that it has the focus', async () => {
  await run('cube.uir', /not as expected[^]*verified/)
  const stops = await tabStops()
  const names = stops.map(({ role, name }) => `${role} ${name}`)
  for (const wanted of ['button cube.uir', 'button ▶ Run Again', 'button Show It', 'tab %y', 'button %y', 'button Table', 'button Heat map', 'button Histogram',
    'input Index of axis 0', 'input Index of axis 0, as a number', 'button Save as .npy…', 'grid Values of %y']) assert.ok(names.includes(wanted), `${wanted} in ${names.join('; ')}`)
  assert.deepEqual(stops.filter(({ seen }) => !seen), [])
  assert.ok(stops.every(({ name }) => name), names.join('; '))
  await panel.frame.getByRole('tab', { name: '%y' }).focus()
  await window.page.keyboard.press('ArrowRight')
  await panel.until(/What the program reads/)
  assert.ok((await tabStops()).some(({ role, name }) => role === 'select' && name))
  await panel.frame.getByRole('tab', { name: /Inputs/ }).focus()
  await window.page.keyboard.press('End')
  await panel.until(/outcome/)
  await window.page.keyboard.press('Home')
})

test('a screen reader is told roles, names, what is chosen, and the value under the cursor', async () => {
  const tree = await panel.body.ariaSnapshot()
  for (const wanted of [/tablist "Result"/, /tab "%y" \[selected\]/, /tabpanel "%y"/, /group "Show as"/, /button "Table" \[pressed\]/, /slider "Index of axis 0"/,
    /grid "Values of %y"/, /columnheader "1"/, /rowheader "2"/, /gridcell "8"/]) assert.match(tree, wanted)
  assert.doesNotMatch(tree, /- (button|tab|slider|spinbutton|combobox|textbox|grid|img)(:| \[|$)/m) // none without a name
  await panel.frame.locator('.table').focus()
  await window.page.keyboard.press('ArrowDown')
  await until('the value', () => panel.readout(), text => text === '%y[0, 1, 0] = 4')
  assert.equal(await panel.frame.locator('.readout[aria-live=polite]').count(), 1)
  assert.equal(await panel.frame.locator(`#${await panel.frame.locator('.table').getAttribute('aria-activedescendant')}`).innerText(), '4')
})

test('a run that crashes marks its line, and stands in the history with the reason', async () => {
  await run('crash.uir', /Line 5: %c: stopped by a segmentation fault/)
  await until('the mark', () => window.endings(), all => all.some(text => text === '✗ stopped by a segmentation fault'))
  await panel.tab(/History \(1\)/)
  await panel.until(/failed[^]*segmentation fault/)
  await panel.press('Go to Line 5')
  await until('the line', () => window.cursor(), text => text.includes('Ln 5,'))
  await window.page.keyboard.type(' ')
  await until('no mark', () => window.endings(), all => !all.some(text => text.startsWith('✗')))
  await window.page.keyboard.press('Control+z')
  await window.page.keyboard.press('Control+s')
})

test('a run that is stopped at its limit leads to the setting, and runs when that is raised', async () => {
  await run('endless.uir', /took longer than 2 s/)
  await panel.press('Raise the Limit')
  const setting = window.page.locator('.settings-editor .setting-item-contents').filter({ hasText: 'Seconds after which a run is stopped.' })
  await setting.waitFor()
  assert.equal(await window.page.locator('.settings-editor .setting-item-contents').count(), 1)
  await setting.locator('input').fill('300')
  await window.page.waitForTimeout(1_500) // it is written when the typing stops
  await window.show('endless.uir')
  await window.clickLens(/Run/)
  await panel.until(/Running 68,719,476,736 operations on [\d.]+ [KM]B…/)
  await window.page.waitForTimeout(2_500)
  assert.match(await panel.text(), /Running/)
  await panel.press('Cancel')
  await until('the end', () => panel.text(), text => !/Cancel/.test(text))
})

for (const [file, n, share] of [['million.uir', 1000, 0.06], ['sixteen.uir', 4096, 0.02]]) {
  test(`of ${(n * n).toLocaleString('en')} elements those that are looked at are sent`, async () => {
    await run('cube.uir', /verified/)
    await panel.body.evaluate(() => {
      if (!globalThis.received) addEventListener('message', ({ data }) => globalThis.received.push(data?.bytes?.byteLength ?? JSON.stringify(data).length))
      globalThis.received = []
    })
    const began = Date.now()
    await run(file, /kernel/)
    await panel.untilCells(rows => rows.length > 5 && rows[0][1] === '2', 60_000)
    const shown = Date.now() - began
    const sent = () => panel.body.evaluate(() => received.reduce((sum, size) => sum + size, 0))
    const table = await sent()
    assert.ok(table < share * 4 * n * n, `${table} bytes`)
    await panel.frame.locator('.table').focus()
    const far = Date.now()
    await window.page.keyboard.press('Control+End')
    await until('the last element', () => panel.readout(), text => text === `%y[${n - 1}, ${n - 1}] = ${(n * n).toLocaleString('en')}`)
    const jumped = Date.now() - far
    assert.ok(await panel.frame.locator('.cell').count() < 1500)
    const drawn = {}
    for (const mode of ['Heat map', 'Histogram']) {
      const [start, before] = [Date.now(), await sent()]
      await panel.press(mode)
      await until(mode, () => panel.frame.locator('.stage canvas').evaluate(canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(byte => byte > 0)), Boolean)
      if (mode === 'Histogram') await panel.until(/elements? (in \d+ )?of %y/)
      drawn[mode] = { ms: Date.now() - start, bytes: await sent() - before }
      assert.ok(drawn[mode].bytes <= 4 * (1 << 20) + 4096, JSON.stringify(drawn))
    }
    const heap = await panel.body.evaluate(() => performance.memory?.usedJSHeapSize)
    console.log(`${n} x ${n}: click to cells ${shown} ms, ${table} bytes; to the last element ${jumped} ms; ${JSON.stringify(drawn)}; heap ${(heap / 1e6).toFixed(0)} MB`)
    assert.ok(heap === undefined || heap < 200e6, `${heap} bytes of heap`)
    await panel.press('Table')
  })
}
