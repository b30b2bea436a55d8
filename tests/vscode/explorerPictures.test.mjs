// Pictures of the index map explorer in every state: see rig/pictures.mjs.

import { Explorer } from './rig/explorer.mjs'
import { openByName, pictures } from './rig/pictures.mjs'
import { until } from './rig/workbench.mjs'

const CHAIN = '%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n%2 = permute %1, (1, 0)\n%3 = shrink %2, ((1, 3), (0, 3))\n'
const MILLION = '%0 = buffer 1048576 : dtype=f32 slot=0\n%x = reshape %0, (1024, 1024)\n%t = permute %x, (1, 0)\n%y = flip %t, (0,)\n'
const CUBE = '%0 = buffer 360 : dtype=f32 slot=0\n%x = reshape %0, (3, 4, 5, 6)\n%p = permute %x, (1, 0, 3, 2)\n%y = pad %p, ((0, 0), (0, 0), (1, 1), (0, 2))\n'

const SPREAD = '%0 = buffer 4 : dtype=f32 slot=0\n%column = reshape %0, (4, 1)\n%wide = expand %column, (4, 6)\n%k = buffer 24 : dtype=f32 slot=1\n%m = reshape %k, (4, 6)\n%y = mul %wide, %m\n'
const STACK = '%0 = buffer 12 : dtype=f32 slot=0\n%1 = buffer 12 : dtype=f32 slot=1\n%a = reshape %0, (3, 4)\n%b = reshape %1, (3, 4)\n%f = flip %a, (1,)\n%s = stack %a, %b, %f\n%y = permute %s, (1, 2, 0)\n'
const GATHER = '%0 = buffer 6 : dtype=f32 slot=0\n%1 = buffer 3 : dtype=i32 slot=1\n%w = reshape %0, (3, 2)\n%i = index %1, 1\n%y = index %w, %i\n'
/** More steps than are handed out at once: the sum of a tree of sums over a buffer each. */
const LARGE = [...Array(200).keys()].map(k => `%b${k} = buffer 8 : dtype=f32 slot=${k}\n`).join('') + '%s0 = add %b0, %b1\n' + [...Array(198).keys()].map(k => `%s${k + 1} = add %s${k}, %b${k + 2}\n`).join('')
/** Each line adds itself shifted by 1, 2, 4, ...: an element goes to twice as many places in each. */
const SHIFTS = '%0 = buffer 512 : dtype=f32 slot=0\n%x0 = reshape %0, (512,)\n' + [...Array(8).keys()].map(k => {
  const by = 2 ** k
  return `%p${k} = pad %x${k}, ((${by}, 0),)\n%q${k} = shrink %p${k}, ((0, 512),)\n%x${k + 1} = add %x${k}, %q${k}\n`
}).join('')
const BROKEN = '%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%y = permute %m, (0, 0)\n'
const NOTHING = '# nothing is in here yet\n'
const NO_ELEMENTS = '%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%y = shrink %m, ((1, 1), (0, 4))\n'

const FILES = {
  'chain.uir': CHAIN, 'million.uir': MILLION, 'cube.uir': CUBE, 'spread.uir': SPREAD, 'stacked.uir': STACK, 'gather.uir': GATHER, 'large.uir': LARGE,
  'shifts.uir': SHIFTS, 'broken.uir': BROKEN, 'nothing.uir': NOTHING, 'hollow.uir': NO_ELEMENTS,
}

async function explore({ window }, file, value) {
  await openByName(window, file)
  await window.focus()
  if (file === 'nothing.uir') await window.command('UIR: Explore Index Maps') // there is no lens
  else await window.clickLens(/Explore/)
  const explorer = new Explorer(window.page)
  await explorer.until(new RegExp(file), 60_000)
  await window.page.waitForTimeout(400)
  if (value) await explorer.frame.locator('.heading select').selectOption(value)
  await window.page.waitForTimeout(400)
  return explorer
}

