// One output's elements, fetched as they are looked at: small outputs once and whole, of large ones a part at a time.

import { clampLeading, planeOf, Range, Slice, sliceOf } from './slicing'
import { Values } from './values'

export type Fetch = (slice: Slice[]) => Promise<Values>

const WHOLE = 1 << 16 // elements of an output that is fetched at once
const MOST_KEPT = 1 << 23 // elements that are kept of larger ones

export class Source {
  private whole: Promise<Values> | undefined
  private here: Part | undefined // what came with the run
  private readonly parts = new Map<string, { values: Promise<Values>; count: number }>()
  private kept = 0

  constructor(
    readonly dtype: string,
    readonly shape: readonly number[],
    private readonly fetch: Fetch,
    saved?: Values,
    private readonly asked: (slice: Slice[]) => void = () => undefined,
  ) {
    if (saved) this.keep(shape.map(size => [0, size, 1]), saved)
  }

  /** Takes elements that nobody need fetch any more. */
  keep(slice: readonly Slice[], values: Values): void {
    if (values.count === this.count) this.whole = Promise.resolve(values)
    const [rows = ONE, columns = ONE] = slice.slice(-2).length < 2 ? [ONE, slice.at(-1)] : slice.slice(-2)
    if (typeof rows !== 'number' && typeof columns !== 'number') this.here = { leading: slice.slice(0, -2), rows, columns, values }
  }

  /** A rectangle of the matrix at `leading`, if it came with the run. */
  now(leading: readonly number[], rows: Range, columns: Range): Values | undefined {
    const { here } = this
    if (!here || !covers(here.rows, rows) || !covers(here.columns, columns)) return undefined
    const at = placeIn(here.leading, clampLeading(this.shape, leading))
    if (at === undefined) return undefined
    this.asked(sliceOf(this.shape, leading, rows, columns))
    const [height, width] = [here.rows[1] - here.rows[0], here.columns[1] - here.columns[0]]
    const first = at * height + rows[0] - here.rows[0]
    return new Values(here.values.dtype, [here.values.count / Math.max(1, width), width], here.values.raw)
      .window([first, first + rows[1] - rows[0], rows[2]], [columns[0] - here.columns[0], columns[1] - here.columns[0], columns[2]])
  }

  get count(): number {
    return this.shape.reduce((product, size) => product * size, 1)
  }

  get isSmall(): boolean {
    return this.count <= WHOLE
  }

  /** A rectangle of the matrix at `leading`. Rejects with a sentence when it cannot be had. */
  async plane(leading: readonly number[], rows: Range, columns: Range): Promise<Values> {
    const here = this.now(leading, rows, columns)
    if (here) return here
    this.asked(sliceOf(this.shape, leading, rows, columns))
    const { rows: height, columns: width } = planeOf(this.shape)
    if (!this.isSmall) return this.part(sliceOf(this.shape, leading, rows, columns))
    const all = await this.everything()
    const start = leading.reduce((sum, index, axis) => sum * (this.shape[axis] ?? 1) + index, 0) * height
    return new Values(all.dtype, [all.count / Math.max(1, width), width], all.raw).window([start + rows[0], start + rows[1], rows[2]], columns)
  }

  /** Every element of a small output. */
  all(): Promise<Values> {
    this.asked([])
    return this.everything()
  }

  private everything(): Promise<Values> {
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

interface Part {
  leading: readonly Slice[]
  rows: Range
  columns: Range
  values: Values
}

const ONE: Range = [0, 1, 1]

function covers([begin, end, step]: Range, [first, last]: Range): boolean {
  return step === 1 && begin <= first && last <= end
}

/** Which of the matrices of a part is the one at `leading`; undefined when none is. */
function placeIn(part: readonly Slice[], leading: readonly number[]): number | undefined {
  let place = 0
  for (const [axis, slice] of part.entries()) {
    const wanted = leading[axis] ?? 0
    if (typeof slice === 'number') {
      if (slice !== wanted) return undefined
    } else if (!covers(slice, [wanted, wanted + 1, 1])) return undefined
    else place = place * (slice[1] - slice[0]) + wanted - slice[0]
  }
  return place
}

function sizeOf(slice: readonly Slice[]): number {
  return slice.reduce<number>((product, one) => (typeof one === 'number' ? product : product * Math.ceil((one[1] - one[0]) / one[2])), 1)
}

