// The pipeline view: the stages of a program, what changed between them, what the rules did; it follows the edits.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { ROOT, addressOf } from '../../scripts/vscode_server.mjs'
import { Panel, nbsp } from './rig/panel.mjs'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const OUT = path.join(ROOT, 'out', 'screenshots')
const CALL = '%p = param (3,) : dtype=f32 slot=0\n%f = mul %p, 2.0\n%b = buffer 3 : dtype=f32 slot=0\n%c = call %f, %b\n'

let rig, window, page
before(async () => {
  fs.mkdirSync(OUT, { recursive: true })
  rig = await Rig.start()
  rig.copy('gemm_256x256.uir', 'edited.uir')
  rig.write('call.uir', CALL)
  window = await rig.open('gemm_256x256.uir')
  page = new Pipeline(window.page)
})
after(() => rig?.stop())

class Pipeline extends Panel {
  async stages() {
    return (await this.frame.locator('.entry .title').allTextContents().catch(() => [])).map(nbsp)
  }

  async choose(title) {
    await this.frame.locator('.entry', { has: this.frame.locator('.title', { hasText: new RegExp(`^${title}$`) }) }).click()
  }

  async lines() {
    const lines = await this.frame.locator('.line').evaluateAll(all => all
      .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top)).map(line => [line.querySelector('.mark').textContent, line.textContent.slice(line.querySelector('.mark').textContent.length)]))
      .catch(() => [])
    return lines.map(([mark, text]) => `${mark}${nbsp(text)}`)
  }

  untilLine(pattern) {
    return until(`a line ${pattern}`, () => this.lines(), all => all.some(line => pattern.test(line)))
  }
}

async function open(file) {
  await window.show(file)
  await until('lenses', () => window.lenses(), all => all.length > 1)
  await window.command('UIR: Show Pipeline')
  await until('the stages', () => page.stages(), all => all.length > 2)
}

test('the stages with their times, and the loop nest as a person would write it', async () => {
  await open('gemm_256x256.uir')
  await page.press('Textbook')
  await until('the textbook program', () => page.stages(), all => all.join() === 'Graph,Loops,Simplified,C,Assembly')
  assert.match(await page.until(/as the textbook computes it/), /Simplified[^]*\d ms/)
  await page.untilLine(/for k < 256 +reduce +%c = Σ %ab/)
  await page.untilLine(/acc \+= %0\[256·i \+ k\] \* %1\[256·k \+ j\]/)
})

test('what changed between neighbours, and which rules did it', async () => {
  await page.choose('Simplified')
  const lines = await page.untilLine(/^- .*\/\/ 1 % 65536/)
  assert.ok(lines.some(line => /^\+ .*acc \+= %0\[256·i \+ k\]/.test(line)), lines.join('\n'))
  // Taken apart: 256*i + k, 256*k + j, and j and k of the operand with a size-1 axis.
  assert.match(await page.until(/What the rewrite rules did/), /remainder-one-period\s+4\s+[\d.,]+ (?:µs|ms)\s+x % c = x - m\*c when m\*c <= x < \(m\+1\)\*c/)
  assert.match(await page.text(), /\(256·i \+ k\) % 65536 → 256·i \+ k/)
  await page.press('Open Diff')
  await window.page.locator('.monaco-diff-editor .line-insert').first().waitFor()
  await window.page.locator('.tab[role=tab]', { hasText: 'Loops ↔ Simplified' }).waitFor()
  await window.page.screenshot({ path: path.join(OUT, 'pipeline-diff.png') })
  await window.command('View: Close Editor')
})

test('stages that changed nothing are hidden until they are wanted', async () => {
  await open('gemm_256x256.uir')
  await page.frame.getByLabel('Hide stages that changed nothing').uncheck()
  await until('all stages', () => page.stages(), all => all.includes('Inlined'))
  await page.frame.getByLabel('Hide stages that changed nothing').check()
  await until('fewer', () => page.stages(), all => !all.includes('Inlined'))
  await open('call.uir')
  await until('the call', () => page.stages(), all => all.includes('Inlined'))
})

test('the cursor lights its lines of the stage, and a line leads to the file', async () => {
  await open('gemm_256x256.uir')
  await page.choose('Simplified')
  await page.untilLine(/store acc/)
  await window.focus()
  await window.goto(await window.lineOf('%ab ='), 2)
  const lit = await until('the lit line', () => page.frame.locator('.line.lit').allTextContents(), all => all.length > 0)
  assert.ok(lit.every(text => /acc|reduce/.test(text)), lit.join('\n'))
  await window.goto(1)
  await page.frame.locator('.line', { hasText: 'store acc' }).first().click()
  const line = await window.lineOf('%c =')
  await until('the cursor at the product', () => window.cursor(), text => text.includes(`Ln ${line},`))
})

test('it follows edits, keeps the last good stages, and the keyboard is enough', async () => {
  await open('edited.uir')
  await page.choose('Simplified')
  await page.untilLine(/reduce +%c = Σ/)
  await window.focus()
  await window.goto(await window.lineOf('%c ='), 1)
  await replace('op=add', 'op=max')
  await page.untilLine(/reduce +%c = max/)
  await replace('pop=1', 'pop=7')
  await page.until(/The last good program: line \d+/)
  await page.untilLine(/reduce +%c = max/)
  await replace('pop=7', 'pop=1')
  await until('no message', () => page.text(), text => !/last good/.test(text))
  await page.frame.locator('.stages').focus()
  await window.page.keyboard.press('Home')
  await page.untilLine(/%c = reduce %ab : op=max pop=1/)
  await window.page.keyboard.press('ArrowDown')
  await page.untilLine(/for k < 256/)
  await window.focus()
  await window.page.keyboard.press('Control+s')
})

test('the kernels of the program as it is run, and its assembly', async () => {
  await open('gemm_256x256.uir')
  await page.press('As run')
  await until('kernels', () => page.stages(), all => all.includes('Kernels'))
  await page.choose('Kernels')
  await page.untilLine(/kernel gemm_256x256_k0/)
  await page.untilLine(/vectors? of \d+/)
  await page.choose('Assembly')
  await page.untilLine(/^ *v?\w+ /)
  await page.untilLine(/gemm_256x256\w*:/)
})

/** The view of a file, then the window loaded anew: again while VS Code had not yet written down what is open. */
async function reopened() {
  for (let attempt = 1; ; attempt++) {
    await open('gemm_256x256.uir')
    await page.choose('Kernels')
    await page.untilLine(/kernel gemm_256x256_k0/)
    await window.page.waitForTimeout(2_500)
    await window.page.goto(addressOf(rig.server.port, rig.workspace))
    try {
      return await page.until(/gemm_256x256\.uir[^]*Kernels/)
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

test('after a reload it is back', async () => {
  await reopened()
  await page.untilLine(/kernel gemm_256x256_k0/)
  assert.deepEqual(rig.outside, [])
})

async function replace(from, to) {
  const { page } = window
  await page.keyboard.press('Home')
  await page.keyboard.press('Control+h')
  await page.locator('.find-widget.visible .find-part textarea').first().fill(from)
  await page.locator('.find-widget.visible .replace-part textarea').first().fill(to)
  await page.keyboard.press('Control+Alt+Enter')
  await page.keyboard.press('Escape')
}
