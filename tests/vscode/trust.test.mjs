// A folder that is not trusted: everything is shown, nothing is run. And a machine without a server: it is said.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { Panel } from './rig/panel.mjs'
import { RESTRICTED, Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

describe('in Restricted Mode', () => {
  let rig // a new one for each test: trust is remembered
  beforeEach(async () => { rig = await Rig.start({ settings: RESTRICTED }) })
  afterEach(() => rig?.stop())

  test('Run gives the reason, with the button that trusts; then it runs', async () => {
    const window = await rig.open('row_sum.uir')
    await until('Restricted Mode', () => window.statusBar(), text => text.includes('Restricted Mode'))
    await window.clickLens(/Run/)
    const panel = new Panel(window.page)
    const reason = await panel.until(/Restricted Mode/)
    assert.match(reason, /not trusted/)
    assert.doesNotMatch(reason, /kernel|min/)

    await panel.press('Manage Trust')
    await window.page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).first().click()
    await until('trust', () => window.statusBar(), text => !text.includes('Restricted Mode'))
    await until('the result of what was asked for', () => window.results(), all => /as expected/.test(all), 60_000)
    await window.close()
  })

  test('checking, hover and generated C work, and nothing of the folder is started', async () => {
    layTraps(rig)
    rig.write('wrong.uir', '%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (5, 2)\n')
    const wrong = await rig.open('wrong.uir')
    await until('a squiggle', () => wrong.squiggles(), Boolean, 60_000) // a first start, beside others
    await wrong.close()
    const window = await rig.open('row_sum.uir')
    await window.untilLine(/%y = reduce.*f32\[3\]/)
    await window.focus()
    await window.goto(await window.lineOf('%y ='), 2)
    assert.match(await window.hover(/%y/), /f32\[3\]/)
    await window.clickLens(/generated C/)
    await window.untilLine(/void |int /, window.generated())
    await window.close()
    assert.deepEqual(fs.readdirSync(rig.home).filter(name => name.startsWith('sprung')), [])
  })

  /** Programs and modules in the folder that leave a file when they are run. */
  function layTraps({ home, workspace }) {
    const sprung = name => path.join(home, `sprung-${name}`)
    for (const name of ['uir_lsp', 'uopc', 'numpy', 'json', 'sitecustomize']) {
      fs.writeFileSync(path.join(workspace, `${name}.py`), `open(${JSON.stringify(sprung(name))}, "w")\n`)
    }
    fs.mkdirSync(path.join(workspace, '.vscode'))
    for (const [setting, file] of [['interpreter', 'evil-python'], ['compiler', 'evil-cc']]) {
      fs.writeFileSync(path.join(workspace, file), `#!/bin/sh\ntouch "${sprung(setting)}"\n`, { mode: 0o755 })
    }
    const settings = { 'uir.interpreter': path.join(workspace, 'evil-python'), 'uir.compiler': path.join(workspace, 'evil-cc') }
    fs.writeFileSync(path.join(workspace, '.vscode', 'settings.json'), JSON.stringify(settings))
  }
})

describe('without a language server', () => {
  test('a message says so once, with a button; the file is still coloured', async () => {
    const rig = await Rig.start({ machine: { 'uir.interpreter': path.join('/', 'nowhere', 'python') } })
    try {
      const window = await rig.open('row_sum.uir')
      assert.match(await window.untilToast(/interpreter/), /cannot be run/)
      assert.deepEqual(await window.toastButtons(), ['Select Interpreter'])
      const colours = await window.editor().locator('.view-line span span').evaluateAll(all => new Set(all.map(span => span.className)).size)
      assert.ok(colours > 4, `${colours} colours`)
      await window.page.locator('.notifications-toasts .monaco-button', { hasText: 'Select Interpreter' }).click()
      await window.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Browse' }).waitFor()
    } finally {
      await rig.stop()
    }
  })
})
