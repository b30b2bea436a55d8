// A line of many points, as wide as the screen: the least and the largest value of each column of pixels.

import { Values } from './values'

export interface Column {
  low: number // NaN: no number here
  high: number
  first: number
  last: number
}

/** `width` columns out of all elements. */
export function envelope(values: Values, width: number): Column[] {
  const columns: Column[] = []
  for (let x = 0; x < width; x++) {
    const begin = Math.floor((x * values.count) / width)
    const end = Math.max(begin + 1, Math.floor(((x + 1) * values.count) / width))
    columns.push(columnOf(values, begin, end))
  }
  return columns
}

function columnOf(values: Values, begin: number, end: number): Column {
  const found: Column = { low: NaN, high: NaN, first: NaN, last: NaN }
  for (let k = begin; k < end; k++) {
    const value = values.number(k)
    if (!Number.isFinite(value)) continue
    if (!(found.low <= value)) found.low = value
    if (!(found.high >= value)) found.high = value
    if (Number.isNaN(found.first)) found.first = value
    found.last = value
  }
  return found
}
