// A matrix as colours. Only what is seen is fetched, at most as fine as the screen.

import { indexTicks } from './axis'
import { colorOf, css, inkOn, rgb, Scale, scaleFor } from './colors'
import { h, roomBelow, Sheet, themeColor, Tip } from './dom'
import { cell, exact, indexText } from './format'
import { fitting, heatBox } from './layout'
import { fullIndex, placeOf, planeOf } from './slicing'
import { Values } from './values'
import { Subject, View } from './view'
import { all, Extent, isAll, pan, reveal, touched, zoom } from './viewport'

const MOST = 1024 // samples along an axis
const LEFT = 44
const TOP = 18
const NAN = rgb('#d33682')

interface Loaded {
  values: Values
  rows: readonly [number, number, number]
  columns: readonly [number, number, number]
  image: HTMLCanvasElement
}

export class HeatMap implements View {
  private readonly tip = new Tip()
  private readonly legend = h('div', { class: 'legend' })
  private readonly stage = h('div', { class: 'stage' }, this.tip.element)
  readonly element = h('div', { class: 'heat' }, this.legend, this.stage)
  private readonly sheet: Sheet
  private readonly size
  private scale: Scale
  private leading: readonly number[]
  private rows: Extent
  private columns: Extent
  private loaded: Loaded | undefined
  private wanted = ''
  private cursor: [number, number] | undefined
  private drag: { x: number; y: number } | undefined
  private box = { width: 0, height: 0 }

  constructor(private readonly subject: Subject) {
    this.size = planeOf(subject.source.shape)
    this.leading = subject.leading
    this.rows = all(this.size.rows)
    this.columns = all(this.size.columns)
    this.scale = scaleFor(subject.low ?? 0, subject.high ?? 0)
    this.sheet = new Sheet(`Heat map of ${subject.name}. Arrow keys move, plus and minus zoom.`, width => this.fit(width), context => this.paint(context))
    const { element } = this.sheet
    element.addEventListener('wheel', event => this.wheel(event), { passive: false })
    element.addEventListener('pointerdown', event => this.press(event))
    element.addEventListener('pointermove', event => this.point(event))
    element.addEventListener('pointerup', () => { this.drag = undefined })
    element.addEventListener('pointerleave', () => this.tip.hide())
    element.addEventListener('dblclick', () => this.reset())
    element.addEventListener('keydown', event => this.key(event))
    this.explain()
  }

  start(): void {
    this.sheet.attach(this.stage)
    this.load()
  }

  move(leading: readonly number[]): void {
    this.leading = leading
    this.load()
  }

  renew(): void {
    this.scale = scaleFor(this.subject.low ?? 0, this.subject.high ?? 0)
    this.explain()
    this.wanted = ''
    this.load()
  }

  reveal(index: readonly number[]): void {
    const { row, column } = placeOf(index)
    this.put(row, column)
  }

  dispose(): void {
    this.sheet.dispose()
  }

  private explain(): void {
    const { low, high } = this.scale
    const bar = h('span', { class: 'bar', role: 'img', 'aria-label': `colours from ${cell(low)} to ${cell(high)}` })
    bar.style.background = `linear-gradient(to right, ${Array.from({ length: 33 }, (_, k) => css(colorOf(this.scale, low + ((high - low) * k) / 32))).join(', ')})`
    const nan = h('span', { class: 'swatch' })
    nan.style.background = css(NAN)
    this.legend.replaceChildren(h('span', {}, cell(low)), bar, h('span', {}, cell(high)), this.subject.nan ? h('span', { class: 'nan' }, nan, 'nan') : '')
  }

  private fit(width: number): number {
    this.box = heatBox(this.size.rows, this.size.columns, Math.max(40, width - LEFT - 4), Math.min(640, roomBelow(this.stage, 260) - TOP - 52))
    return this.box.height + TOP + 4
  }

  /** Fetches the stretch that is seen, as fine as it can be drawn. */
  private load(): void {
    const rows = touched(this.rows, this.size.rows, MOST)
    const columns = touched(this.columns, this.size.columns, MOST)
    const key = [...this.leading, ...rows, ...columns].join()
    if (key === this.wanted) return
    this.wanted = key
    this.subject.source.plane(this.leading, rows, columns).then(
      values => {
        if (key !== this.wanted) return
        this.loaded = { values, rows, columns, image: this.color(values) }
        this.sheet.draw()
        if (this.cursor) this.tell(...this.cursor)
      },
      (error: unknown) => {
        if (key === this.wanted) this.subject.fail(String(error instanceof Error ? error.message : error))
      },
    )
  }

