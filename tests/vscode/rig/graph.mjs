// The graph as a person uses it: its values are found by pointing.

import { until } from './until.mjs'
import { nbsp } from './panel.mjs'

export class Graph {
  constructor(page) {
    this.page = page
    this.frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame')
    this.canvas = this.frame.locator('.sheet canvas')
  }

  /** The values as a screen reader finds them. */
  async values() {
    return (await this.frame.locator('ol li').allTextContents().catch(() => [])).map(nbsp)
  }

  async untilValues(good, timeout = 90_000) {
    return until('the values of the graph', () => this.values(), good, timeout)
  }

  async press(name) {
    await this.frame.getByRole('button', { name, exact: true }).click()
  }

  async key(key) {
    await this.canvas.press(key)
  }

  async spoken() {
    return nbsp((await this.frame.locator('[aria-live]').textContent()) ?? '')
  }

  async message() {
    const place = this.frame.locator('.message')
    return (await place.isVisible()) ? nbsp(await place.innerText()) : ''
  }

  async search(text) {
    await this.frame.locator('input[type=search]').fill(text)
  }

  async count() {
    return nbsp(await this.frame.locator('.count').innerText())
  }

  /** What the tooltip says at a point of the canvas. */
  async tip(x, y) {
    await this.canvas.hover({ position: { x, y }, force: true })
    const tip = this.frame.locator('.tip')
    return (await tip.isVisible()) ? nbsp(await tip.innerText()) : ''
  }

  async middle() {
    const { width, height } = await this.canvas.boundingBox()
    return { x: width / 2, y: height / 2 }
  }

  /** A point of the canvas where the tooltip says something: looked for down the middle. */
  async pointAt(pattern) {
    const { width, height } = await this.canvas.boundingBox()
    for (const part of [0.5, 0.4, 0.6, 0.3, 0.7]) {
      for (let y = 8; y < height; y += 9) {
        if (pattern.test(await this.tip(width * part, y))) return { x: width * part, y }
      }
    }
    throw new Error(`nothing in the graph is ${pattern}`)
  }

  /** Milliseconds that the last frame, and the layout, took; how many frames were drawn, and boxes in the last one. */
  async times() {
    return this.canvas.evaluate(canvas => ({ frame: Number(canvas.dataset.ms), layout: Number(canvas.dataset.layoutMs), count: Number(canvas.dataset.frames), drawn: Number(canvas.dataset.drawn) }))
  }
}
