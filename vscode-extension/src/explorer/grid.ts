// One value's elements on a canvas: only what is seen is drawn. The elements' picture is kept, the lit ones are drawn over it.

import { indexTicks } from '../panel/axis'
import { h, onTheme } from '../panel/dom'
import { all, Extent, isAll, pan, reveal, zoom } from '../panel/viewport'
import { Index } from './model'
import { Origin } from './origin'
import { Plane } from './plane'
import { Region } from './region'
import { inkOf, Inks } from './inks'

const FONT = 11
const CELL = { width: 26, height: 24 }
const LEGIBLE = 14 // pixels a row with numbers has at least
const DRAWN = 3 // pixels a cell has at least to be drawn as one
const BLOCK = 2 // pixels that one sampled element stands for, where cells are smaller
const MOST_OUTLINED = 3000

export interface GridOwner {
  origin(index: Index): Origin
  point(index: Index | undefined): void
  pin(index: Index): void
  move(index: Index): void
  escape(): void
  leaf(node: number): number // which buffer it is, for its shade
}

export class Grid {
  readonly element: HTMLCanvasElement
  readonly plane: Plane
  leading: number[]
  lit: Region | undefined
  focus: Index | undefined
  pinned = false
  private rows: Extent
  private columns: Extent
  private width = 0
  private height = 0
  private left = 0
  private top = 0
  private picture: HTMLCanvasElement | undefined
  private frame = 0
  private drag: { x: number; y: number; moved: boolean } | undefined
  private readonly forget: () => void
  private inks: Inks | undefined
  onZoom: () => void = () => undefined

  constructor(shape: readonly number[], label: string, private readonly owner: GridOwner) {
    this.plane = new Plane(shape)
    this.leading = this.plane.clamp([])
    this.rows = all(this.plane.rows)
    this.columns = all(this.plane.columns)
    this.element = h('canvas', {
      class: 'grid', tabindex: 0, role: 'application', 'aria-roledescription': 'grid of elements', 'aria-label': label,
      onpointermove: (event: PointerEvent) => this.moved(event),
      onpointerdown: (event: PointerEvent) => this.pressed(event),
      onpointerup: (event: PointerEvent) => this.released(event),
      onpointerleave: () => this.owner.point(undefined),
      onwheel: (event: WheelEvent) => this.wheel(event),
      onkeydown: (event: KeyboardEvent) => this.key(event),
      onfocus: () => this.draw(),
      onblur: () => this.draw(),
    })
    this.forget = onTheme(() => {
      this.inks = undefined
      this.redraw()
    })
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
    this.forget()
  }

  /** Whether zooming would show more of each element. */
  get isLarge(): boolean {
    const { rows, columns } = this.plane
    return this.boxWidth / columns < LEGIBLE || this.boxHeight / rows < LEGIBLE
  }

  get isWhole(): boolean {
    return isAll(this.rows, this.plane.rows) && isAll(this.columns, this.plane.columns)
  }

  fit(width: number, height: number): void {
    const { rows, columns, wrapped } = this.plane
    const digits = String(Math.max(1, ...this.plane.shape.length === 1 ? this.plane.shape : [rows])).length
    this.left = rows > 1 ? digits * 7 + 8 : 1
    this.top = FONT + 6
    const cell = Math.max(CELL.width, this.numberWidth)
    const across = Math.min(cell, (width - this.left - 1) / columns)
    const down = Math.min(CELL.height, (height - this.top - 1) / rows)
    this.width = this.left + Math.max(wrapped ? 1 : 12, Math.round(across * columns)) + 1
    this.height = this.top + Math.max(8, Math.round(down * rows)) + 1
    this.element.width = Math.round(this.width * devicePixelRatio)
    this.element.height = Math.round(this.height * devicePixelRatio)
    this.element.style.width = `${this.width}px`
    this.element.style.height = `${this.height}px`
    this.redraw()
  }

  /** The numbers in the cells, at their longest. */
  private get numberWidth(): number {
    const origin = this.plane.isEmpty ? undefined : this.owner.origin(this.plane.shape.map(n => n - 1))
    const first = this.plane.isEmpty ? undefined : this.owner.origin(this.plane.shape.map(() => 0))
    const most = Math.max(1, ...[origin, first].map(one => (one?.kind === 'at' ? one.of : 1)))
    return String(most - 1).length * 7 + 10
  }

