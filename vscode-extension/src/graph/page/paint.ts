// One frame of the drawing: what is in sight, as exactly as its size on the screen allows.

import { Point } from '../layout'
import { Box, Frame, Line, LINE_HEIGHT, marks, outline, Scene, TITLE } from '../scene'
import { Colors } from '../svg'
import { Camera } from './camera'

export interface Ink extends Colors {
  font: string
  accent: string
  found: string
}

export interface Lit {
  selected: number // a box, -1: none
  cursor: number
  found: ReadonlySet<number>
}

const FAR = { line: 0.45, fill: 0.55 } // from afar boxes are colour, and lines stand back
const TEXT = 0.42 // below this scale text cannot be read and is left out
const SHAPES = 0.1 // below this a box is a block
const FONT = 12

export class Painter {
  private readonly left: number
  private readonly right: number
  private readonly top: number
  private readonly bottom: number

  constructor(private readonly context: CanvasRenderingContext2D, private readonly camera: Camera, private readonly ink: Ink, private readonly lit: Lit) {
    const { x, y, width, height, scale } = camera
    ;[this.left, this.right, this.top, this.bottom] = [x, x + width / scale, y, y + height / scale]
  }

  /** Draws what is in sight, and says how many boxes that were. */
  paint({ boxes, frames, lines }: Scene, ratio: number): number {
    const { context, camera, ink } = this
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.fillStyle = ink.background
    context.fillRect(0, 0, camera.width, camera.height)
    const scale = ratio * camera.scale
    context.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale)
    for (const frame of frames) if (this.frameSeen(frame)) this.frame(frame)
    this.lines(lines)
    const seen = boxes.filter(box => this.seen(box))
    if (camera.scale < SHAPES) this.blocks(seen)
    else for (const box of seen) this.box(box)
    if (camera.scale >= TEXT) for (const box of seen) this.words(box)
    this.light(boxes)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    for (const frame of frames) if (this.frameSeen(frame)) this.frameTitle(frame)
    return seen.length
  }

  // -- what is in sight --------------------------------------------------------------------------------------------
  private seen({ x, y, width, height }: Box): boolean {
    const around = 34
    return x + width / 2 + around > this.left && x - width / 2 - around < this.right && y + height / 2 + around > this.top && y - height / 2 - around < this.bottom
  }

  private frameSeen({ x, y, width, height }: Frame): boolean {
    return x + width > this.left && x < this.right && y + height > this.top && y < this.bottom
  }

  private lineSeen({ points }: Line): boolean {
    const [first, last] = [points[0]!, points[points.length - 1]!]
    if (last.y < this.top || first.y > this.bottom) return false
    let [least, most] = [Infinity, -Infinity]
    for (const { x } of points) {
      least = Math.min(least, x)
      most = Math.max(most, x)
    }
    return most > this.left && least < this.right
  }

  // -- lines -------------------------------------------------------------------------------------------------------
  private lines(lines: readonly Line[]): void {
    const { selected } = this.lit
    const near: Line[] = []
    const { context } = this
    context.strokeStyle = this.ink.line
    context.lineWidth = Math.max(1, 0.7 / this.camera.scale)
    context.beginPath()
    for (const line of lines) {
      if (!this.lineSeen(line)) continue
      if (line.source === selected || line.target === selected) near.push(line)
      else this.trace(line.points)
    }
    context.globalAlpha = this.camera.scale < TEXT ? FAR.line : 1
    context.stroke()
    context.globalAlpha = 1
    if (near.length === 0) return
    context.strokeStyle = this.ink.accent
    context.lineWidth = Math.max(2, 1.4 / this.camera.scale)
    context.beginPath()
    for (const { points } of near) this.trace(points)
    context.stroke()
  }

  private trace(points: readonly Point[]): void {
    const { context } = this
    const [first, ...rest] = points
    context.moveTo(first!.x, first!.y)
    let before = first!
    for (const point of rest) {
      const bend = (point.y - before.y) / 2
      if (Math.abs(point.x - before.x) < 1) context.lineTo(point.x, point.y)
      else context.bezierCurveTo(before.x, before.y + bend, point.x, point.y - bend, point.x, point.y)
      before = point
    }
    if (this.camera.scale < TEXT) return
    context.moveTo(before.x - 3.5, before.y - 6)
    context.lineTo(before.x, before.y)
    context.lineTo(before.x + 3.5, before.y - 6)
  }

  // -- boxes -------------------------------------------------------------------------------------------------------
  private blocks(boxes: readonly Box[]): void {
    for (const [role, color] of Object.entries(this.ink.roles)) {
      this.context.fillStyle = color
      for (const box of boxes) {
        if (box.role === role) this.context.fillRect(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height)
      }
    }
  }

  private path(points: readonly Point[]): void {
    this.context.beginPath()
    for (const { x, y } of points) this.context.lineTo(x, y)
    this.context.closePath()
  }

  private box(box: Box): void {
    const { context } = this
    const color = this.ink.roles[box.role]
    this.path(outline(box))
    context.fillStyle = this.ink.background
    context.fill()
    context.globalAlpha = this.camera.scale < TEXT ? FAR.fill : 0.16
    context.fillStyle = color
    context.fill()
    context.globalAlpha = 1
    context.strokeStyle = color
    context.lineWidth = box.output ? 2.5 : 1.2
    context.setLineDash(box.kind === 'port' ? [3, 2] : [])
    context.stroke()
    context.setLineDash([])
    if (this.camera.scale < TEXT) return
    context.beginPath()
    for (const [from, to] of marks(box)) {
      context.moveTo(from.x, from.y)
      context.lineTo(to.x, to.y)
    }
    context.stroke()
  }

  private words(box: Box): void {
    const { context, ink } = this
    const [top, bottom] = [box.y - box.height / 2, box.y + box.height / 2]
    context.font = `${FONT}px ${ink.font}`
    context.textAlign = 'center'
    context.fillStyle = ink.text
    context.fillText(box.title, box.x, top + 17 - (box.kind === 'port' ? 3 : 0))
    context.fillStyle = ink.muted
    if (box.detail) context.fillText(box.detail, box.x, top + 17 + LINE_HEIGHT)
    context.textAlign = 'left'
    if (box.below) this.beside(box.below, box.x + 5, bottom + 13)
    if (box.to) this.beside(box.to, box.x + 5, bottom + 13 + LINE_HEIGHT)
    if (box.from) this.beside(box.from, box.x + 5, top - 5)
  }

  /** Text beside a line, which other lines may cross. */
  private beside(text: string, x: number, y: number): void {
    this.context.strokeStyle = this.ink.background
    this.context.lineWidth = 4
    this.context.lineJoin = 'round'
    this.context.strokeText(text, x, y)
    this.context.fillText(text, x, y)
  }

  // -- what is lit -------------------------------------------------------------------------------------------------
  private light(boxes: readonly Box[]): void {
    for (const k of this.lit.found) this.ring(boxes[k], this.ink.found, 2, 3, [4, 3])
    this.ring(boxes[this.lit.cursor], this.ink.accent, 1.5, 4, [])
    this.ring(boxes[this.lit.selected], this.ink.accent, 3, 4, [])
  }

  private ring(box: Box | undefined, color: string, width: number, gap: number, dashes: number[]): void {
    if (!box || !this.seen(box)) return
    const { context, camera } = this
    const least = Math.max(1, 1 / camera.scale)
    const around = gap * Math.max(1, 0.5 / camera.scale)
    context.strokeStyle = color
    context.lineWidth = width * least
    context.setLineDash(dashes.map(dash => dash * least))
    context.strokeRect(box.x - box.width / 2 - around, box.y - box.height / 2 - around, box.width + 2 * around, box.height + 2 * around)
    context.setLineDash([])
  }

  // -- kernels -----------------------------------------------------------------------------------------------------
  private frame({ x, y, width, height }: Frame): void {
    const { context, ink } = this
    context.beginPath()
    context.roundRect(x, y, width, height, 5)
    context.globalAlpha = 0.05
    context.fillStyle = ink.text
    context.fill()
    context.globalAlpha = 1
    context.strokeStyle = ink.muted
    context.lineWidth = Math.max(1, 0.8 / this.camera.scale)
    context.stroke()
  }

  /** Titles stay readable when the drawing is small, and in sight while any of the kernel is. */
  private frameTitle(frame: Frame): void {
    const { context, camera, ink } = this
    const from = camera.toScreen(frame)
    const width = frame.width * camera.scale
    if (width < 60 || frame.height * camera.scale < 24) return
    const size = Math.min(FONT, Math.max(10, FONT * camera.scale))
    context.font = `${size}px ${ink.font}`
    context.textAlign = 'left'
    const most = Math.floor((width - 16) / context.measureText('0').width)
    const text = frame.title.length <= most ? frame.title : frame.title.slice(0, Math.max(1, most - 1)) + '…'
    const y = Math.max(from.y, 0) + Math.max(14, (TITLE - 8) * Math.min(1, camera.scale))
    if (y > from.y + frame.height * camera.scale - 4) return
    const x = Math.max(from.x, 0) + 8
    context.fillStyle = ink.background
    context.globalAlpha = 0.85
    context.fillRect(x - 3, y - size, context.measureText(text).width + 6, size + 5)
    context.globalAlpha = 1
    context.fillStyle = ink.text
    context.fillText(text, x, y)
  }
}

/** Whether a point of the screen is on the title of a kernel that is open. */
export function onTitle(frame: Frame, camera: Camera, { x, y }: Point): boolean {
  const from = camera.toScreen(frame)
  const top = Math.max(from.y, 0)
  const [right, bottom] = [from.x + frame.width * camera.scale, from.y + frame.height * camera.scale]
  return x > Math.max(from.x, 0) && x < right && y > top && y < Math.min(bottom, top + TITLE)
}
