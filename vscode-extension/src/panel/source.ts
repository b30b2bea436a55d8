// One output's elements, fetched as they are looked at: small outputs once and whole, of large ones a part at a time.

import { planeOf, Range, Slice, sliceOf } from './slicing'
import { Values } from './values'

export type Fetch = (slice: Slice[]) => Promise<Values>

const WHOLE = 1 << 16 // elements of an output that is fetched at once
const MOST_KEPT = 1 << 23 // elements that are kept of larger ones

export class Source {
  private whole: Promise<Values> | undefined
  private readonly parts = new Map<string, { values: Promise<Values>; count: number }>()
  private kept = 0

  constructor(
    readonly dtype: string,
    readonly shape: readonly number[],
    private readonly fetch: Fetch,
    saved?: Values,
  ) {
    if (saved) this.whole = Promise.resolve(saved)
  }

  get count(): number {
    return this.shape.reduce((product, size) => product * size, 1)
  }

  get isSmall(): boolean {
    return this.count <= WHOLE
  }

  /** A rectangle of the matrix at `leading`. Rejects with a sentence when it cannot be had. */
  async plane(leading: readonly number[], rows: Range, columns: Range): Promise<Values> {
    const { rows: height, columns: width } = planeOf(this.shape)
    if (!this.isSmall) return this.part(sliceOf(this.shape, leading, rows, columns))
    const all = await this.all()
    const start = leading.reduce((sum, index, axis) => sum * (this.shape[axis] ?? 1) + index, 0) * height
    return new Values(all.dtype, [all.count / Math.max(1, width), width], all.raw).window([start + rows[0], start + rows[1], rows[2]], columns)
  }

  /** Every element of a small output. */
  all(): Promise<Values> {
    this.whole ??= this.fetch([]).catch((error: unknown) => {
      this.whole = undefined
      throw error
    })
    return this.whole
  }

  /** A slice of any size the server gives, the newest kept. */
  part(slice: Slice[]): Promise<Values> {
    const key = JSON.stringify(slice)
    const known = this.parts.get(key)
    if (known) {
      this.parts.delete(key)
      this.parts.set(key, known) // the newest is last
      return known.values
    }
    const count = sizeOf(slice)
    const values = this.fetch(slice)
    this.parts.set(key, { values, count })
    this.kept += count
    values.catch(() => this.drop(key))
    for (const old of this.parts.keys()) {
      if (this.kept <= MOST_KEPT || old === key) break
      this.drop(old)
    }
    return values
  }

  private drop(key: string): void {
    this.kept -= this.parts.get(key)?.count ?? 0
    this.parts.delete(key)
  }
}

function sizeOf(slice: readonly Slice[]): number {
  return slice.reduce<number>((product, one) => (typeof one === 'number' ? product : product * Math.ceil((one[1] - one[0]) / one[2])), 1)
}

