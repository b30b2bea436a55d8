// How the elements of an output are distributed.

import { Chart, TOP } from './chart'
import { themeColor } from './dom'
import { count, digits, plural } from './format'
import { edges, Histogram, histogram } from './histogram'
import { fitting } from './layout'
import { sample } from './slicing'
import { Subject, View } from './view'

const MOST = 1 << 20 // elements; of more, a sample: its bars are within a pixel

export class HistogramView extends Chart implements View {
  private bins: Histogram | undefined
  private cursor: number | undefined

  constructor(private readonly subject: Subject) {
    super(`Histogram of ${subject.name}. Arrow keys move from bin to bin.`)
  }

  move(): void {
    // it is of the whole output, whatever slice is looked at
  }

  renew(): void {
    this.load()
  }

  protected load(): void {
    const { source } = this.subject
    const { slice, every } = sample(source.shape, MOST)
    const fetched = source.isSmall ? source.all() : source.part(slice)
    fetched.then(
      values => {
        this.bins = histogram(values, 30)
        const others = this.bins.others ? ` · ${plural(this.bins.others, 'element')} not finite, left out` : ''
        this.note.textContent = `${every > 1 ? `one element in ${count(every)}` : `all ${count(values.count)} elements`} of ${this.subject.name}${others}`
        this.sheet.draw()
      },
      (error: unknown) => this.subject.fail(String(error instanceof Error ? error.message : error)),
    )
  }

  protected paint(context: CanvasRenderingContext2D): void {
    const { bins } = this
    if (!bins) return
    if (bins.counts.length === 0) {
      context.fillStyle = themeColor('descriptionForeground')
      context.fillText('No finite element.', this.left, TOP + 20)
      return
    }
    this.low = 0
    this.high = Math.max(...bins.counts) * 1.05
    this.scaleY(context)
    const wide = this.plotWidth / bins.counts.length
    bins.counts.forEach((n, k) => {
      const x = this.left + k * wide
      context.fillStyle = themeColor(k === this.cursor ? 'charts-orange' : 'charts-blue', 'foreground')
      const gap = wide > 5 ? 1 : 0
      const top = n > 0 ? Math.min(this.y(n), this.y(0) - 1) : this.y(0)
      context.fillRect(x + gap / 2, top, Math.max(1, wide - gap), this.y(0) - top)
    })
    this.labelX(context, this.marks(bins, wide))
  }

  private marks(bins: Histogram, wide: number): [number, string][] {
    const every = Math.max(1, Math.ceil(bins.counts.length / fitting(this.plotWidth, 64)))
    const found: [number, string][] = []
    for (let k = 0; k <= bins.counts.length - (bins.whole ? 1 : 0); k += every) {
      found.push([this.left + (k + (bins.whole ? 0.5 : 0)) * wide, this.edge(bins, k)])
    }
    return found
  }

  private edge(bins: Histogram, k: number): string {
    const [low] = edges(bins, k)
    return this.subject.source.dtype === 'bool' ? String(low !== 0) : digits(low, 5)
  }

  private describe(k: number): string {
    const { bins } = this
    if (!bins) return ''
    const [low, high] = edges(bins, k)
    const n = bins.counts[k] ?? 0
    const share = `${plural(n, 'element')}, ${Number(((100 * n) / bins.total).toPrecision(3))}%`
    return bins.whole ? `${this.edge(bins, k)}: ${share}` : `${digits(low, 6)} to ${digits(high, 6)}: ${share}`
  }

  protected hover(event: PointerEvent): void {
    const at = (event.offsetX - this.left) / this.plotWidth
    if (!this.bins || at < 0 || at >= 1) return this.leave()
    this.cursor = Math.floor(at * this.bins.counts.length)
    this.tip.show(this.describe(this.cursor), event.offsetX, event.offsetY, this.sheet.width)
    this.sheet.draw()
  }

  protected override leave(): void {
    super.leave()
    this.cursor = undefined
    this.sheet.draw()
  }

  protected key(event: KeyboardEvent): void {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (step === 0 || !this.bins) return
    event.preventDefault()
    this.cursor = Math.min(this.bins.counts.length - 1, Math.max(0, (this.cursor ?? -step) + step))
    this.subject.say(this.describe(this.cursor))
    this.sheet.draw()
  }
}
