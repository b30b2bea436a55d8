// Pictures of the pipeline view for people to look at: out/screenshots/pipeline-*.png. UIR_THEMES=all makes all of them.

import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../scripts/vscode_server.mjs'
import { Panel } from './rig/panel.mjs'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const OUT = path.join(ROOT, 'out', 'screenshots')
const WIDE = { width: 1500, height: 860 }
const THEMES = {
  light: ['Default Light Modern', WIDE],
  dark: ['Default Dark Modern', WIDE],
  contrast: ['Default High Contrast', WIDE],
  narrow: ['Default Light Modern', { width: 860, height: 860 }],
}
const wanted = process.env.UIR_THEMES === 'all' ? Object.keys(THEMES) : (process.env.UIR_THEMES ?? 'light').split(',')

for (const theme of wanted) {
  test(`the pipeline, ${theme}`, async () => {
    fs.mkdirSync(OUT, { recursive: true })
    const [label, size] = THEMES[theme]
    const rig = await Rig.start({ settings: { 'workbench.colorTheme': label, 'window.commandCenter': false } })
    try {
      const window = await rig.open('softmax.uir', { size })
      await until('lenses', () => window.lenses(), all => all.length > 1)
      await window.command('View: Toggle Primary Side Bar Visibility')
      await window.command('UIR: Show Pipeline')
      const page = new Panel(window.page)
      await page.until(/Simplified[^]*store/, 60_000)
      await window.focus()
      await window.goto(await window.lineOf('%s = reduce'), 2)
      for (const title of ['Simplified', 'Schedule', 'Kernels', 'C']) {
        if (title === 'Schedule') await page.press('As run')
        await page.frame.locator('.entry', { has: page.frame.locator('.title', { hasText: new RegExp(`^${title}$`) }) }).click()
        await window.page.waitForTimeout(900)
        await window.screenshot(path.join(OUT, `pipeline-${title.toLowerCase()}-${theme}.png`))
      }
    } finally {
      await rig.stop()
    }
  })
}