  private get boxWidth(): number {
    return this.width - this.left - 1
  }

  private get boxHeight(): number {
    return this.height - this.top - 1
  }

  zoomBy(factor: number, x = 0.5, y = 0.5): void {
    if (factor === 0) [this.rows, this.columns] = [all(this.plane.rows), all(this.plane.columns)]
    else {
      this.rows = zoom(this.rows, this.plane.rows, factor, y)
      this.columns = zoom(this.columns, this.plane.columns, factor, x)
    }
    this.redraw()
    this.onZoom()
  }

  /** Zooms so that an element stays where it is, or comes into sight. */
  zoomAt(factor: number, index = this.focus ?? this.lit?.first): void {
    if (index) this.show(index)
    const { row, column } = this.plane.place(index ?? [])
    const part = (at: number, { begin, end }: Extent) => (index ? Math.min(1, Math.max(0, (at + 0.5 - begin) / (end - begin))) : 0.5)
    this.zoomBy(factor, part(column, this.columns), part(row, this.rows))
  }

  /** Shows the same part as an earlier grid of the same shape. */
  resume({ plane, leading, rows, columns }: Grid): void {
    if (plane.shape.join() !== this.plane.shape.join()) return
    Object.assign(this, { leading, rows, columns })
  }

  /** Brings an element into sight, by its slice and by as little scrolling as it takes. */
  show(index: Index): void {
    const { leading, row, column } = this.plane.place(index)
    const [rows, columns] = [reveal(this.rows, this.plane.rows, row), reveal(this.columns, this.plane.columns, column)]
    const same = leading.every((i, axis) => i === this.leading[axis]) && rows === this.rows && columns === this.columns
    if (same) return
    this.leading = leading
    this.rows = rows
    this.columns = columns
    this.redraw()
  }

  turn(axis: number, to: number): void {
    this.leading = this.plane.clamp(this.leading.map((i, k) => (k === axis ? to : i)))
    this.redraw()
  }

  // -- pointing ----------------------------------------------------------------------------------------------------
  private at(event: MouseEvent): number[] | undefined {
    const x = (event.offsetX - this.left) / this.boxWidth
    const y = (event.offsetY - this.top) / this.boxHeight
    if (x < 0 || y < 0 || x >= 1 || y >= 1) return undefined
    const column = Math.floor(this.columns.begin + x * (this.columns.end - this.columns.begin))
    const row = Math.floor(this.rows.begin + y * (this.rows.end - this.rows.begin))
    return this.plane.index(this.leading, row, column)
  }

