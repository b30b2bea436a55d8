// The assembly beside the C beside the program: lines that know each other, all ways; not in Restricted Mode.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ROOT } from '../../scripts/vscode_server.mjs'
import { RESTRICTED, Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const OUT = path.join(ROOT, 'out', 'screenshots')

describe('beside the program', () => {
  let rig, window, source, c, asm
  before(async () => {
    fs.mkdirSync(OUT, { recursive: true })
    rig = await Rig.start()
    window = await rig.open('gemm_256x256.uir', { size: { width: 1600, height: 900 } })
    source = window.editor()
    c = window.page.locator('.editor-instance .monaco-editor[data-uri^="uir-c:"][data-uri*=".c?"]')
    asm = window.page.locator('.editor-instance .monaco-editor[data-uri^="uir-c:"][data-uri*=".uir-asm?"]')
    await window.command('View: Toggle Primary Side Bar Visibility')
    await window.clickLens(/generated C/)
    await window.untilLine(/void |int /, c)
    await window.focus(source)
    await window.command('UIR: Show Assembly')
    await window.untilLine(/^gemm_256x256\w*:/, asm, 60_000)
    await window.focus(source)
  })
  after(() => rig?.stop())

  test('instructions without directives, in colour', async () => {
    const lines = await window.lines(asm)
    assert.ok(!lines.some(line => /\.(cfi|loc|type|globl)/.test(line)), lines.join('\n'))
    const colours = await asm.locator('.view-line span span').evaluateAll(all => new Set(all.map(span => span.className)).size)
    assert.ok(colours > 2, `${colours} colours`)
  })

  test('the cursor in the program lights both', async () => {
    await window.focus(source)
    await window.goto(await window.lineOf('%ab =', source), 2)
    const lit = await until('the multiplication', () => window.litText(asm), all => all.some(line => /mul|fmadd|fml?a/.test(line)))
    assert.ok(lit.length > 0)
    await until('the C', () => window.litText(c), all => all.some(line => line.includes('*')))
    await window.screenshot(path.join(OUT, 'assembly-light.png'))
  })

  test('the cursor in the C lights its instructions and its line', async () => {
    const [line] = await window.lit(c)
    const text = await until('C lines', () => window.litLines(c), all => all.some(([, text]) => text.includes('*')))
    const [at] = text.find(([, text]) => text.includes('*'))
    await window.focus(c)
    await window.goto(at ?? line, 3)
    await until('the instructions', () => window.litText(asm), all => all.length > 0 && all.some(line => /mul|fmadd|fml?a/.test(line)))
    const product = await window.lineOf('%ab =', source)
    await until('the program', () => window.lit(source), all => all.includes(product))
  })

  test('the cursor in the assembly lights the C and the program; a hover names the values', async () => {
    const [[at]] = (await window.litLines(asm)).filter(([, text]) => /mul|fmadd|fml?a/.test(text))
    await window.focus(asm)
    await window.goto(at, 12)
    await until('the C', () => window.litText(c), all => all.some(line => line.includes('*')))
    const product = await window.lineOf('%ab =', source)
    await until('the program', () => window.lit(source), all => all.includes(product))
    assert.match(await window.hover(/from/), /%ab/)
  })

  test('loops know their lines, both ways', async () => {
    await window.focus(source)
    await window.command('UIR: Show Loops')
    const loops = window.page.locator('.editor-instance .monaco-editor[data-uri^="uir-c:"][data-uri*=".loops.uir?"]')
    await window.untilLine(/kind=reduce/, loops)
    await window.focus(source)
    const product = await window.lineOf('%ab =', source)
    await window.goto(product, 2)
    const lit = await until('the multiplication', () => window.litLines(loops), all => all.some(([, text]) => /=\s+mul/.test(text)))
    const [at] = lit.find(([, text]) => /=\s+mul/.test(text))
    await window.focus(loops)
    await window.goto(at, 1)
    await until('the program', () => window.lit(source), all => all.includes(product))
  })
})

test('in Restricted Mode it says why there is none', async () => {
  const rig = await Rig.start({ settings: RESTRICTED })
  try {
    const window = await rig.open('row_sum.uir')
    await until('lenses', () => window.lenses(), all => all.length > 1)
    await window.focus()
    await window.command('UIR: Show Assembly')
    await window.untilLine(/^# .*not trusted/, window.generated())
  } finally {
    await rig.stop()
  }
})
