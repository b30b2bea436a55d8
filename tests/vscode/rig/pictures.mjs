// Pictures of the editor in every theme, for people to look at: out/screenshots/NAME-SCENE-THEME.png. UIR_THEMES (all, or
// light when nothing is said) and UIR_SCENES choose some, by names with commas between; scenes follow one another in one window.

import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../../scripts/vscode_server.mjs'
import { Rig } from './rig.mjs'
import { until } from './workbench.mjs'

const OUT = path.join(ROOT, 'out', 'screenshots')
const HEIGHT = 820

const chosen = (all, names) => Object.entries(all).filter(([name]) => !names || names.split(',').includes(name))

function themes(wide, narrow) {
  const large = { width: wide, height: HEIGHT }
  return {
    light: ['Default Light Modern', large],
    dark: ['Default Dark Modern', large],
    contrast: ['Default High Contrast', large],
    contrastLight: ['Default High Contrast Light', large],
    narrow: ['Default Light Modern', { width: narrow, height: HEIGHT }],
  }
}

/** One test a theme. `files`: text by name; `scenes`: how each is made, of {window, rig}. */
export function pictures(name, { files = {}, scenes, first = 'softmax.uir', wide = 1360, narrow = 720, settings = {} }) {
  const wanted = process.env.UIR_THEMES === 'all' ? undefined : (process.env.UIR_THEMES ?? 'light')
  for (const [theme, [label, size]] of chosen(themes(wide, narrow), wanted)) {
    test(`${name}, ${theme}`, async () => {
      fs.mkdirSync(OUT, { recursive: true })
      const rig = await Rig.start({ settings: { 'workbench.colorTheme': label, 'window.commandCenter': false, ...settings } })
      try {
        for (const [file, text] of Object.entries(files)) rig.write(file, typeof text === 'function' ? text() : text)
        const window = await rig.open(first, { size })
        await until('lenses', () => window.lenses(), all => all.length > 1, 90_000)
        await window.command('View: Toggle Primary Side Bar Visibility')
        for (const [scene, draw] of chosen(scenes, process.env.UIR_SCENES)) {
          await draw({ window, rig })
          await window.page.waitForTimeout(500)
          await window.screenshot(path.join(OUT, `${name}-${scene}-${theme}.png`))
        }
      } finally {
        await rig.stop()
      }
    })
  }
}

/** Opens a file of the workspace by its name, without the explorer. The list may change under the click: then once more. */
export async function openByName(window, file) {
  const { page } = window
  const input = page.locator('.quick-input-widget input').first()
  window.file = file
  for (let attempt = 1; ; attempt++) {
    await page.keyboard.press('Escape')
    await until('the file list', async () => {
      await page.keyboard.press('Control+p')
      return input.isVisible()
    })
    await input.fill(file)
    await page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: file }).first().click()
    try {
      await window.editor().first().waitFor({ timeout: 6_000 })
      return await window.focus()
    } catch (error) {
      if (attempt === 4) throw error
    }
  }
}
