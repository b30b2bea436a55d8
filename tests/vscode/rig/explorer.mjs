// The index map explorer as a person uses it.

import { nbsp } from './panel.mjs'
import { until } from './until.mjs'

const CELL = { width: 26, height: 24 } // of a grid that fits, with short numbers

export class Explorer {
  constructor(page) {
    this.page = page
    this.frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame')
  }

  async text() {
    return nbsp(await this.frame.locator('body').innerText({ timeout: 500 }).catch(() => ''))
  }

  async until(pattern, timeout) {
    return until(`the explorer to say ${pattern}`, () => this.text(), text => pattern.test(text), timeout)
  }

  /** The names of the values on the way, from the left. */
  async way() {
    return this.frame.locator('.card').evaluateAll(all => all.map(card => card.dataset.name))
  }

  async untilWay(...names) {
    return until(`the way ${names}`, () => this.way().catch(() => []), way => way.join() === names.join())
  }

  card(name) {
    return this.frame.locator(`.card[data-name="${name}"]`)
  }

  grid(name) {
    return this.card(name).locator('canvas.grid')
  }

  /** Where an element is in the grid of a value of this shape. */
  async place(name, shape, index) {
    const { width, height } = await this.grid(name).evaluate(canvas => ({ width: canvas.clientWidth, height: canvas.clientHeight }))
    const [rows, columns, row, column] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1, index.at(-2) ?? 0, index.at(-1) ?? 0]
    return { x: width - 1 - (columns - column - 0.5) * CELL.width, y: height - 1 - (rows - row - 0.5) * CELL.height }
  }

  /** The page draws its cards anew when the map of another value comes. */
  async still() {
    await this.page.waitForTimeout(500)
  }

  async point(name, shape, index) {
    await this.still()
    await this.grid(name).hover({ position: await this.place(name, shape, index) })
  }

  async click(name, shape, index) {
    await this.grid(name).click({ position: await this.place(name, shape, index) })
  }

  async press(name, ...keys) {
    await this.still()
    await this.grid(name).focus()
    for (const key of keys) await this.page.keyboard.press(key, { delay: 40 })
  }

  /** The line that says where the element comes from. */
  async from() {
    return nbsp(await this.frame.locator('#from').innerText())
  }

  async untilFrom(text, timeout) {
    return until(`the line ${text}`, () => this.from().catch(() => ''), found => (typeof text === 'string' ? found === text : text.test(found)), timeout)
  }

  async to() {
    return nbsp(await this.frame.locator('#to').innerText())
  }

  async filled(name) {
    return nbsp(await this.card(name).locator('.filled').innerText())
  }

  async note(name) {
    return nbsp((await this.card(name).locator('.note').first().innerText()))
  }

  /** The colour in the middle of an element. */
  async pixel(name, shape, index) {
    const { x, y } = await this.place(name, shape, index)
    return this.grid(name).evaluate((canvas, [x, y]) =>
      [...canvas.getContext('2d').getImageData(Math.round((x - 9) * devicePixelRatio), Math.round(y * devicePixelRatio), 1, 1).data], [x, y])
  }
}
