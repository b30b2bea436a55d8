// The walkthrough page in Get Started, followed as a person would.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { ROOT } from '../../scripts/vscode_server.mjs'
import { Panel } from './rig/panel.mjs'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const START_MS = 90_000
const SHOTS = process.env.UIR_SHOTS

const about = JSON.parse(fs.readFileSync(path.join(ROOT, 'vscode-extension', 'package.json'), 'utf8')).contributes
const texts = ['README.md', 'vscode-extension/README.md', 'docs/editors.md', 'docs/language.md'].map(file => fs.readFileSync(path.join(ROOT, file), 'utf8')).join('\n')

describe('what package.json says', () => {
  test('every setting has a description that is a sentence, and a place in the documents', () => {
    for (const [name, setting] of Object.entries(about.configuration.properties)) {
      const description = setting.markdownDescription ?? setting.description ?? ''
      assert.match(description, /^\p{Lu}.{19,}[.)]$/su, `${name}: ${description}`)
      assert.ok(texts.includes(name), `${name} is in no document`)
      if (setting.enum) assert.equal(setting.enumDescriptions?.length, setting.enum.length, `${name}: a description for each choice`)
      if (setting.items?.enum) assert.equal(setting.items.enumDescriptions?.length, setting.items.enum.length, `${name}: a description for each choice`)
    }
  })

  test('every command of the palette has a title in capitals, a category, and a place in the documents', () => {
    const hidden = new Set(about.menus.commandPalette.filter(({ when }) => when === 'false').map(({ command }) => command))
    for (const { command, title, category } of about.commands) {
      assert.match(title, /^\p{Lu}\p{Ll}/u, command)
      assert.equal(category, 'UIR', command)
      if (!hidden.has(command)) assert.ok(texts.includes(`*${title}*`) || texts.includes(`*UIR: ${title}*`), `${title} is in no document`)
    }
  })

  test('every page and command of the walkthrough is there', () => {
    const commands = new Set(about.commands.map(({ command }) => command))
    for (const { description, media } of about.walkthroughs[0].steps) {
      assert.ok(fs.existsSync(path.join(ROOT, 'vscode-extension', media.markdown)), media.markdown)
      for (const [, command] of description.matchAll(/\(command:([\w.]+)\)/g)) assert.ok(commands.has(command), command)
    }
  })
})

describe('the walkthrough', () => {
  test('leads from nothing to a result', async () => {
    const rig = await Rig.start()
    try {
      const window = await rig.open('row_sum.uir')
      await window.untilLine(/f32\[3\]/, undefined, START_MS)
      await window.clear()
      await page(window)
      await window.page.locator('.gettingStartedContainer .monaco-button', { hasText: 'Open an Example' }).first().click()
      await window.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: 'view_chain.uir' }).first().click()
      const program = window.page.locator('.editor-instance .monaco-editor[data-uri^="untitled:"]')
      await window.untilLine(/%w = shrink.*f32\[2, 3\]/, program, START_MS)
      await window.page.locator('.codelens-decoration a', { hasText: 'generated C' }).first().click()
      await window.untilLine(/void |int /, window.generated(), START_MS)
      await window.page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click()
      await new Panel(window.page).until(/verified/, START_MS)
      if (SHOTS) await window.screenshot(path.join(SHOTS, 'tour-run.png'))
      await window.close()
    } finally {
      await rig.stop()
    }
  })

  async function page(window) {
    const row = window.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: 'Get Started with UIR' }).first()
    await until('the walkthrough in the list', async () => { // VS Code reads those of extensions some seconds after it is first asked
      await window.page.keyboard.press('Escape')
      await window.command('Welcome: Open Walkthrough')
      return row.isVisible({ timeout: 500 }).catch(() => false)
    }, Boolean, START_MS)
    await row.click()
    const steps = window.page.locator('.getting-started-step, .getting-started-category .step-title, .step-title')
    const titles = await until('the steps', () => steps.allTextContents(), all => all.join().includes('See the C'))
    for (const { title } of about.walkthroughs[0].steps) assert.ok(titles.some(text => text.includes(title)), title)
    if (SHOTS) await window.screenshot(path.join(SHOTS, 'walkthrough.png'))
  }
})
