// A window of VS Code as a person uses it. Everything waits for what it reads, by asking again until it is so.

import { nbsp, Panel } from './panel.mjs'
import { sleep, until } from './until.mjs'

export { until }

export class Workbench {
  constructor(page, file) {
    this.page = page
    this.file = file
  }

  async ready() {
    await this.page.waitForSelector('.monaco-workbench .part.statusbar', { timeout: 60_000 })
    await this.editor().first().waitFor({ timeout: 30_000 })
  }

  async close() {
    await this.page.context().close()
  }

  /** Opens another file of the workspace, from the explorer. */
  async show(file) {
    await this.page.keyboard.press('Escape')
    this.file = file
    await this.clickFile(`.explorer-folders-view .monaco-list-row[aria-label^="${file}"]`)
    await this.focus()
  }

  /** A click can fall between two drawings of the list; then it is clicked again. */
  async clickFile(row) {
    for (let attempt = 1; ; attempt++) {
      await this.page.locator(row).first().click()
      try {
        return await this.editor().first().waitFor({ timeout: 6_000 })
      } catch (error) {
        if (attempt === 6) throw error
      }
    }
  }

  /** Closes every editor and the panel; none of them may have unsaved text. */
  async clear() {
    await this.page.keyboard.press('Escape')
    await this.command('View: Close All Editors')
    await until('no editor', () => this.page.locator('.editor-instance .monaco-editor').count(), count => count === 0)
    if (await this.page.locator('.part.panel').isVisible()) await this.command('View: Hide Panel')
    await this.page.locator('.notifications-toasts .codicon-notifications-clear').first().click({ timeout: 100 }).catch(() => undefined)
  }

  editor(file = this.file) {
    return this.page.locator(`.editor-instance .monaco-editor[data-uri^="vscode-remote:"][data-uri$="/${file}"]`)
  }

  /** The C beside the program. */
  generated() {
    return this.page.locator('.editor-instance .monaco-editor[data-uri^="uir-c:"]')
  }

  async focus(editor = this.editor()) {
    await editor.locator('textarea.inputarea, .native-edit-context').first().focus()
  }

  /** The text of the visible lines, top to bottom, inlay hints and end-of-line notes included. */
  async lines(editor = this.editor()) {
    const lines = await editor.first().locator('.view-lines > .view-line').evaluateAll(all =>
      all.map(line => [parseFloat(line.style.top), line.textContent]).sort((a, b) => a[0] - b[0]).map(([, text]) => text))
    return lines.map(nbsp)
  }

  /** The notes after the lines, top to bottom; they are no text of the page. */
  async endings(editor = this.editor()) {
    return editor.first().locator('.view-lines > .view-line').evaluateAll(all => all
      .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
      .flatMap(line => [...line.querySelectorAll('span span')].map(span => getComputedStyle(span, '::after').content))
      .filter(content => content !== 'none' && content !== 'normal')
      .map(content => content.replace(/^"|"$/g, '').replace(/\u00a0/g, ' ')))
  }

  async untilLine(pattern, editor = this.editor(), timeout) {
    const lines = await until(`a line ${pattern}`, () => this.lines(editor), all => all.some(line => pattern.test(line)), timeout)
    return lines.find(line => pattern.test(line))
  }

  /** The number (1-based) of the first line that begins so; the file must fit the window. */
  async lineOf(start, editor = this.editor()) {
    const lines = await until(`a line ${start}`, () => this.lines(editor), all => all.some(line => line.startsWith(start)))
    return lines.findIndex(line => line.startsWith(start)) + 1
  }

  /** Presses a button in an editor's title bar. */
  async pressTitle(label) {
    await this.page.locator(`.editor-actions .action-label[aria-label*="${label}"]`).first().click()
  }

  async squiggles(kind = 'error') {
    return this.editor().locator(`.squiggly-${kind}`).count()
  }

  async lenses() {
    return (await this.editor().locator('.codelens-decoration a').allTextContents()).map(nbsp)
  }

  /** Waits until something is the same twice. */
  async still(read) {
    let before
    await until('no more changes', async () => {
      const now = await read()
      const same = now === before
      before = now
      if (!same) await sleep(300)
      return same
    }, Boolean)
  }

  /** Presses the topmost lens that says so. */
  async clickLens(pattern) {
    await until(`a lens ${pattern}`, () => this.lenses(), all => all.some(text => pattern.test(text)), 60_000) // a server's first start has no bytecode
    const found = this.editor().locator('.codelens-decoration a').filter({ hasText: pattern })
    await this.still(() => found.count()) // lenses are drawn one after another
    const tops = await found.evaluateAll(all => all.map(lens => lens.getBoundingClientRect().top)) // not in the page's order
    await found.nth(tops.indexOf(Math.min(...tops))).click()
  }

