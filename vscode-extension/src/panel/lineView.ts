// A vector as a line; of many elements, the span of each column of pixels.

import { indexTicks } from './axis'
import { Chart, TOP } from './chart'
import { themeColor } from './dom'
import { Column, envelope } from './envelope'
import { exact, indexText } from './format'
import { fitting } from './layout'
import { planeOf } from './slicing'
import { Values } from './values'
import { Subject, View } from './view'
import { all, Extent, isAll, pan, reveal, touched, zoom } from './viewport'

const MOST = 1 << 22

export class LineView extends Chart implements View {
  private readonly count: number
  private extent: Extent
  private values: Values | undefined
  private range: readonly [number, number, number] = [0, 0, 1]
  private columns: Column[] = []
  private wanted = ''
  private cursor: number | undefined
  private from: number | undefined

  constructor(private readonly subject: Subject) {
    super(`Line of ${subject.name}. Arrow keys move, plus and minus zoom.`)
    this.count = planeOf(subject.source.shape).columns
    this.extent = all(this.count)
    const { element } = this.sheet
    element.addEventListener('wheel', event => this.wheel(event), { passive: false })
    element.addEventListener('dblclick', () => this.show(all(this.count)))
    element.addEventListener('pointerdown', event => {
      this.from = event.offsetX
      element.setPointerCapture(event.pointerId)
    })
    element.addEventListener('pointerup', () => { this.from = undefined })
  }

  move(): void {
    this.load()
  }

  renew(): void {
    this.wanted = ''
    this.load()
  }

  reveal(index: readonly number[]): void {
    this.put(index.at(-1) ?? 0)
  }

  zoomBy(factor: number): void {
    this.show(factor === 0 ? all(this.count) : zoom(this.extent, this.count, factor, 0.5))
  }

  protected load(): void {
    const range = touched(this.extent, this.count, MOST)
    const key = range.join()
    if (key === this.wanted) return
    this.wanted = key
    this.subject.source.plane([], [0, 1, 1], range).then(
      values => {
        if (key !== this.wanted) return
        this.values = values
        this.range = range
        this.note.textContent = range[2] > 1 ? `every ${range[2]}th element is drawn: zoom in to see all` : ''
        this.sheet.draw()
      },
      (error: unknown) => {
        if (key === this.wanted) this.subject.fail(String(error instanceof Error ? error.message : error))
      },
    )
  }

  private show(extent: Extent): void {
    this.extent = extent
    this.sheet.element.classList.toggle('movable', !isAll(extent, this.count))
    this.load()
    this.sheet.draw()
  }

  private x(k: number): number {
    return this.left + ((k + 0.5 - this.extent.begin) / (this.extent.end - this.extent.begin)) * this.plotWidth
  }

  private seen(): Values | undefined {
    if (!this.values) return undefined
    const [begin, , step] = this.range
    const first = Math.max(0, Math.floor((this.extent.begin - begin) / step))
    const last = Math.min(this.values.count, Math.ceil((this.extent.end - begin) / step))
    return this.values.window([0, 1, 1], [first, Math.max(first, last), 1])
  }

  protected paint(context: CanvasRenderingContext2D): void {
    const seen = this.seen()
    if (!seen) return
    const wide = Math.max(1, Math.min(seen.count, Math.round(this.plotWidth)))
    this.columns = envelope(seen, wide)
    const lows = this.columns.map(column => column.low).filter(Number.isFinite)
    const highs = this.columns.map(column => column.high).filter(Number.isFinite)
    this.setScale(Math.min(...lows), Math.max(...highs))
    this.scaleY(context)
    const marks = indexTicks(Math.ceil(this.extent.begin), this.extent.end, fitting(this.plotWidth, 72))
    this.labelX(context, marks.map(k => [this.x(k), k.toLocaleString('en')]))
    this.stroke(context, wide)
    if (this.cursor !== undefined) this.cross(context, this.cursor)
  }

  private setScale(low: number, high: number): void {
    const [a, b] = low <= high ? [low, high] : [0, 1]
    const room = (b - a || Math.abs(a) || 1) * 0.06
    this.low = a - room
    this.high = b + room
  }

  private stroke(context: CanvasRenderingContext2D, wide: number): void {
    context.strokeStyle = context.fillStyle = themeColor('charts-blue', 'foreground')
    context.lineWidth = 1.5
    context.lineJoin = 'round'
    context.beginPath()
    let open = false
    this.columns.forEach((column, k) => {
      if (Number.isNaN(column.low)) return void (open = false)
      const x = this.left + ((k + 0.5) / wide) * this.plotWidth
      if (open) context.lineTo(x, this.y(column.first))
      else context.moveTo(x, this.y(column.first))
      open = true
      if (column.high > column.low) {
        context.lineTo(x, this.y(column.high))
        context.lineTo(x, this.y(column.low))
        context.lineTo(x, this.y(column.last))
      }
    })
    context.stroke()
    if (this.plotWidth / wide < 7) return
    this.columns.forEach((column, k) => {
      if (Number.isNaN(column.first)) return
      context.beginPath()
      context.arc(this.left + ((k + 0.5) / wide) * this.plotWidth, this.y(column.first), 2.5, 0, 2 * Math.PI)
      context.fill()
    })
  }

  private cross(context: CanvasRenderingContext2D, k: number): void {
    const x = Math.round(this.x(k)) + 0.5
    context.strokeStyle = themeColor('focusBorder', 'foreground')
    context.lineWidth = 1
    context.beginPath()
    context.moveTo(x, TOP)
    context.lineTo(x, TOP + this.plotHeight)
    context.stroke()
  }

  private describe(k: number): string {
    const [begin, , step] = this.range
    const sampled = Math.floor((k - begin) / step)
    return `${indexText([begin + sampled * step])} = ${exact(this.values?.at(sampled), this.subject.source.dtype)}`
  }

  private put(k: number): void {
    this.cursor = Math.min(this.count - 1, Math.max(0, k))
    this.subject.say(this.subject.name + this.describe(this.cursor))
    this.show(reveal(this.extent, this.count, this.cursor))
  }

  protected hover(event: PointerEvent): void {
    if (this.from !== undefined && event.buttons) {
      const by = ((this.from - event.offsetX) / this.plotWidth) * (this.extent.end - this.extent.begin)
      this.from = event.offsetX
      this.show(pan(this.extent, this.count, by))
    }
    const at = (event.offsetX - this.left) / this.plotWidth
    if (at < 0 || at >= 1) return this.leave()
    const k = Math.floor(this.extent.begin + at * (this.extent.end - this.extent.begin))
    this.cursor = k
    this.tip.show(this.describe(k), event.offsetX, event.offsetY, this.sheet.width)
    this.sheet.draw()
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const at = Math.min(1, Math.max(0, (event.offsetX - this.left) / this.plotWidth))
    this.show(zoom(this.extent, this.count, event.deltaY > 0 ? 1.25 : 0.8, at))
  }

  protected key(event: KeyboardEvent): void {
    const at = this.cursor ?? 0
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.put(at - 1), ArrowRight: () => this.put(at + 1), Home: () => this.put(0), End: () => this.put(this.count - 1),
      '+': () => this.show(zoom(this.extent, this.count, 0.7, 0.5)), '=': () => this.show(zoom(this.extent, this.count, 0.7, 0.5)),
      '-': () => this.show(zoom(this.extent, this.count, 1.4, 0.5)), '0': () => this.show(all(this.count)),
    }
    const act = moves[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
}
