// The elements as a table, of which only the cells that are seen exist.

import { h, onTheme, roomBelow } from './dom'
import { cell, exact, indexText } from './format'
import { length, moved, scrollTo, visible, wrap } from './grid'
import { fullIndex, placeOf, planeOf, Range } from './slicing'
import { Scalar, Values } from './values'
import { Subject, View } from './view'

const ROW = 22
const COLUMN = 88
const BAR = 14 // pixels of a scroll bar
const BLOCK = 64 // rows and columns are fetched in multiples of it

interface Cell {
  element: HTMLElement
  r: number
  c: number
}
type Lookup = (row: number, column: number) => Scalar | undefined

export class TableView implements View {
  private readonly layer = h('div', { class: 'layer' })
  private readonly sizer = h('div', { class: 'sizer', role: 'presentation' }, this.layer)
  readonly element = h('div', { class: 'table', role: 'grid', tabindex: 0, onscroll: () => this.later(), onkeydown: (e: KeyboardEvent) => this.key(e) }, this.sizer)
  private rows = 0
  private columns = 0
  private head = 40 // pixels of the row labels
  private active: [number, number] | undefined
  private leading: readonly number[]
  private lookup: { key: string; find: Lookup } | undefined
  private wanted = ''
  private frame = 0
  private arranged = '' // the sizes that it is arranged for
  private drawn: { place: string; cells: Cell[] } | undefined
  private readonly rearrange = () => this.arranged !== this.sizes && this.arrange()
  private readonly resized = new ResizeObserver(this.rearrange)
  private readonly forget = onTheme(() => this.later())

  constructor(private readonly subject: Subject) {
    this.leading = subject.leading
    this.element.setAttribute('aria-label', `Values of ${subject.name}`)
    this.element.addEventListener('focus', () => this.select(...(this.active ?? [0, 0])))
  }

  start(): void {
    if (this.element.parentElement) this.resized.observe(this.element.parentElement)
    window.addEventListener('resize', this.rearrange)
    this.arrange()
    this.draw()
  }

  move(leading: readonly number[]): void {
    this.leading = leading
    this.lookup = undefined
    this.wanted = ''
    this.later()
    if (this.active) this.tell()
  }

  renew(): void {
    this.wanted = '' // what is seen stays until the new values are here
    this.draw()
  }

  reveal(index: readonly number[]): void {
    const { row, column } = placeOf(index)
    this.select(...(this.isVector ? ([Math.floor(column / this.columns), column % this.columns] as const) : ([row, column] as const)))
    this.element.focus({ preventScroll: true })
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
    this.resized.disconnect()
    window.removeEventListener('resize', this.rearrange)
    this.forget()
  }

  private get isVector(): boolean {
    return this.subject.source.shape.length < 2
  }

  private get sizes(): string {
    return `${this.element.parentElement?.clientWidth}x${innerHeight}`
  }

  private arrange(): void {
    this.arranged = this.sizes
    const { rows, columns } = planeOf(this.subject.source.shape)
    const wide = ((this.element.parentElement?.clientWidth ?? 0) - 64 - BAR) / COLUMN
    const laid = this.isVector ? wrap(columns, wide) : { rows, columns }
    if (laid.columns !== this.columns) this.lookup = undefined
    this.rows = laid.rows
    this.columns = laid.columns
    this.head = 18 + 8 * this.rowLabel(Math.max(0, this.rows - 1)).length
    this.sizer.style.height = `${length(this.rows, ROW) + ROW}px`
    this.sizer.style.width = `${length(this.columns, COLUMN) + this.head}px`
    const tall = length(this.rows, ROW) + ROW + 2
    const height = Math.min(tall + BAR, Math.max(180, roomBelow(this.element, 180) - 50))
    const needs = length(this.columns, COLUMN) + this.head + 2 + (tall > height ? BAR : 0)
    const across = needs > (this.element.parentElement?.clientWidth ?? 0)
    this.element.style.width = across ? '100%' : `${needs}px`
    this.element.style.height = `${Math.min(height, across ? tall + BAR : tall)}px`
    this.element.setAttribute('aria-rowcount', String(this.rows))
    this.element.setAttribute('aria-colcount', String(this.columns))
    this.later()
  }

