// What is drawn, with its places: boxes, the frames of kernels, and the lines between boxes.

import { Point } from './layout'
import { Role } from './messages'

/** A value, a kernel that is closed, or the name of a value of elsewhere at the top of the kernel that reads it. */
export interface Box {
  key: string
  kind: 'value' | 'kernel' | 'port'
  /** The value; of a kernel its first one. */
  node: number
  kernel: number | null
  role: Role
  output: boolean
  title: string
  detail: string
  /** The type, under the box. */
  below: string
  /** Where lines that are not drawn come from and go to. */
  from: string
  to: string
  x: number
  y: number
  width: number
  height: number
}

/** A kernel that is open: x and y of its upper left corner. */
export interface Frame {
  kernel: number
  title: string
  x: number
  y: number
  width: number
  height: number
}

export interface Line {
  source: number
  target: number
  points: Point[]
}

export interface Scene {
  boxes: Box[]
  frames: Frame[]
  lines: Line[]
  /** The box that shows each value, -1 for what is folded away. */
  boxOf: number[]
  width: number
  height: number
}

export const LINE_HEIGHT = 15
export const TITLE = 24 // of a frame
const SLANT = 8

/** The corners of a box: each role has a shape of its own, so that none is told by its colour alone. */
export function outline({ kind, role, x, y, width, height }: Box): Point[] {
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2]
  const corners = (...xs: [number, number][]): Point[] => xs.map(([px, py]) => ({ x: px, y: py }))
  if (kind === 'port') return corners([left, top], [right, top], [right, bottom - 5], [x, bottom], [left, bottom - 5])
  if (kind === 'kernel') return corners([left, top], [right, top], [right, bottom], [left, bottom])
  if (role === 'view') return corners([left + SLANT, top], [right, top], [right - SLANT, bottom], [left, bottom])
  if (role === 'reduce') return corners([left, top], [right, top], [right - SLANT, bottom], [left + SLANT, bottom])
  if (role === 'input') {
    const cut = SLANT - 2
    return corners([left + cut, top], [right - cut, top], [right, top + cut], [right, bottom - cut], [right - cut, bottom], [left + cut, bottom], [left, bottom - cut], [left, top + cut])
  }
  if (role === 'constant') return corners([left + SLANT, top], [right - SLANT, top], [right, y], [right - SLANT, bottom], [left + SLANT, bottom], [left, y])
  return corners([left, top], [right, top], [right, bottom], [left, bottom])
}

/** Lines inside a box that tell memory and order from computing. */
export function marks({ kind, role, x, y, width, height }: Box): [Point, Point][] {
  if (kind !== 'value') return []
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2]
  const upright = (at: number): [Point, Point] => [{ x: at, y: top }, { x: at, y: bottom }]
  const level = (at: number): [Point, Point] => [{ x: left, y: at }, { x: right, y: at }]
  if (role === 'memory') return [upright(left + 4), upright(right - 4)]
  return role === 'order' ? [level(top + 3), level(bottom - 3)] : []
}
