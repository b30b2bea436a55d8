// A canvas with axes: what the line and the histogram share.

import { ticks } from './axis'
import { h, roomBelow, Sheet, themeColor, Tip } from './dom'
import { digits } from './format'
import { fitting } from './layout'

export const RIGHT = 10
export const TOP = 10
export const BOTTOM = 22

export abstract class Chart {
  protected readonly tip = new Tip()
  protected readonly note = h('div', { class: 'note' })
  protected readonly stage = h('div', { class: 'stage' }, this.tip.element)
  readonly element = h('div', { class: 'chart' }, this.note, this.stage)
  protected readonly sheet: Sheet
  protected low = 0
  protected high = 1
  protected left = 48

  constructor(label: string) {
    this.sheet = new Sheet(label, () => Math.min(360, roomBelow(this.stage, 220) - 50), context => this.paint(context))
    this.sheet.element.addEventListener('pointermove', event => this.hover(event))
    this.sheet.element.addEventListener('pointerleave', () => this.leave())
    this.sheet.element.addEventListener('keydown', event => this.key(event))
  }

  start(): void {
    this.sheet.attach(this.stage)
    this.load()
  }

  dispose(): void {
    this.sheet.dispose()
  }

  protected abstract load(): void
  protected abstract paint(context: CanvasRenderingContext2D): void
  protected abstract hover(event: PointerEvent): void
  protected abstract key(event: KeyboardEvent): void

  protected leave(): void {
    this.tip.hide()
  }

  protected get plotWidth(): number {
    return Math.max(1, this.sheet.width - this.left - RIGHT)
  }

  protected get plotHeight(): number {
    return this.sheet.height - TOP - BOTTOM
  }

  protected y(value: number): number {
    return TOP + (1 - (value - this.low) / (this.high - this.low)) * this.plotHeight
  }

  /** Horizontal lines with their values, and room for them at the left. */
  protected scaleY(context: CanvasRenderingContext2D): void {
    const marks = ticks(this.low, this.high, fitting(this.plotHeight, 42))
    const texts = marks.map(mark => digits(mark, 5))
    this.left = 14 + Math.max(20, ...texts.map(text => context.measureText(text).width))
    context.textAlign = 'right'
    context.textBaseline = 'middle'
    marks.forEach((mark, k) => {
      const y = Math.round(this.y(mark)) + 0.5
      context.strokeStyle = themeColor('editorIndentGuide-background1', 'panel-border', 'descriptionForeground')
      context.lineWidth = 1
      context.globalAlpha = 0.5 // behind the data
      context.beginPath()
      context.moveTo(this.left, y)
      context.lineTo(this.left + this.plotWidth, y)
      context.stroke()
      context.globalAlpha = 1
      context.fillStyle = themeColor('descriptionForeground', 'foreground')
      context.fillText(texts[k] ?? '', this.left - 7, y)
    })
  }

  protected labelX(context: CanvasRenderingContext2D, places: readonly [x: number, text: string][]): void {
    context.fillStyle = themeColor('descriptionForeground', 'foreground')
    context.textBaseline = 'top'
    for (const [x, text] of places) {
      const half = context.measureText(text).width / 2
      context.textAlign = 'center'
      context.fillText(text, Math.min(this.sheet.width - half - 1, Math.max(half, x)), this.sheet.height - BOTTOM + 6)
    }
  }
}