  private rowLabel(row: number): string {
    return String(this.isVector ? row * this.columns : row)
  }

  private columnLabel(column: number): string {
    return this.isVector ? (this.rows > 1 ? `+${column}` : String(column)) : String(column)
  }

  private later(): void {
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.draw())
  }

  private draw(): void {
    cancelAnimationFrame(this.frame)
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.element
    const down = visible(this.rows, ROW, scrollTop, clientHeight - ROW)
    const across = visible(this.columns, COLUMN, scrollLeft, clientWidth - this.head)
    this.layer.style.width = `${clientWidth}px`
    this.layer.style.height = `${clientHeight}px`
    this.load(down.first, down.end, across.first, across.end)
    const top = ROW + down.offset - scrollTop
    const left = this.head + across.offset - scrollLeft
    const place = [down.first, down.end, top, across.first, across.end, left, this.rows, this.columns, this.head].join()
    if (this.drawn?.place === place) return this.drawn.cells.forEach(one => this.renewCell(one))
    const cells: Cell[] = []
    const rows: HTMLElement[] = []
    for (let r = down.first; r < down.end; r++) rows.push(this.row(r, top + (r - down.first) * ROW, across.first, across.end, left, cells))
    this.layer.replaceChildren(h('div', { class: 'cells', role: 'rowgroup' }, ...rows), ...this.heads(across.first, across.end, left), this.corner())
    this.drawn = { place, cells }
  }

  /** The same cell with what it has to say now. */
  private renewCell({ element, r, c }: Cell): void {
    const [text, name, id] = [this.text(r, c), this.classOf(r, c), this.isActive(r, c) ? 'active-cell' : '']
    if (element.textContent !== text) element.textContent = text
    if (element.className !== name) element.className = name
    if (element.id !== id) element.id = id
  }

  private row(r: number, top: number, first: number, end: number, left: number, cells: Cell[]): HTMLElement {
    const row = h('div', { class: r % 2 ? 'row odd' : 'row', role: 'row', 'aria-rowindex': r + 1 })
    row.style.top = `${top}px`
    const label = h('div', { class: 'label', role: 'rowheader' }, this.rowLabel(r))
    label.style.width = `${this.head}px`
    for (let c = first; c < end; c++) {
      if (this.isOutside(r, c)) continue
      const element = h('div', { class: this.classOf(r, c), role: 'gridcell', 'aria-colindex': c + 1, onmousedown: () => this.select(r, c) }, this.text(r, c))
      element.style.left = `${left + (c - first) * COLUMN}px`
      if (this.isActive(r, c)) element.id = 'active-cell'
      row.append(element)
      cells.push({ element, r, c })
    }
    row.append(label)
    return row
  }

  private heads(first: number, end: number, left: number): HTMLElement[] {
    const heads = []
    for (let c = first; c < end; c++) {
      const element = h('div', { class: 'head', role: 'columnheader' }, this.columnLabel(c))
      element.style.left = `${left + (c - first) * COLUMN}px`
      heads.push(element)
    }
    return [h('div', { class: 'heads', role: 'row' }, ...heads)]
  }

  private corner(): HTMLElement {
    const corner = h('div', { class: 'corner', role: 'presentation' })
    corner.style.width = `${this.head}px`
    return corner
  }

  private isOutside(r: number, c: number): boolean {
    return this.isVector && r * this.columns + c >= this.subject.source.count
  }

  private isActive(r: number, c: number): boolean {
    return this.active?.[0] === r && this.active[1] === c
  }

  private classOf(r: number, c: number): string {
    const classes = ['cell']
    if (this.isActive(r, c)) classes.push('active')
    const { marked } = this.subject
    if (marked && String(marked) === String(this.indexOf(r, c))) classes.push('marked')
    const value = this.lookup?.find(r, c)
    if (typeof value === 'number' && !Number.isFinite(value)) classes.push('odd-number')
    return classes.join(' ')
  }

  private text(r: number, c: number): string {
    return this.lookup ? cell(this.lookup.find(r, c)) : '…'
  }

  private indexOf(r: number, c: number): number[] {
    return fullIndex(this.subject.source.shape, this.leading, r, this.isVector ? r * this.columns + c : c)
  }

  /** Asks for the block that holds the cells that are seen, unless it is here or on its way. */
  private load(top: number, bottom: number, left: number, right: number): void {
    const out = (first: number, end: number, size: number): [number, number] =>
      [first - (first % BLOCK), Math.min(size, Math.ceil(end / BLOCK) * BLOCK)]
    const [r0, r1] = out(top, bottom, this.rows)
    const [c0, c1] = this.isVector ? [0, this.columns] : out(left, right, this.columns)
    const key = `${this.leading.join()}:${r0},${r1},${c0},${c1}`
    if (key === this.wanted || r1 <= r0 || c1 <= c0) return
    this.wanted = key
    const here = this.here(r0, r1, c0, c1)
    if (here) {
      this.lookup = { key, find: here }
      if (this.active) this.tell()
      return
    }
    this.fetch(r0, r1, c0, c1).then(
      find => {
        if (key !== this.wanted) return
        this.lookup = { key, find }
        this.later()
        if (this.active) this.tell()
      },
      (error: unknown) => {
        if (key === this.wanted) this.subject.fail(String(error instanceof Error ? error.message : error))
      },
    )
  }

  /** What came with the run, at once: no frame passes without its numbers. */
  private here(r0: number, r1: number, c0: number, c1: number): Lookup | undefined {
    const values = this.subject.source.now(...this.block(r0, r1, c0, c1))
    return values && this.lookupIn(values, r0, r1, c0, c1)
  }

  private async fetch(r0: number, r1: number, c0: number, c1: number): Promise<Lookup> {
    return this.lookupIn(await this.subject.source.plane(...this.block(r0, r1, c0, c1)), r0, r1, c0, c1)
  }

  /** The part of the output behind a block of the table: leading indices, rows, columns. */
  private block(r0: number, r1: number, c0: number, c1: number): [readonly number[], Range, Range] {
    if (!this.isVector) return [this.leading, [r0, r1, 1], [c0, c1, 1]]
    return [[], [0, 1, 1], [r0 * this.columns, Math.min(this.subject.source.count, r1 * this.columns), 1]]
  }

  private lookupIn(values: Values, r0: number, r1: number, c0: number, c1: number): Lookup {
    const { columns } = this
    if (this.isVector) return (r, c) => values.at((r - r0) * columns + c)
    return (r, c) => (r < r0 || r >= r1 || c < c0 || c >= c1 ? undefined : values.at((r - r0) * (c1 - c0) + c - c0))
  }

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2)
    const key = event.ctrlKey || event.metaKey ? `ctrl+${event.key}` : event.key
    const to = moved(...(this.active ?? [0, 0]), this.rows, this.columns, key, page)
    if (!to) return
    event.preventDefault()
    this.select(...to)
  }

  private select(row: number, column: number): void {
    if (this.rows === 0 || this.columns === 0) return
    this.active = [row, Math.min(column, this.columns - 1)]
    const down = scrollTo(this.rows, ROW, this.element.scrollTop, this.element.clientHeight - ROW, row)
    const across = scrollTo(this.columns, COLUMN, this.element.scrollLeft, this.element.clientWidth - this.head, column)
    if (down !== undefined) this.element.scrollTop = down
    if (across !== undefined) this.element.scrollLeft = across
    this.element.setAttribute('aria-activedescendant', 'active-cell')
    this.tell()
    this.draw()
  }

  private tell(): void {
    if (!this.active) return
    const value = this.lookup?.find(...this.active)
    const index = this.indexOf(...this.active)
    this.subject.say(value === undefined ? '' : `${this.subject.name}${index.length ? indexText(index) : ''} = ${exact(value, this.subject.source.dtype)}`)
  }
}
