// How a value's elements lie on the screen: the last two axes as rows and columns, the others by sliders, a long vector wrapped.

import { Range } from './formula'
import { Index } from './model'

const LONGEST_ROW = 24

export class Plane {
  readonly rows: number
  readonly columns: number
  readonly wrapped: boolean

  constructor(readonly shape: readonly number[]) {
    const length = shape.at(-1) ?? 1
    this.wrapped = shape.length === 1 && length > LONGEST_ROW
    this.columns = this.wrapped ? 2 ** Math.ceil(Math.log2(length) / 2) : length
    this.rows = this.wrapped ? Math.ceil(length / this.columns) : (shape.at(-2) ?? 1)
  }

  /** Sizes of the axes that have sliders. */
  get leading(): readonly number[] {
    return this.shape.slice(0, -2)
  }

  get isEmpty(): boolean {
    return this.shape.includes(0)
  }

  clamp(leading: readonly number[]): number[] {
    return this.leading.map((n, axis) => Math.min(Math.max(0, leading[axis] ?? 0), Math.max(0, n - 1)))
  }

  /** The element at a place; undefined where there is none. */
  index(leading: readonly number[], row: number, column: number): number[] | undefined {
    if (row < 0 || column < 0 || row >= this.rows || column >= this.columns || this.isEmpty) return undefined
    if (this.shape.length === 0) return []
    if (this.shape.length > 1) return [...leading, row, column]
    const at = row * this.columns + column
    return at < (this.shape[0] ?? 0) ? [at] : undefined
  }

  place(index: Index): { leading: number[]; row: number; column: number } {
    if (this.shape.length > 1) return { leading: index.slice(0, -2), row: index.at(-2) ?? 0, column: index.at(-1) ?? 0 }
    const at = index[0] ?? 0
    return { leading: [], row: Math.floor(at / this.columns), column: at % this.columns }
  }

  /** A range for each axis that holds the rows and columns that are seen (of a wrapped vector: whole rows). */
  window(leading: readonly number[], rows: Range, columns: Range): Range[] {
    if (this.shape.length === 0) return []
    if (this.wrapped) return [{ lo: rows.lo * this.columns, hi: Math.min((rows.hi + 1) * this.columns, this.shape[0] ?? 0) - 1 }]
    if (this.shape.length === 1) return [columns]
    return [...leading.map(i => ({ lo: i, hi: i })), rows, columns]
  }

  whole(leading: readonly number[]): Range[] {
    return this.window(leading, { lo: 0, hi: this.rows - 1 }, { lo: 0, hi: this.columns - 1 })
  }

  /** A run of elements as runs in rows. */
  rowsOf(index: Index, length: number, each: (row: number, column: number, length: number) => void): void {
    let { row, column } = this.place(index)
    while (length > 0) {
      const here = Math.min(length, this.columns - column)
      each(row, column, here)
      length -= here
      row++
      column = 0
    }
  }

  /** Where a key moves from an element; undefined for other keys. */
  moved(key: string, control: boolean, index: Index): number[] | undefined {
    const { leading, row, column } = this.place(index)
    const to = (r: number, c: number) => {
      const [rr, cc] = [Math.min(Math.max(0, r), this.rows - 1), Math.min(Math.max(0, c), this.columns - 1)]
      return this.index(leading, rr, cc) ?? (this.wrapped ? [(this.shape[0] ?? 1) - 1] : undefined)
    }
    if (key === 'ArrowUp') return to(row - 1, column)
    if (key === 'ArrowDown') return row + 1 < this.rows ? to(row + 1, column) : [...index]
    if (key === 'ArrowLeft') return this.wrapped && column === 0 && row > 0 ? to(row - 1, this.columns - 1) : to(row, column - 1)
    if (key === 'ArrowRight') return this.wrapped && column === this.columns - 1 && row + 1 < this.rows ? to(row + 1, 0) : to(row, column + 1)
    if (key === 'Home') return control ? to(0, 0) : to(row, 0)
    if (key === 'End') return control ? to(this.rows - 1, this.columns - 1) : to(row, this.columns - 1)
    if (key === 'PageUp' || key === 'PageDown') return this.turned(index, key === 'PageUp' ? -1 : 1)
    return undefined
  }

  /** The same place in the next slice; without slices, ten rows on. */
  private turned(index: Index, by: number): number[] {
    const { leading, row, column } = this.place(index)
    if (leading.length === 0) return this.index([], Math.min(Math.max(0, row + 10 * by), this.rows - 1), column) ?? [...index]
    const next = [...leading]
    for (let axis = next.length - 1; axis >= 0; axis--) {
      const at = (next[axis] ?? 0) + by
      if (at >= 0 && at < (this.leading[axis] ?? 1)) {
        next[axis] = at
        return [...next, row, column]
      }
      next[axis] = by > 0 ? 0 : (this.leading[axis] ?? 1) - 1
    }
    return [...index]
  }
}
