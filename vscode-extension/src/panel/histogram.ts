// How often which values occur.

import { niceStep } from './axis'
import { Values } from './values'

export interface Histogram {
  begin: number // the first bin's lower edge
  width: number
  counts: number[]
  total: number // finite elements
  others: number // NaN and infinities
  whole: boolean // each bin is one integer (or truth value)
}

/** Bins with round edges, about `wanted`; integers in a small range get one each. */
export function histogram(values: Values, wanted: number): Histogram {
  let low = Infinity
  let high = -Infinity
  let others = 0
  for (let k = 0; k < values.count; k++) {
    const value = values.number(k)
    if (!Number.isFinite(value)) others++
    else {
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  if (low > high) return { begin: 0, width: 1, counts: [], total: 0, others, whole: false }
  const { begin, width, bins, whole } = layout(low, high, wanted, !values.dtype.startsWith('f'))
  const counts = new Array<number>(bins).fill(0)
  for (let k = 0; k < values.count; k++) {
    const value = values.number(k)
    if (!Number.isFinite(value)) continue
    const bin = Math.min(bins - 1, Math.max(0, Math.floor((value - begin) / width)))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return { begin, width, counts, total: values.count - others, others, whole }
}

function layout(low: number, high: number, wanted: number, integers: boolean): { begin: number; width: number; bins: number; whole: boolean } {
  if (integers && high - low < 2 * wanted) return { begin: low, width: 1, bins: high - low + 1, whole: true }
  if (high === low || !Number.isFinite(high - low)) {
    const width = high === low ? niceStep(Math.max(Math.abs(low) / 10, 1e-300)) : (high / wanted - low / wanted)
    return { begin: high === low ? low - width / 2 : low, width, bins: high === low ? 1 : wanted, whole: false }
  }
  const width = Math.max(integers ? 1 : 0, niceStep((high - low) / wanted))
  const begin = Math.floor(low / width + 1e-9) * width
  return { begin, width, bins: Math.max(1, Math.floor((high - begin) / width + 1e-9) + 1), whole: false }
}

/** The edges of a bin: its lower one belongs to it. */
export function edges({ begin, width }: Histogram, bin: number): [number, number] {
  const clean = (value: number) => Number(value.toPrecision(10))
  return [clean(begin + bin * width), clean(begin + (bin + 1) * width)]
}