  private color(values: Values): HTMLCanvasElement {
    const [height = 0, width = 0] = values.shape
    const image = h('canvas', { width, height })
    const context = image.getContext('2d')
    if (!context || width === 0 || height === 0) return image
    const data = context.createImageData(width, height)
    for (let k = 0; k < values.count; k++) {
      const value = values.number(k)
      const [red, green, blue] = Number.isNaN(value) ? NAN : colorOf(this.scale, value)
      data.data.set([red, green, blue, 255], 4 * k)
    }
    context.putImageData(data, 0, 0)
    return image
  }

  private paint(context: CanvasRenderingContext2D): void {
    const { width, height } = this.box
    if (!this.loaded || width === 0) return
    context.save()
    context.beginPath()
    context.rect(LEFT, TOP, width, height)
    context.clip()
    const { rows, columns, image } = this.loaded
    const [x0, x1] = [this.x(columns[0]), this.x(columns[0] + image.width * columns[2])]
    const [y0, y1] = [this.y(rows[0]), this.y(rows[0] + image.height * rows[2])]
    context.imageSmoothingEnabled = x1 - x0 < image.width * 0.75 // many samples a pixel: mix them
    context.drawImage(image, x0, y0, x1 - x0, y1 - y0)
    this.write(context)
    context.restore()
    this.mark(context)
    this.label(context)
  }

  /** The values themselves, where cells are large enough. */
  private write(context: CanvasRenderingContext2D): void {
    const wide = this.x(1) - this.x(0)
    if (!this.loaded || wide < 44 || this.y(1) - this.y(0) < 18) return
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    for (let r = Math.floor(this.rows.begin); r < this.rows.end; r++) {
      for (let c = Math.floor(this.columns.begin); c < this.columns.end; c++) {
        const value = this.at(r, c)
        if (value === undefined) continue
        context.fillStyle = inkOn(Number.isNaN(Number(value)) ? NAN : colorOf(this.scale, Number(value)))
        context.fillText(typeof value === 'number' ? cell(Number(value.toPrecision(3))) : cell(value), this.x(c + 0.5), this.y(r + 0.5), wide - 4)
      }
    }
  }

  private mark(context: CanvasRenderingContext2D): void {
    const { marked } = this.subject
    if (marked && String(placeOf(marked).leading) === String(this.leading)) {
      const { row, column } = placeOf(marked)
      this.frame(context, row, column, themeColor('errorForeground'), 2)
    }
    if (this.cursor) this.frame(context, ...this.cursor, themeColor('contrastActiveBorder', 'foreground'), 2)
  }

  private frame(context: CanvasRenderingContext2D, row: number, column: number, color: string, width: number): void {
    const size = Math.max(6, this.x(1) - this.x(0))
    const tall = Math.max(6, this.y(1) - this.y(0))
    const strokes: [string, number][] = [[themeColor('editor-background'), width + 2], [color, width]] // seen on any colour
    for (const [stroke, line] of strokes) {
      context.strokeStyle = stroke
      context.lineWidth = line
      context.strokeRect(this.x(column + 0.5) - size / 2, this.y(row + 0.5) - tall / 2, size, tall)
    }
  }

  private label(context: CanvasRenderingContext2D): void {
    context.fillStyle = themeColor('descriptionForeground', 'foreground')
    context.textAlign = 'center'
    context.textBaseline = 'bottom'
    for (const k of indexTicks(Math.ceil(this.columns.begin), this.columns.end, fitting(this.box.width, 56))) {
      const x = this.x(k + 0.5)
      if (x >= LEFT && x <= LEFT + this.box.width) context.fillText(String(k), x, TOP - 4)
    }
    context.textAlign = 'right'
    context.textBaseline = 'middle'
    for (const k of indexTicks(Math.ceil(this.rows.begin), this.rows.end, fitting(this.box.height, 28))) {
      const y = this.y(k + 0.5)
      if (y >= TOP && y <= TOP + this.box.height) context.fillText(String(k), LEFT - 7, y)
    }
  }

  private x(column: number): number {
    return LEFT + ((column - this.columns.begin) / (this.columns.end - this.columns.begin)) * this.box.width
  }

  private y(row: number): number {
    return TOP + ((row - this.rows.begin) / (this.rows.end - this.rows.begin)) * this.box.height
  }

