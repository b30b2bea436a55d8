// Where the drawing is looked at from.

import { Point } from '../layout'

export const LARGEST = 4
export const LEGIBLE = 0.6 // text can be read with ease from here on
export const NEAR = 0.9
const SMALLEST = 0.004
const LEAST_WHOLE = 0.05 // a drawing that would be smaller as a whole is fitted by its width

/** `x`, `y`: the point of the drawing in the upper left corner of the view; `scale`: pixels for a unit of the drawing. */
export class Camera {
  x = 0
  y = 0
  scale = 1
  width = 0
  height = 0

  toScreen({ x, y }: Point): Point {
    return { x: (x - this.x) * this.scale, y: (y - this.y) * this.scale }
  }

  toWorld({ x, y }: Point): Point {
    return { x: x / this.scale + this.x, y: y / this.scale + this.y }
  }

  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale
    this.y -= dy / this.scale
  }

  /** Zooms so that what is at a point of the screen stays there. */
  zoom(factor: number, at: Point = { x: this.width / 2, y: this.height / 2 }): void {
    const before = this.toWorld(at)
    this.scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor))
    this.x = before.x - at.x / this.scale
    this.y = before.y - at.y / this.scale
  }

  /** Everything in sight, not larger than in life. */
  fit(width: number, height: number): void {
    const room = { width: Math.max(1, this.width - 32), height: Math.max(1, this.height - 48) }
    const whole = Math.min(1, room.width / Math.max(1, width), room.height / Math.max(1, height))
    this.scale = whole >= LEAST_WHOLE ? whole : Math.min(1, Math.max(LEAST_WHOLE, room.width / Math.max(1, width)))
    this.x = (width - this.width / this.scale) / 2
    this.y = height * this.scale < this.height ? (height - this.height / this.scale) / 2 : -16 / this.scale
  }

  /** Everything in sight; where its text could not be read then, and its width allows more, its beginning. */
  begin(width: number, height: number): void {
    this.fit(width, height)
    const across = Math.min(1, (this.width - 32) / Math.max(1, width))
    if (this.scale >= LEGIBLE || across < LEGIBLE) return
    this.scale = Math.min(NEAR, across)
    this.x = (width - this.width / this.scale) / 2
    this.y = -16 / this.scale
  }

  /** Puts a point of the drawing at one of the screen. */
  hold(point: Point, at: Point): void {
    this.x = point.x - at.x / this.scale
    this.y = point.y - at.y / this.scale
  }

  centre(point: Point): void {
    this.hold(point, { x: this.width / 2, y: this.height / 2 })
  }

  /** Whether a point is in sight, and not at the very edge. */
  sees(point: Point): boolean {
    const { x, y } = this.toScreen(point)
    const edge = Math.min(40, this.width / 6, this.height / 6)
    return x > edge && y > edge && x < this.width - edge && y < this.height - edge
  }
}
