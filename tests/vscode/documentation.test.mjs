// The code of a diagnostic leads to its section of the documentation, which comes with the server.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

let rig, window
before(async () => {
  rig = await Rig.start()
  rig.write('wrong.uir', '%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (5, 2)\n')
  window = await rig.open('wrong.uir')
})
after(() => rig?.stop())

/** A heading of the rendered page: a frame within a frame. */
async function heading(name) {
  for (const frame of window.page.frames()) {
    const heading = frame.locator(`h3#${name}`)
    if (await heading.count().catch(() => 0)) return heading
  }
  return undefined
}

async function untilInView(name) {
  await until(`the section ${name} in view`, async () => (await heading(name))?.evaluate(node => {
    const { top } = node.getBoundingClientRect()
    return top > -5 && top < window.innerHeight / 2
  }).catch(() => false))
}

test('a click on the code in the hover shows the section about it, rendered, beside the program', async () => {
  await until('a squiggle', () => window.squiggles())
  await window.hoverSquiggle('error', /12 elements cannot become 10/)
  await window.page.locator('.monaco-hover a.code-link').first().click()
  await untilInView('reshape-count')
  assert.equal(await window.editor().count(), 1)
})

test('a click on the code in the Problems panel does the same', async () => {
  await window.clear()
  await window.show('wrong.uir')
  await window.problems()
  await window.page.locator('.markers-panel .monaco-list-row a').filter({ hasText: 'reshape-count' }).first().click()
  await untilInView('reshape-count')
})

test('the hover of an operation has its entry, and a link to it in the reference', async () => {
  await window.clear()
  await window.show('wrong.uir')
  await window.goto(2, 8)
  assert.match(await window.hover(/row-major/), /type rule/)
  await window.hoverRows().locator('a', { hasText: 'Reference' }).first().click()
  await untilInView('reshape')
})