  /** Row and column under a point of the canvas. */
  private under(x: number, y: number): [number, number] | undefined {
    const across = (x - LEFT) / this.box.width
    const down = (y - TOP) / this.box.height
    if (across < 0 || across >= 1 || down < 0 || down >= 1) return undefined
    const row = Math.floor(this.rows.begin + down * (this.rows.end - this.rows.begin))
    const column = Math.floor(this.columns.begin + across * (this.columns.end - this.columns.begin))
    return row < this.size.rows && column < this.size.columns ? [row, column] : undefined
  }

  private at(row: number, column: number): ReturnType<Values['at']> {
    if (!this.loaded) return undefined
    const { rows, columns, values } = this.loaded
    const [r, c] = [Math.floor((row - rows[0]) / rows[2]), Math.floor((column - columns[0]) / columns[2])]
    const [height = 0, width = 0] = values.shape
    return r < 0 || c < 0 || r >= height || c >= width ? undefined : values.at(r * width + c)
  }

  private describe(row: number, column: number): string {
    if (!this.loaded) return ''
    const { rows, columns } = this.loaded // of a sampled stretch, the sample that is shown
    const [r, c] = [row - ((row - rows[0]) % rows[2]), column - ((column - columns[0]) % columns[2])]
    const index = fullIndex(this.subject.source.shape, this.leading, r, c)
    return `${indexText(index)} = ${exact(this.at(row, column), this.subject.source.dtype)}`
  }

  private tell(row: number, column: number): void {
    this.subject.say(this.subject.name + this.describe(row, column))
  }

  zoomBy(factor: number): void {
    if (factor === 0) this.reset()
    else this.zoom(factor)
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return // the page scrolls
    event.preventDefault()
    this.zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.offsetX - LEFT) / this.box.width, (event.offsetY - TOP) / this.box.height)
  }

  private zoom(factor: number, across = 0.5, down = 0.5): void {
    this.rows = zoom(this.rows, this.size.rows, factor, Math.min(1, Math.max(0, down)))
    this.columns = zoom(this.columns, this.size.columns, factor, Math.min(1, Math.max(0, across)))
    this.changed()
  }

  private reset(): void {
    this.rows = all(this.size.rows)
    this.columns = all(this.size.columns)
    this.changed()
  }

  private changed(): void {
    this.sheet.element.classList.toggle('movable', !isAll(this.rows, this.size.rows) || !isAll(this.columns, this.size.columns))
    this.load()
    this.sheet.draw()
  }

  private press(event: PointerEvent): void {
    this.drag = { x: event.offsetX, y: event.offsetY }
    this.sheet.element.setPointerCapture(event.pointerId)
    const place = this.under(event.offsetX, event.offsetY)
    if (place) this.put(...place)
  }

  private point(event: PointerEvent): void {
    if (this.drag && event.buttons) {
      const { x, y } = this.drag
      this.drag = { x: event.offsetX, y: event.offsetY }
      this.columns = pan(this.columns, this.size.columns, ((x - event.offsetX) / this.box.width) * (this.columns.end - this.columns.begin))
      this.rows = pan(this.rows, this.size.rows, ((y - event.offsetY) / this.box.height) * (this.rows.end - this.rows.begin))
      this.changed()
    }
    const place = this.under(event.offsetX, event.offsetY)
    if (place) this.tip.show(this.describe(...place), event.offsetX, event.offsetY, this.sheet.width)
    else this.tip.hide()
  }

  private put(row: number, column: number): void {
    this.cursor = [row, column]
    this.rows = reveal(this.rows, this.size.rows, row)
    this.columns = reveal(this.columns, this.size.columns, column)
    this.tell(row, column)
    this.changed()
  }

  private key(event: KeyboardEvent): void {
    const [row, column] = this.cursor ?? [0, 0]
    const stop = (value: number, size: number) => Math.min(size - 1, Math.max(0, value))
    const moves: Record<string, () => void> = {
      ArrowUp: () => this.put(stop(row - 1, this.size.rows), column),
      ArrowDown: () => this.put(stop(row + 1, this.size.rows), column),
      ArrowLeft: () => this.put(row, stop(column - 1, this.size.columns)),
      ArrowRight: () => this.put(row, stop(column + 1, this.size.columns)),
      '+': () => this.zoom(0.7), '=': () => this.zoom(0.7), '-': () => this.zoom(1.4), '0': () => this.reset(),
    }
    const act = moves[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
}