const SCENES = {
  async start(stage) {
    await explore(stage, 'chain.uir')
  },
  async chain(stage) {
    const explorer = await explore(stage, 'chain.uir')
    await explorer.press('%3', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight')
  },
  async reverse(stage) {
    const explorer = await explore(stage, 'softmax.uir')
    await explorer.press('%0', 'ArrowRight', 'ArrowRight', 'ArrowRight')
  },
  async softmax(stage) {
    const explorer = await explore(stage, 'softmax.uir')
    await explorer.card('%y').getByRole('button', { name: '%r', exact: true }).click()
    await explorer.press('%y', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  },
  async pad(stage) {
    const explorer = await explore(stage, 'pad.uir')
    await explorer.press('%y', 'ArrowDown', 'ArrowRight')
    await explorer.point('%y', [3, 5], [0, 2])
  },
  async padding(stage) {
    const explorer = await explore(stage, 'pad.uir')
    await explorer.press('%y', 'Home', 'ArrowRight', 'ArrowRight')
  },
  async reduce(stage) {
    const explorer = await explore(stage, 'syllabus_gemm.uir')
    await explorer.press('%5', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  },
  async conv(stage) {
    const explorer = await explore(stage, 'conv2d.uir')
    await explorer.press('%out', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  },
  async gemm(stage) {
    const explorer = await explore(stage, 'gemm_256x256.uir')
    await explorer.press('%c', 'ArrowDown', 'PageDown', 'PageDown', 'PageDown')
  },
  async rank4(stage) {
    const explorer = await explore(stage, 'cube.uir')
    await explorer.press('%y', 'Home', 'PageDown', 'PageDown', 'ArrowDown', 'ArrowDown', 'ArrowRight')
  },
  async million(stage) {
    const explorer = await explore(stage, 'million.uir')
    await explorer.press('%y', 'Home', 'Control+Home', 'ArrowDown', 'PageDown', 'PageDown')
  },
  async zoomed(stage) {
    const explorer = await explore(stage, 'million.uir')
    await explorer.press('%y', 'Control+Home', '+', '+', '+', '+', '+', '+')
  },
  async expand(stage) {
    const explorer = await explore(stage, 'spread.uir', '%wide')
    await explorer.press('%wide', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight')
  },
  async expandBack(stage) {
    const explorer = await explore(stage, 'spread.uir', '%y')
    await explorer.press('%0', 'ArrowRight', 'ArrowRight')
  },
  async stack(stage) {
    const explorer = await explore(stage, 'stacked.uir', '%y')
    await explorer.press('%y', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight')
  },
  async gather(stage) {
    const explorer = await explore(stage, 'gather.uir', '%y')
    await explorer.press('%y', 'ArrowRight', 'ArrowRight')
  },
  async incomplete(stage) {
    const explorer = await explore(stage, 'large.uir', '%s198')
    await explorer.press('%s198', 'ArrowRight', 'ArrowRight')
  },
  async manyWays(stage) {
    const explorer = await explore(stage, 'shifts.uir', '%x8')
    await explorer.press('%0', 'ArrowRight', 'ArrowRight')
  },
  async unfolded(stage) {
    const explorer = await explore(stage, 'shifts.uir', '%x8')
    await explorer.frame.locator('.unfold').click({ timeout: 3000 }).catch(() => undefined)
    await explorer.press('%x8', 'Control+End')
  },
  async broken(stage) {
    const explorer = await explore(stage, 'broken.uir')
    await explorer.until(/PERMUTE/, 30_000)
  },
  async lastGood(stage) {
    const explorer = await explore(stage, 'chain.uir', '%3')
    await explorer.press('%3', 'ArrowDown', 'ArrowRight')
    const { window } = stage
    await window.focus()
    await window.goto(4, 19)
    await window.page.keyboard.type('9')
    await explorer.until(/last good maps/)
    await window.page.mouse.move(5, 400)
  },
  async repaired(stage) {
    await stage.window.page.keyboard.press('Backspace')
    const explorer = new Explorer(stage.window.page)
    await until('the maps of now', () => explorer.text(), text => !/last good/.test(text))
  },
  async nothing(stage) {
    await explore(stage, 'nothing.uir')
  },
  async hollow(stage) {
    await explore(stage, 'hollow.uir')
  },
  async loops(stage) {
    await explore(stage, 'row_sum_loops.uir')
  },
}

pictures('explorer', { files: FILES, scenes: SCENES })
