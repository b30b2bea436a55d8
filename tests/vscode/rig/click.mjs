// A click on a lens, timed from the release of the mouse button to the frame that shows what came of it.

import { Panel } from './panel.mjs'
import { sleep, until } from './until.mjs'

const LOOK_AWAY = 1_500 // longer than a run takes

/** Presses the mouse on a lens; the time of its release is noted in the page. */
export async function clickLens(page, editor, text) {
  await page.evaluate(() => {
    document.addEventListener('mouseup', () => { globalThis.uirClick = performance.timeOrigin + performance.now() }, true)
  })
  const lens = editor.locator('.codelens-decoration a').filter({ hasText: text }).first()
  await lens.hover()
  const { x, y, width, height } = await lens.boundingBox()
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.up()
}

/** Notes in the panel when a run was told and when its values and its verdict were first on the screen. */
export function watchPanel() {
  // The page is written after this script began, which takes listeners away, and gets its interface before its own script.
  Object.defineProperty(globalThis, 'acquireVsCodeApi', { configurable: true, set: api => {
    Object.defineProperty(globalThis, 'acquireVsCodeApi', { value: api })
    begin()
  } })
  function begin() {
    const runs = (globalThis.uirRuns = [])
    const now = () => performance.timeOrigin + performance.now()
    let last = 0
    const seen = () => {
      const run = runs.at(-1)
      const cell = document.querySelector('.table .row .cell')?.textContent ?? ''
      if (!run || run.seen || document.body.classList.contains('waiting') || !/\d/.test(cell)) return
      if (!/verified/.test(document.querySelector('.outcome .fact')?.textContent ?? '')) return
      run.seen = -1
      requestAnimationFrame(() => setTimeout(() => { run.seen = now() }))
    }
    const told = state => {
      if (!state?.run || state.running || state.run.time === last) return
      last = state.run.time
      runs.push({ told: now(), ...state.run })
    }
    window.addEventListener('message', ({ data }) => {
      if (data?.type === 'values' && runs.length) runs.at(-1).values ??= now()
      if (data?.type !== 'state') return
      if (data.state.running) document.querySelectorAll('.table .cell').forEach(cell => { cell.textContent = '' })
      told(data.state)
      seen()
    })
    new MutationObserver(seen).observe(document, { subtree: true, childList: true, characterData: true })
  }
}

/** The run number `count` (from 0) since the panel came: when it was told and seen, with the click before it. */
export async function measured(window, count) {
  await sleep(LOOK_AWAY) // to ask now would take time from what is measured
  const panel = new Panel(window.page)
  const runs = () => panel.body.evaluate(() => globalThis.uirRuns ?? []).catch(() => [])
  const [run] = await until('a run', async () => (await runs()).slice(count), ([one]) => one?.seen > 0, 60_000)
  return { ...run, click: await window.page.evaluate(() => globalThis.uirClick) }
}
