// The elements as a table, of which only the cells that are seen exist.

import { h, onTheme, roomBelow } from './dom'
import { cell, exact, indexText } from './format'
import { length, moved, scrollTo, visible, wrap } from './grid'
import { fullIndex, placeOf, planeOf } from './slicing'
import { Scalar, Values } from './values'
import { Subject, View } from './view'

const ROW = 22
const COLUMN = 88
const BAR = 14 // pixels of a scroll bar
const BLOCK = 64 // rows and columns are fetched in multiples of it

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
  private readonly resized = new ResizeObserver(() => this.arrange())
  private readonly rearrange = () => this.arrange()
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
    this.later()
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

  private arrange(): void {
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
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.element
    const down = visible(this.rows, ROW, scrollTop, clientHeight - ROW)
    const across = visible(this.columns, COLUMN, scrollLeft, clientWidth - this.head)
    this.layer.style.width = `${clientWidth}px`
    this.layer.style.height = `${clientHeight}px`
    this.load(down.first, down.end, across.first, across.end)
    const top = ROW + down.offset - scrollTop
    const left = this.head + across.offset - scrollLeft
    const cells: HTMLElement[] = []
    for (let r = down.first; r < down.end; r++) cells.push(this.row(r, top + (r - down.first) * ROW, across.first, across.end, left))
    this.layer.replaceChildren(h('div', { class: 'cells', role: 'rowgroup' }, ...cells), ...this.heads(across.first, across.end, left), this.corner())
  }

  private row(r: number, top: number, first: number, end: number, left: number): HTMLElement {
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

  private async fetch(r0: number, r1: number, c0: number, c1: number): Promise<Lookup> {
    const { source } = this.subject
    if (this.isVector) {
      const [begin, end] = [r0 * this.columns, Math.min(source.count, r1 * this.columns)]
      const values = await source.plane([], [0, 1, 1], [begin, end, 1])
      const { columns } = this
      return (r, c) => values.at(r * columns + c - begin)
    }
    const values: Values = await source.plane(this.leading, [r0, r1, 1], [c0, c1, 1])
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
