// Which part of an output is looked at: an index for each leading axis, a rectangle of the last two.

export type Range = readonly [begin: number, end: number, step: number]
export type Slice = number | Range

export interface Plane {
  rows: number
  columns: number
  leading: readonly number[] // sizes of the axes before the last two
}

/** The matrices of an output: a vector is one row, a scalar one element. */
export function planeOf(shape: readonly number[]): Plane {
  return { rows: shape.at(-2) ?? 1, columns: shape.at(-1) ?? 1, leading: shape.slice(0, -2) }
}

/** Indices of the leading axes moved into the shape; what is missing is 0. */
export function clampLeading(shape: readonly number[], leading: readonly number[]): number[] {
  return planeOf(shape).leading.map((size, axis) => Math.min(Math.max(0, Math.trunc(leading[axis] ?? 0)), Math.max(0, size - 1)))
}

/** The request for a rectangle of the matrix at `leading`. */
export function sliceOf(shape: readonly number[], leading: readonly number[], rows: Range, columns: Range): Slice[] {
  if (shape.length === 0) return []
  if (shape.length === 1) return [columns]
  return [...clampLeading(shape, leading), rows, columns]
}

/** The whole index of an element of the matrix at `leading`. */
export function fullIndex(shape: readonly number[], leading: readonly number[], row: number, column: number): number[] {
  if (shape.length === 0) return []
  if (shape.length === 1) return [column]
  return [...clampLeading(shape, leading), row, column]
}

/** Where an element is: the leading indices, row and column that show it. */
export function placeOf(index: readonly number[]): { leading: number[]; row: number; column: number } {
  return { leading: index.slice(0, -2), row: index.at(-2) ?? 0, column: index.at(-1) ?? 0 }
}

/** The smallest step with which so many elements are at most `limit`. */
export function stepFor(extent: number, limit: number): number {
  return Math.max(1, Math.ceil(extent / limit))
}

/** A slice of the whole output of at most `limit` elements, and one in how many it takes. */
export function sample(shape: readonly number[], limit: number): { slice: Slice[]; every: number } {
  const slices: Range[] = shape.map(size => [0, size, 1])
  let total = shape.reduce((product, size) => product * size, 1)
  for (let axis = 0; axis < shape.length && total > limit; axis++) {
    const size = shape[axis] ?? 1
    const step = Math.min(size, stepFor(total, limit))
    slices[axis] = [0, size, step]
    total = (total / size) * Math.ceil(size / step)
  }
  const all = shape.reduce((product, size) => product * size, 1)
  return { slice: slices, every: total > 0 ? Math.round(all / total) : 1 }
}
