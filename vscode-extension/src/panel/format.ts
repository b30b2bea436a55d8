// Numbers and types as text: grouped, with units, as the language writes them.

import { Scalar } from './values'

const CELL_DIGITS = 6

export function count(n: number): string {
  return n.toLocaleString('en')
}

export function typeText(dtype: string, shape: readonly number[]): string {
  return `${dtype}[${shape.join(', ')}]`
}

export function indexText(index: readonly number[]): string {
  return `[${index.join(', ')}]`
}

/** A value short enough for a cell: six digits. */
export function cell(value: Scalar | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return value.toLocaleString('en')
  return special(value) ?? (Number.isInteger(value) && Math.abs(value) < 1e6 ? count(value) : digits(value, CELL_DIGITS))
}

/** A value with as few digits as tell it from its neighbours in its dtype. */
export function exact(value: Scalar | undefined, dtype: string): string {
  if (value === undefined) return ''
  if (typeof value !== 'number') return cell(value)
  if (/^[iu]/.test(dtype)) return count(value)
  const found = special(value)
  if (found !== undefined) return found
  for (let p = 1; p < 17; p++) {
    const near = Number(value.toPrecision(p))
    if (isSame(near, value, dtype)) return plain(near)
  }
  return plain(value)
}

function plain(value: number): string {
  const size = Math.abs(value)
  return size < 1e-5 || size >= 1e15 ? tidy(value.toExponential()) : value.toLocaleString('en', { maximumFractionDigits: 20 })
}

function isSame(near: number, value: number, dtype: string): boolean {
  if (dtype === 'f64') return near === value
  if (dtype === 'f32') return Math.fround(near) === value
  const ulp = 2 ** Math.max(-24, Math.floor(Math.log2(Math.abs(value))) - 10)
  return Math.abs(near - value) < ulp / 2
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  return value === 0 ? (Object.is(value, -0) ? '-0' : '0') : undefined
}

/** So many significant digits, without what is not needed: 0.25, 1.5e-7, 1,234.5. */
export function digits(value: number, precision: number): string {
  const found = special(value)
  if (found !== undefined) return found
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e9) return tidy(value.toExponential(Math.min(precision, 5) - 1))
  const text = tidy(value.toPrecision(precision))
  if (size < 1e4 || text.includes('e')) return text.includes('e') ? count(Math.round(value)) : text
  const [whole = '', fraction] = text.split('.')
  return fraction === undefined ? count(Number(whole)) : `${count(Number(whole))}.${fraction}`
}

function tidy(text: string): string {
  const [mantissa = '', exponent] = text.split('e')
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
  return exponent === undefined ? short : `${short}e${exponent.replace('+', '')}`
}

/** Events a second out of a count and milliseconds: "12.3 GFLOP/s", "640 MB/s". */
export function rate(amount: number, milliseconds: number, unit: string): string {
  const perSecond = (amount / milliseconds) * 1e3
  const [size, prefix] = PREFIXES.find(([size]) => perSecond >= size) ?? [1, '']
  return `${Number((perSecond / size).toPrecision(3))} ${prefix}${unit}/s`
}

/** A speed against the most that is possible: "62 of 94 GFLOP/s (66 %)". */
export function rateOfPeak(own: number, peak: number, unit: string): string {
  const [size, prefix] = PREFIXES.find(([size]) => Math.max(own, peak) >= size) ?? [1, '']
  return `${short(own / size)} of ${short(peak / size)} ${prefix}${unit}/s (${Math.round((100 * own) / peak)} %)`
}

function short(value: number): string {
  return value >= 10 ? count(Math.round(value)) : String(Number(value.toPrecision(2)))
}

const PREFIXES: [number, string][] = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']]

export function clock(time: number): string {
  return new Date(time).toLocaleTimeString('en-GB')
}

/** "3 elements", "1 element". */
export function plural(n: number, word: string): string {
  return `${count(n)} ${word}${n === 1 ? '' : 's'}`
}
