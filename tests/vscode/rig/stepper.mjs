// VS Code's debugger as a person uses it on a program.

import { nbsp } from './panel.mjs'
import { sleep, until } from './until.mjs'

export class Stepper {
  constructor(window) {
    this.window = window
    this.page = window.page
  }

  /** The loop program beside the file. */
  listing() {
    return this.page.locator('.editor-instance .monaco-editor[data-uri^="debug:"]')
  }

  /** F5 in the file, until it has stopped at the first line and the server's Python was there for it. */
  async begin() {
    await until('the server', () => this.window.lenses(), all => all.some(text => /Run/.test(text)), 40_000)
    await this.window.focus()
    await this.page.keyboard.press('F5')
    await this.listing().first().waitFor({ timeout: 40_000 })
    await until('a line where it stopped', () => this.currentLine(), Boolean, 40_000)
    if ((await this.variables()).length === 0) { // the side bar shows what it showed before
      await this.page.keyboard.press('Control+Shift+d')
      await until('the values', () => this.variables(), all => all.length > 0, 60_000)
      await this.window.focus(this.listing().first())
    }
  }

  /** A key, and the stop that it leads to: another line, or other values. */
  async press(key) {
    const before = await this.moment()
    await this.page.keyboard.press(key)
    await until(`a stop after ${key}`, () => this.moment(), moment => moment !== before && !moment.startsWith('\n'))
    await sleep(100) // the keys are those of a program that stands still only once all of the window knows it
  }

  async moment() {
    return [await this.currentLine(), ...(await this.variables())].join('\n')
  }

  async back() {
    await this.press('Shift+F10')
  }

  async end() {
    await this.page.keyboard.press('Shift+F5')
    await until('the end', () => this.page.locator('.debug-toolbar').isVisible(), shown => !shown)
    await until('the loops closed', () => this.listing().count(), count => count === 0)
    await this.window.command('View: Show Explorer')
  }

  /** The text of the line that is to be executed. */
  async currentLine() {
    return this.listing().first().evaluate(node => {
      const mark = node.querySelector('.view-overlays .debug-top-stack-frame-line, .margin-view-overlays .codicon-debug-stackframe')
      const top = mark?.closest('.view-overlays > div, .margin-view-overlays > div')?.style.top
      const line = [...node.querySelectorAll('.view-lines > .view-line')].find(one => one.style.top === top)
      return (line?.textContent ?? '').replace(/\u00a0/g, ' ').trim()
    }).catch(() => '')
  }

  /** The rows of the call stack, innermost first, without the session's own. */
  async stack() {
    const rows = await this.page.locator('.debug-call-stack .monaco-list-row .stack-frame').allInnerTexts().catch(() => [])
    return rows.map(row => nbsp(row).replace(/\s+/g, ' ').trim())
  }

  /** name = value of each loop counter in the Variables pane. */
  async counters() {
    return (await this.variables()).filter(row => /^\w+ = \d+ +\(0\.\./.test(row))
  }

  async variables() {
    return this.page.locator('.debug-variables .monaco-list-row').evaluateAll(all => all
      .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
      .map(row => {
        const [name, value] = [row.querySelector('.name'), row.querySelector('.value')]
        const text = name && value ? `${name.textContent.replace(/[:=]\s*$/, '').trim()} = ${value.textContent.trim()}` : row.textContent.trim()
        return text.replace(/\u00a0/g, ' ')
      }))
  }

  /** The dialog that VS Code shows when a session cannot begin. */
  async dialog() {
    return nbsp(await this.page.locator('.monaco-dialog-box').innerText({ timeout: 300 }).catch(() => ''))
  }
}