  private moved(event: PointerEvent): void {
    if (this.drag && !this.isWhole) {
      const [dx, dy] = [event.clientX - this.drag.x, event.clientY - this.drag.y]
      if (this.drag.moved || Math.abs(dx) + Math.abs(dy) > 4) {
        this.scroll(-dx, -dy)
        this.drag = { x: event.clientX, y: event.clientY, moved: true }
        return
      }
    }
    this.owner.point(this.at(event))
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0) return
    this.drag = { x: event.clientX, y: event.clientY, moved: false }
    if (!this.isWhole) this.element.setPointerCapture(event.pointerId)
  }

  private released(event: PointerEvent): void {
    const dragged = this.drag?.moved
    const pressed = this.drag !== undefined
    this.drag = undefined
    const index = this.at(event)
    if (pressed && !dragged && index) this.owner.pin(index)
  }

  private scroll(x: number, y: number): void {
    this.columns = pan(this.columns, this.plane.columns, (x / this.boxWidth) * (this.columns.end - this.columns.begin))
    this.rows = pan(this.rows, this.plane.rows, (y / this.boxHeight) * (this.rows.end - this.rows.begin))
    this.redraw()
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      this.zoomBy(Math.exp(event.deltaY / 200), (event.offsetX - this.left) / this.boxWidth, (event.offsetY - this.top) / this.boxHeight)
    } else if (!this.isWhole) {
      event.preventDefault()
      this.scroll(event.shiftKey ? event.deltaY : event.deltaX, event.shiftKey ? 0 : event.deltaY)
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.altKey) return
    const from = this.focus ?? this.lit?.first
    const start = this.plane.index(this.leading, 0, 0)
    if (event.key === 'Escape') this.owner.escape()
    else if (event.key === '+' || event.key === '=') this.zoomAt(0.5, from)
    else if (event.key === '-') this.zoomAt(2, from)
    else if (event.key === '0') this.zoomBy(0)
    else if ((event.key === 'Enter' || event.key === ' ') && from) this.owner.pin(from)
    else {
      const to = from ? this.plane.moved(event.key, event.ctrlKey || event.metaKey, from) : start && this.plane.moved(event.key, event.ctrlKey || event.metaKey, start) && start
      if (!to) return
      this.owner.move(to)
    }
    event.preventDefault()
    event.stopPropagation()
  }

  // -- drawing -----------------------------------------------------------------------------------------------------
  redraw(): void {
    this.picture = undefined
    this.draw()
  }

  draw(): void {
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.paint())
  }

  private paint(): void {
    const context = this.element.getContext('2d')
    if (!context || this.width === 0) return
    this.inks ??= inkOf()
    this.picture ??= this.makePicture(this.inks)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, this.element.width, this.element.height)
    context.drawImage(this.picture, 0, 0)
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    context.save()
    context.beginPath()
    context.rect(this.left - 1, this.top - 1, this.boxWidth + 3, this.boxHeight + 3)
    context.clip()
    if (this.lit) this.paintLit(context, this.lit, this.inks)
    if (this.focus) this.paintFocus(context, this.focus, this.inks)
    context.restore()
  }

  private get cell(): { width: number; height: number } {
    return { width: this.boxWidth / (this.columns.end - this.columns.begin), height: this.boxHeight / (this.rows.end - this.rows.begin) }
  }

  private box(row: number, column: number, length = 1): { x: number; y: number; width: number; height: number } {
    const { width, height } = this.cell
    return { x: this.left + (column - this.columns.begin) * width, y: this.top + (row - this.rows.begin) * height, width: width * length, height }
  }

  private makePicture(inks: Inks): HTMLCanvasElement {
    const picture = document.createElement('canvas')
    picture.width = this.element.width
    picture.height = this.element.height
    const context = picture.getContext('2d')
    if (!context) return picture
    context.scale(devicePixelRatio, devicePixelRatio)
    context.font = `${FONT}px ${inks.font}`
    this.paintTicks(context, inks)
    context.save()
    context.beginPath()
    context.rect(this.left, this.top, this.boxWidth, this.boxHeight)
    context.clip()
    const { width, height } = this.cell
    if (!this.plane.isEmpty) {
      if (width < DRAWN || height < DRAWN) this.paintBlocks(context, inks)
      else this.paintCells(context, inks)
    }
    context.restore()
    context.strokeStyle = inks.line
    context.strokeRect(this.left - 0.5, this.top - 0.5, this.boxWidth + 1, this.boxHeight + 1)
    if (!this.isWhole) this.paintPlace(context, inks)
    return picture
  }

  private paintTicks(context: CanvasRenderingContext2D, inks: Inks): void {
    const { width, height } = this.cell
    context.fillStyle = inks.muted
    context.textBaseline = 'middle'
    const most = String(this.plane.columns).length * 7 + 12
    context.textAlign = 'center'
    for (const column of indexTicks(Math.floor(this.columns.begin), this.columns.end, this.boxWidth / most)) {
      const x = this.left + (column + 0.5 - this.columns.begin) * width
      const half = String(column).length * 3.5
      if (x >= this.left && x <= this.left + this.boxWidth) context.fillText(String(column), Math.min(x, this.width - half), this.top - 9)
    }
    if (this.plane.rows === 1) return
    context.textAlign = 'right'
    for (const row of indexTicks(Math.floor(this.rows.begin), this.rows.end, this.boxHeight / 16)) {
      const y = this.top + (row + 0.5 - this.rows.begin) * height
      const text = String(this.plane.wrapped ? row * this.plane.columns : row)
      if (y >= this.top && y <= this.top + this.boxHeight) context.fillText(text, this.left - 5, Math.max(this.top + 5, y))
    }
  }

  private get seen(): { rows: [number, number]; columns: [number, number] } {
    return {
      rows: [Math.max(0, Math.floor(this.rows.begin)), Math.min(this.plane.rows, Math.ceil(this.rows.end))],
      columns: [Math.max(0, Math.floor(this.columns.begin)), Math.min(this.plane.columns, Math.ceil(this.columns.end))],
    }
  }

  private paintCells(context: CanvasRenderingContext2D, inks: Inks): void {
    const { rows, columns } = this.seen
    const { width, height } = this.cell
    const numbers = height >= LEGIBLE && width >= this.numberWidth - 4
    const gap = Math.min(width, height) >= 6 ? 0.5 : 0
    context.textAlign = 'center'
    for (let row = rows[0]; row < rows[1]; row++) {
      for (let column = columns[0]; column < columns[1]; column++) {
        const index = this.plane.index(this.leading, row, column)
        if (!index) continue
        const { x, y } = this.box(row, column)
        const origin = this.owner.origin(index)
        context.globalAlpha = shade(origin, inks)
        context.fillStyle = origin?.kind === 'padding' ? inks.hatch : origin ? inks.hue(this.owner.leaf(origin.node)) : inks.plain
        context.fillRect(x + gap, y + gap, width - 2 * gap, height - 2 * gap)
        context.globalAlpha = 1
        if (gap) {
          context.strokeStyle = inks.line
          context.lineWidth = 1
          context.strokeRect(x, y, width, height)
        }
        if (!numbers || !origin) continue
        const [cx, cy] = [x + width / 2, y + height / 2 + 0.5]
        if (origin.kind === 'padding') this.paintZero(context, cx, cy, inks)
        else {
          context.fillStyle = inks.text
          context.fillText(String(origin.number), cx, cy)
        }
      }
    }
  }

  /** The 0 of a pad, legible on its hatching. */
  private paintZero(context: CanvasRenderingContext2D, x: number, y: number, inks: Inks): void {
    context.strokeStyle = inks.background
    context.lineWidth = 4
    context.lineJoin = 'round'
    context.strokeText('0', x, y)
    context.fillStyle = inks.text
    context.fillText('0', x, y)
  }

  /** Cells smaller than a dot: one element for each few dots. */
  private paintBlocks(context: CanvasRenderingContext2D, inks: Inks): void {
    const { width, height } = this.cell
    const [across, down] = [Math.ceil(this.boxWidth / BLOCK), Math.ceil(this.boxHeight / BLOCK)]
    const image = new ImageData(across, down)
    for (let y = 0; y < down; y++) {
      const row = Math.floor(this.rows.begin + ((y + 0.5) * BLOCK) / height)
      for (let x = 0; x < across; x++) {
        const index = this.plane.index(this.leading, row, Math.floor(this.columns.begin + ((x + 0.5) * BLOCK) / width))
        if (!index) continue
        const origin = this.owner.origin(index)
        const striped = origin?.kind !== 'padding' || (x + y) % 4 === 0
        const [red, green, blue] = origin?.kind === 'at' ? inks.rgb(this.owner.leaf(origin.node)) : inks.plainRgb
        image.data.set([red, green, blue, striped ? 255 * (origin?.kind === 'padding' ? 0.5 : shade(origin, inks)) : 0], 4 * (y * across + x))
      }
    }
    const small = document.createElement('canvas')
    small.width = across
    small.height = down
    small.getContext('2d')?.putImageData(image, 0, 0)
    context.imageSmoothingEnabled = false
    context.drawImage(small, this.left, this.top, across * BLOCK, down * BLOCK)
  }

  /** Which part of the whole is seen: a bar along each side, as long as that part. */
  private paintPlace(context: CanvasRenderingContext2D, inks: Inks): void {
    context.fillStyle = inks.muted
    const { rows, columns } = this.plane
    const [w, hh] = [this.boxWidth, this.boxHeight]
    context.fillRect(this.left + (this.columns.begin / columns) * w, this.top + hh - 2, Math.max(4, ((this.columns.end - this.columns.begin) / columns) * w), 3)
    context.fillRect(this.left + w - 2, this.top + (this.rows.begin / rows) * hh, 3, Math.max(4, ((this.rows.end - this.rows.begin) / rows) * hh))
  }

  private paintLit(context: CanvasRenderingContext2D, lit: Region, inks: Inks): void {
    const { rows, columns } = this.seen
    const window = this.plane.window(this.leading, { lo: rows[0], hi: rows[1] - 1 }, { lo: columns[0], hi: columns[1] - 1 })
    const { width, height } = this.cell
    const tiny = width < 5 || height < 5
    const taken = tiny ? new Uint8Array(Math.ceil(this.width + 2) * Math.ceil(this.height + 2)) : undefined
    const outlines: { x: number; y: number; width: number; height: number; maybe: boolean }[] = []
    context.fillStyle = inks.lit
    context.globalAlpha = tiny ? 0.85 : 0.13
    let seen = 0
    lit.visit(window, (index, length, maybe) => this.plane.rowsOf(index, length, (row, column, run) => {
      const box = this.box(row, column, run)
      seen += run
      if (taken) {
        const key = Math.round(box.y) * Math.ceil(this.width + 2) + Math.round(box.x)
        if (run === 1 && taken[key]) return
        taken[key] = 1
      }
      if (outlines.length < MOST_OUTLINED) outlines.push({ ...box, maybe })
      context.fillRect(box.x, box.y, Math.max(box.width, 2), Math.max(box.height, 2))
    }))
    context.globalAlpha = 1
    const [only] = outlines
    if (tiny && seen === 1 && only) return this.paintCross(context, only, inks.lit)
    if (tiny || outlines.length >= MOST_OUTLINED) return
    context.strokeStyle = inks.lit
    context.lineWidth = 2
    for (const { x, y, width: w, height: hh, maybe } of outlines) {
      context.setLineDash(maybe ? [4, 3] : [])
      context.strokeRect(x + 1, y + 1, w - 2, hh - 2)
    }
    context.setLineDash([])
  }

  /** An element too small to be seen: lines that meet at it. */
  private paintCross(context: CanvasRenderingContext2D, { x, y, width, height }: { x: number; y: number; width: number; height: number }, ink: string): void {
    const [cx, cy] = [x + width / 2, y + height / 2]
    context.strokeStyle = ink
    context.lineWidth = 1
    context.globalAlpha = 0.55
    context.beginPath()
    context.moveTo(this.left, cy)
    context.lineTo(this.left + this.boxWidth, cy)
    context.moveTo(cx, this.top)
    context.lineTo(cx, this.top + this.boxHeight)
    context.stroke()
    context.globalAlpha = 1
    context.lineWidth = 2
    context.strokeRect(cx - 4, cy - 4, 8, 8)
  }

  /** The element that is pointed at: a double outline, with a corner while it is pinned. */
  private paintFocus(context: CanvasRenderingContext2D, focus: Index, inks: Inks): void {
    const { leading, row, column } = this.plane.place(focus)
    if (leading.some((i, axis) => i !== this.leading[axis])) return
    const box = this.box(row, column)
    if (box.width < 5 || box.height < 5) return this.paintCross(context, box, inks.focus)
    context.strokeStyle = inks.focus
    context.lineWidth = 2
    context.strokeRect(box.x, box.y, box.width, box.height)
    context.strokeStyle = inks.background
    context.lineWidth = 1
    context.strokeRect(box.x + 1.5, box.y + 1.5, box.width - 3, box.height - 3)
    if (!this.pinned || box.width < 10) return
    context.fillStyle = inks.focus
    context.beginPath()
    context.moveTo(box.x, box.y)
    context.lineTo(box.x + 8, box.y)
    context.lineTo(box.x, box.y + 8)
    context.fill()
  }
}

/** Dark to light by the place in the buffer, so that the order of elements can be seen. */
function shade(origin: Origin, inks: Inks): number {
  if (origin?.kind === 'padding') return 1
  if (!origin) return inks.contrast ? 0 : 0.07
  return inks.contrast ? 0 : 0.06 + 0.44 * (origin.of > 1 ? origin.number / (origin.of - 1) : 0)
}

