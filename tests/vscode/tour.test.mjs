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
  test('Get Started shows it, and its buttons lead from nothing to a result; what was done is ticked', async () => {
    const rig = await Rig.start()
    try {
      const window = await rig.open('row_sum.uir', { size: { width: 1500, height: 860 } })
      await window.untilLine(/f32\[3\]/, undefined, START_MS)
      await window.command('View: Close All Editors')
      await window.command('View: Toggle Primary Side Bar Visibility')
      await step(window, 'example')
      if (SHOTS) await window.screenshot(path.join(SHOTS, 'walkthrough.png'))
      assert.deepEqual(await ticked(window), [])
      await press(window, 'Open an Example')
      await window.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: 'view_chain.uir' }).first().click()
      const program = window.page.locator('.editor-instance .monaco-editor[data-uri^="untitled:"]')
      await window.untilLine(/%w = shrink.*f32\[2, 3\]/, program, START_MS)

      await step(window, 'hover')
      await press(window, 'Show Me')
      await until('the hover', async () => (await window.hoverRows().allInnerTexts()).join(), text => /%w\[i, j\] = %t\[i \+ 1, j\]/.test(text.replace(/\u00a0/g, ' ')), START_MS)
      await window.page.keyboard.press('Escape')

      await step(window, 'c')
      await press(window, 'Show Generated C')
      await window.untilLine(/void |int /, window.generated(), START_MS)
      await step(window, 'run')
      await press(window, 'Run')
      await new Panel(window.page).until(/verified/, START_MS)
      if (SHOTS) await window.screenshot(path.join(SHOTS, 'tour-run.png'))
      await step(window, 'run')
      await until('every step ticked', () => ticked(window), all => all.join() === 'example,hover,c,run')
      if (SHOTS) await window.screenshot(path.join(SHOTS, 'walkthrough-done.png'))
      await window.close()
    } finally {
      await rig.stop()
    }
  })

  const PAGE = '.gettingStartedContainer .getting-started-step'

  /** Opens a step of the page. */
  async function step(window, name) {
    await window.command('UIR: Get Started')
    const found = window.page.locator(`${PAGE}[data-step-id$="#${name}"]`)
    await found.waitFor({ timeout: START_MS })
    await window.still(() => found.getAttribute('aria-expanded')) // the first time, the page settles
    if ((await found.getAttribute('aria-expanded')) !== 'true') await found.locator('.step-title').click()
    await until(`step ${name}`, () => found.getAttribute('aria-expanded'), is => is === 'true')
  }

  async function press(window, name) {
    await window.page.locator(`${PAGE}[aria-expanded="true"] .monaco-button`, { hasText: name }).click()
  }

  async function ticked(window) {
    return window.page.locator(`${PAGE}[aria-checked="true"]`).evaluateAll(all => all.map(one => one.dataset.stepId.split('#').at(-1)))
  }
})
