// The text of a stage: only the lines that are seen are in the page, however long it is.

import { h } from '../panel/dom'
import { tokens } from './highlight'
import { StageText } from './messages'
import { Row } from './rows'

const HEIGHT = 19 // pixels of a line; as in pipeline.css
const SPARE = 20 // lines above and below that are made, too

export class Listing {
  private readonly space = h('div', { class: 'space', role: 'presentation' })
  readonly element = h('div', { class: 'listing', tabindex: 0, role: 'document', 'aria-label': 'The program after this stage' }, this.space)
  private rows: Row[] = []
  private text: StageText | undefined
  private lit = -1
  private frame = 0

  constructor(private readonly goto: (line: number) => void) {
    this.element.addEventListener('scroll', () => this.later())
    new ResizeObserver(() => this.later()).observe(this.element)
    this.element.addEventListener('click', event => this.clicked(event))
  }

  show(text: StageText, rows: Row[], keep: boolean): void {
    this.text = text
    this.rows = rows
    const longest = rows.reduce((most, row) => Math.max(most, row.text.length), 0)
    this.space.style.height = `${rows.length * HEIGHT}px`
    this.space.style.minWidth = `${longest + 6}ch`
    if (!keep) this.element.scrollTo(0, 0)
    this.draw()
  }

  /** Lights the lines that belong to a line of the file, and shows the first of them. */
  light(line: number): void {
    this.lit = line
    const first = this.rows.findIndex(row => this.belongs(row))
    const seen = this.element.scrollTop / HEIGHT
    const fit = this.element.clientHeight / HEIGHT
    if (first >= 0 && (first < seen || first > seen + fit - 2)) this.element.scrollTo(0, Math.max(0, first - fit / 3) * HEIGHT)
    this.draw()
  }

  private belongs(row: Row): boolean {
    return row.line >= 0 && (this.text?.map[row.line] ?? []).some(({ line }) => line === this.lit)
  }

  private clicked(event: MouseEvent): void {
    const row = this.rows[Number((event.target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row ?? -1)]
    const origin = row && row.line >= 0 ? this.text?.map[row.line]?.at(-1) : undefined
    if (origin && !getSelection()?.toString()) this.goto(origin.line)
  }

  private later(): void {
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.draw())
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.element.scrollTop / HEIGHT) - SPARE)
    const last = Math.min(this.rows.length, Math.ceil((this.element.scrollTop + this.element.clientHeight) / HEIGHT) + SPARE)
    this.space.replaceChildren(...this.rows.slice(first, last).map((row, k) => this.line(row, first + k)))
  }

  private line(row: Row, at: number): HTMLElement {
    const names = [...new Set((row.line >= 0 ? (this.text?.map[row.line] ?? []) : []).map(({ name }) => name))]
    const kind = row.mark === '+' ? ' came' : row.mark === '-' ? ' went' : ''
    const parts = tokens(row.text, this.text?.language ?? '').map(({ text, kind }) => (kind ? h('span', { class: kind }, text) : text))
    const line = h('div', {
      class: `line${kind}${this.belongs(row) ? ' lit' : ''}${names.length > 0 ? ' known' : ''}`,
      'data-row': at,
      title: names.length > 0 ? `from ${names.slice(0, 8).join(', ')}` : undefined,
    }, h('span', { class: 'mark' }, row.mark), ...parts)
    line.style.top = `${at * HEIGHT}px` // the page's policy allows no style in an attribute
    return line
  }
}
