// The result panel as a person uses it.

import { until } from './until.mjs'

export const nbsp = text => text.replace(/\u00a0/g, ' ')

export class Panel {
  constructor(page) {
    this.page = page
    this.frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame')
  }

  get body() {
    return this.frame.locator('body')
  }

  async text() {
    return nbsp(await this.body.innerText({ timeout: 500 }).catch(() => ''))
  }

  async until(pattern, timeout = 60_000) {
    return until(`the panel to say ${pattern}`, () => this.text(), text => pattern.test(text), timeout)
  }

  async press(name) {
    await this.frame.getByRole('button', { name, exact: true }).first().click()
  }

  async tab(name) {
    await this.frame.getByRole('tab', { name }).click()
  }

  /** The cells that are seen, row by row. */
  async cells() {
    return this.frame.locator('.table .row').evaluateAll(rows => rows.map(row => [...row.querySelectorAll('.cell')].map(cell => cell.textContent)))
  }

  async untilCells(good, timeout) {
    return until('the cells', () => this.cells().catch(() => []), good, timeout)
  }

  async readout() {
    return this.frame.locator('.readout').innerText()
  }

  /** Moves the slice of a leading axis. */
  async slide(axis, index) {
    const input = this.frame.locator(`input[type=number][data-axis="${axis}"]`)
    await input.fill(String(index))
    await input.press('Tab')
  }

  /** The colour in the middle of a cell of the heat map, from the canvas itself. */
  async pixel(x, y) {
    return this.frame.locator('.stage canvas').evaluate((canvas, [x, y]) => {
      const ratio = devicePixelRatio
      return [...canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data]
    }, [x, y])
  }
}
