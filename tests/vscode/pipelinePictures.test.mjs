// Pictures of the pipeline view in every state: see rig/pictures.mjs.

import { Panel } from './rig/panel.mjs'
import { openByName, pictures } from './rig/pictures.mjs'

async function show({ window }, file) {
  await openByName(window, file)
  await window.command('UIR: Show Pipeline')
  const page = new Panel(window.page)
  await page.until(new RegExp(file), 60_000)
  return page
}

/** A stage, lit from a line of the file. */
function stage(title, { program = 'As run', file = 'softmax.uir', line = '%s = reduce' } = {}) {
  return async at => {
    const page = await show(at, file)
    await page.press(program)
    await page.frame.locator('.entry', { has: page.frame.locator('.title', { hasText: new RegExp(`^${title}$`) }) }).click({ timeout: 30_000 })
    await at.window.focus()
    await at.window.goto(await at.window.lineOf(line), 2)
    await at.window.page.waitForTimeout(700)
  }
}

const SMALL = '%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%s = reduce %m : op=add pop=1\n%y = exp2 %s\n'

const SCENES = {
  graph: stage('Graph'),
  textbook: stage('Simplified', { program: 'Textbook' }),
  schedule: stage('Schedule'),
  kernels: stage('Kernels'),
  c: stage('C'),
  assembly: stage('Assembly'),
  attention: stage('Kernels', { file: 'attention.uir', line: '%0 = buffer' }),
  async lastGood(at) {
    const page = await show(at, 'small.uir')
    await page.until(/Simplified|Loads/, 60_000)
    await at.window.focus()
    await at.window.goto(2, 1)
    await at.window.page.keyboard.press('End')
    await at.window.page.keyboard.type(', 7')
    await page.until(/The last good program/)
  },
  async repaired(at) {
    for (let k = 0; k < 3; k++) await at.window.page.keyboard.press('Backspace')
    await at.window.page.waitForTimeout(1_000)
  },
  async broken(at) {
    await show(at, 'broken.uir')
  },
  async empty(at) {
    await show(at, 'nothing.uir')
  },
  async loops(at) {
    await show(at, 'row_sum_loops.uir')
  },
}

pictures('pipeline', { files: { 'small.uir': SMALL, 'nothing.uir': '# nothing is in here yet\n', 'broken.uir': SMALL.replace('(3, 4)', '(5, 4)') }, scenes: SCENES, wide: 1500, narrow: 860 })