  /** Puts the cursor at a line and column (both 1-based). */
  async goto(line, column = 1) {
    await this.page.keyboard.press('Control+g')
    const input = this.page.locator('.quick-input-widget input').first()
    await input.fill(`:${line}:${column}`)
    await input.press('Enter')
    await until(`the cursor on line ${line}`, () => this.cursor(), text => text.includes(`Ln ${line},`))
  }

  async cursor() {
    return (await this.page.locator('#status\\.editor\\.selection').textContent().catch(() => '')) ?? ''
  }

  /** The text of the hover at the cursor. The first try may come before the server is up, so it is asked again. */
  async hover(pattern = /./) {
    for (let attempt = 0; attempt < 6; attempt++) {
      await this.page.keyboard.press('Control+k')
      await this.page.keyboard.press('Control+i')
      try {
        return await until('a hover', async () => nbsp((await this.hoverRows().allInnerTexts()).join('\n')), text => pattern.test(text), 2_500)
      } catch (error) {
        if (attempt === 5) throw error
        await this.page.keyboard.press('Escape')
      }
    }
  }

  /** The text of the hover under the mouse, on a squiggle. Lines may still be moving, so the place is looked up again. */
  async hoverSquiggle(kind, pattern) {
    const squiggle = this.editor().locator(`.squiggly-${kind}`).first()
    return until(`a hover ${pattern}`, async () => {
      const { x, y } = await squiggle.boundingBox()
      await this.page.mouse.move(x + 1, y - 100)
      await this.page.mouse.move(x + 6, y + 8, { steps: 5 })
      await sleep(900)
      return nbsp((await this.hoverRows().allInnerTexts()).join('\n'))
    }, text => pattern.test(text))
  }

  hoverRows() {
    return this.page.locator('.monaco-resizable-hover .monaco-hover:not(.hidden) .hover-row:not(.loading)')
  }

  async command(title) {
    const input = this.page.locator('.quick-input-widget input').first()
    await until('the command palette', async () => { // a web view may take the key, or the focus, once
      if (!(await input.isVisible())) await this.page.keyboard.press('F1')
      await sleep(150)
      return input.isVisible()
    })
    await input.fill(`>${title}`)
    const row = this.page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: title }).first()
    await row.waitFor()
    await row.click()
  }

  /** What the Problems panel says, one text a row. */
  async problems() {
    await this.page.keyboard.press('Control+Shift+m')
    const rows = this.page.locator('.markers-panel .monaco-list-row')
    return until('problems', () => rows.evaluateAll(all => all.map(row => row.getAttribute('aria-label') ?? '')), all => all.length > 0)
  }

  async toasts() {
    return (await this.page.locator('.notifications-toasts .notification-list-item-message').allTextContents()).map(nbsp)
  }

  async untilToast(pattern, timeout) {
    const texts = await until(`a message ${pattern}`, () => this.toasts(), all => all.some(text => pattern.test(text)), timeout)
    return texts.find(text => pattern.test(text))
  }

  async toastButtons() {
    return this.page.locator('.notifications-toasts .notification-list-item-buttons-container .monaco-button').allTextContents()
  }

  /** The result panel's text. */
  async results() {
    return new Panel(this.page).text()
  }

  async statusBar() {
    return nbsp(await this.page.locator('.part.statusbar').innerText())
  }

  /** Lines (1-based) that are lit in an editor, of those that are visible. */
  async lit(editor) {
    return (await this.litLines(editor)).map(([number]) => number)
  }

  /** The text of the lines that are lit. */
  async litText(editor) {
    return (await this.litLines(editor)).map(([, text]) => nbsp(text))
  }

  async litLines(editor) {
    return editor.first().evaluate(node => {
      const at = selector => new Map([...node.querySelectorAll(selector)].map(row => [row.style.top, row]))
      const [numbers, texts] = [at('.margin-view-overlays > div'), at('.view-lines > .view-line')]
      const rows = [...at('.view-overlays > div')]
        .filter(([, row]) => [...row.children].some(mark => /ced-\S*TextEditorDecorationType/.test(mark.className)))
        .map(([top]) => [Number(numbers.get(top)?.querySelector('.line-numbers')?.textContent), texts.get(top)?.textContent ?? ''])
      return rows.sort((a, b) => a[0] - b[0])
    })
  }

  async screenshot(file) {
    await this.page.screenshot({ path: file })
  }
}
