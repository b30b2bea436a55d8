// Pictures of the editor, light and dark, for people to look at: out/screenshots/. With UIR_PICTURE=file the
// README's picture is written there.

import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../scripts/vscode_server.mjs'
import { Panel } from './rig/panel.mjs'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const OUT = path.join(ROOT, 'out', 'screenshots')
const THEMES = { light: 'Default Light Modern', dark: 'Default Dark Modern' }
const SIZE = { width: 1360, height: 820 }

for (const [name, theme] of Object.entries(THEMES)) {
  test(`pictures, ${name}`, async () => {
    fs.mkdirSync(OUT, { recursive: true })
    const rig = await Rig.start({ settings: { 'workbench.colorTheme': theme, 'window.commandCenter': false, 'window.title': '${activeEditorShort}', 'editor.hover.above': false } })
    try {
      for (const [scene, draw] of Object.entries(SCENES)) {
        const window = await draw(rig)
        await window.screenshot(path.join(OUT, `${scene}-${name}.png`))
        await window.close()
      }
      if (name === 'light' && process.env.UIR_PICTURE) {
        const window = await SCENES.overview(rig, { scale: 2 })
        await window.screenshot(path.resolve(ROOT, process.env.UIR_PICTURE))
      }
    } finally {
      await rig.stop()
    }
  })
}

const SCENES = {
  /** The program with its values, its C beside it with the linked lines, its result below that, and a hover that explains. */
  async overview(rig, { scale = 1 } = {}) {
    const window = await rig.open('softmax.uir', { size: { width: 1560, height: 860 }, scale })
    await window.untilLine(/%y = mul.*f32\[3, 4\]/)
    await window.command('View: Toggle Primary Side Bar Visibility')
    await window.clickLens(/generated C/)
    await window.untilLine(/void |int /, window.generated())
    const source = window.editor()
    await window.clickLens(/Run/)
    const panel = new Panel(window.page)
    await panel.until(/✓ as expected/)
    await panel.untilCells(rows => rows.length === 3)
    await until('the values', () => window.endings(), all => all.length > 5)
    await window.focus(source)
    await source.hover()
    await window.page.mouse.wheel(0, -200) // the top line whole
    await window.page.mouse.move(5, 5)
    await window.goto(await window.lineOf('%y = mul', source), 2)
    await until('lit lines', () => window.lit(window.generated()), all => all.length > 0)
    const { x, y, width } = await source.boundingBox()
    await window.page.mouse.move(x + width, y + 300) // the border of the columns, so that the hover covers nothing
    await window.page.mouse.down()
    await window.page.mouse.move(x + width + 80, y + 300, { steps: 5 })
    await window.page.mouse.up()
    await window.page.mouse.move(5, 5)
    await window.focus(source)
    await window.hover(/%y\[i, j\]/)
    return window
  },

  /** Hover on a value. */
  async hover(rig) {
    const window = await rig.open('view_chain.uir', { size: SIZE })
    await window.untilLine(/%y = mul.*f32\[2, 3\]/)
    await window.focus()
    await window.goto(await window.lineOf('%w ='), 2)
    await window.hover(/%w/)
    return window
  },

  /** An error: squiggle, hover and the Problems panel. */
  async error(rig) {
    const text = '# What is wrong here?\n%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%y = reshape %m, (5, 2)\n%z = mul %y, %y\n'
    const window = await rig.open(rig.write('broken.uir', text), { size: SIZE })
    await until('a squiggle', () => window.squiggles())
    await window.problems()
    await window.focus()
    await window.goto(4, 19)
    await window.hover(/RESHAPE/)
    return window
  },

  /** The warning that teaches. */
  async warning(rig) {
    const window = await rig.open('syllabus_gemm.uir', { size: SIZE })
    await until('a warning', () => window.squiggles('warning'))
    await window.hoverSquiggle('warning', /contraction/)
    return window
  },
}
