// Index expressions: simplified once, then computed often. Whole numbers below 2^53, so that everything is exact.

import { Formula } from './model'

/** The values that a variable takes: lo..hi, both in it. Empty when hi < lo. */
export interface Range {
  lo: number
  hi: number
}

export type Compiled = (v: readonly number[]) => number

export function floorMod(a: number, b: number): number {
  if (b === 0) return 0
  const r = a % b // exact
  return r !== 0 && r < 0 !== b < 0 ? r + b : r + 0 // no -0
}

export function floorDiv(a: number, b: number): number {
  return b === 0 ? 0 : (a - floorMod(a, b)) / b + 0
}

const COMPUTE: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '*': (a, b) => a * b + 0,
  '//': floorDiv,
  '%': floorMod,
  max: Math.max,
  '<': (a, b) => Number(a < b),
  '!=': (a, b) => Number(a !== b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
}

export const variable = (k: number): Formula => ['v', k]

function parts(f: Formula): [string, Formula[]] {
  if (typeof f === 'number') return ['', []]
  const [op, ...rest] = f
  return [op, rest]
}

/** A function of the variables' values. */
export function compile(f: Formula): Compiled {
  if (typeof f === 'number') return () => f
  const [op, rest] = parts(f)
  if (op === 'v') {
    const k = rest[0] as number
    return v => v[k] ?? 0
  }
  const [a, b, c] = rest.map(compile) as [Compiled, Compiled, Compiled]
  if (op === 'not') return v => 1 - a(v)
  if (op === 'where') return v => (a(v) ? b(v) : c(v))
  if (op === '+') return v => a(v) + b(v)
  if (op === '*') return v => a(v) * b(v) + 0 // no -0
  const two = COMPUTE[op]
  if (!two) throw new Error(`no operation ${op}`)
  return v => two(a(v), b(v))
}

/** Puts formulas in the place of variables. */
export function substitute(f: Formula, by: (k: number) => Formula): Formula {
  if (typeof f === 'number') return f
  const [op, rest] = parts(f)
  if (op === 'v') return by(rest[0] as number)
  return [op, ...rest.map(part => substitute(part, by))] as Formula
}

/** The variables of a formula. */
export function variables(f: Formula, into = new Set<number>()): Set<number> {
  const [op, rest] = parts(f)
  if (op === 'v') into.add(rest[0] as number)
  else rest.forEach(part => variables(part, into))
  return into
}

// -- simplifying -----------------------------------------------------------------------------------------------------
/** constant + coefficient * term + ...; a term is a variable or something that is no sum. */
export interface Sum {
  constant: number
  terms: { of: Formula; by: number }[]
}

export function sumOf(f: Formula): Sum {
  if (typeof f === 'number') return { constant: f, terms: [] }
  const [op, [a = 0, b = 0]] = parts(f)
  if (op === '+') return added(sumOf(a), sumOf(b), 1)
  if (op === '*') {
    const [x, y] = [sumOf(a), sumOf(b)]
    if (x.terms.length === 0) return added({ constant: 0, terms: [] }, y, x.constant)
    if (y.terms.length === 0) return added({ constant: 0, terms: [] }, x, y.constant)
  }
  return { constant: 0, terms: [{ of: f, by: 1 }] }
}

function added(a: Sum, b: Sum, times: number): Sum {
  const terms = new Map<string, { of: Formula; by: number }>()
  for (const { of, by } of [...a.terms, ...b.terms.map(term => ({ of: term.of, by: term.by * times }))]) {
    const key = JSON.stringify(of)
    terms.set(key, { of, by: (terms.get(key)?.by ?? 0) + by })
  }
  return { constant: a.constant + b.constant * times + 0, terms: [...terms.values()].filter(({ by }) => by !== 0) }
}

export function formulaOf({ constant, terms }: Sum): Formula {
  let f: Formula | undefined
  for (const { of, by } of terms) {
    const term: Formula = by === 1 ? of : ['*', of, by]
    f = f === undefined ? term : ['+', f, term]
  }
  return f === undefined ? constant : constant === 0 ? f : ['+', f, constant]
}

/** The least and the largest value a formula can have, or wider. */
export function bounds(f: Formula, ranges: readonly Range[]): Range {
  if (typeof f === 'number') return { lo: f, hi: f }
  const [op, [a = 0, b = 0, c = 0]] = parts(f)
  if (op === 'v') return ranges[a as number] ?? { lo: -Infinity, hi: Infinity }
  if (op === '+' || op === '*') return sumBounds(sumOf(f), ranges)
  if (['<', '!=', 'and', 'or', 'not', 'xor'].includes(op)) return { lo: 0, hi: 1 }
  if (op === '%' && typeof b === 'number' && b > 0) return { lo: 0, hi: b - 1 }
  if (op === '//' && typeof b === 'number' && b > 0) {
    const { lo, hi } = bounds(a, ranges)
    return { lo: Math.floor(lo / b), hi: Math.floor(hi / b) }
  }
  if (op !== 'max' && op !== 'where') return { lo: -Infinity, hi: Infinity }
  const [x, y] = op === 'max' ? [bounds(a, ranges), bounds(b, ranges)] : [bounds(b, ranges), bounds(c, ranges)]
  return op === 'max' ? { lo: Math.max(x.lo, y.lo), hi: Math.max(x.hi, y.hi) } : { lo: Math.min(x.lo, y.lo), hi: Math.max(x.hi, y.hi) }
}

function sumBounds({ constant, terms }: Sum, ranges: readonly Range[]): Range {
  let [lo, hi] = [constant, constant]
  for (const { of, by } of terms) {
    if (typeof of !== 'number' && (of[0] === '*' || of[0] === '+')) return { lo: -Infinity, hi: Infinity }
    const term = bounds(of, ranges)
    lo += by * (by > 0 ? term.lo : term.hi)
    hi += by * (by > 0 ? term.hi : term.lo)
  }
  return { lo, hi }
}

/** An equal formula that is simpler, for variables in `ranges`. */
export function simplify(f: Formula, ranges: readonly Range[]): Formula {
  if (typeof f === 'number') return f
  const [op, raw] = parts(f)
  if (op === 'v') {
    const range = ranges[raw[0] as number]
    return range && range.lo === range.hi ? range.lo : f
  }
  const rest = raw.map(part => simplify(part, ranges))
  const built = [op, ...rest] as unknown as Formula
  if (rest.every(part => typeof part === 'number')) return compile(built)([])
  const [a = 0, b = 0, c = 0] = rest
  if (op === '+' || op === '*') return formulaOf(sumOf(built))
  if ((op === '//' || op === '%') && typeof b === 'number' && b > 0) return divided(op, a, b, ranges)
  if (op === 'and') return a === 1 ? b : b === 1 ? a : a === 0 || b === 0 ? 0 : built
  if (op === 'or') return a === 0 ? b : b === 0 ? a : a === 1 || b === 1 ? 1 : built
  if (op === 'where' && typeof a === 'number') return a ? b : c
  if (op === '<') {
    const [x, y] = [bounds(a, ranges), bounds(b, ranges)]
    if (x.hi < y.lo) return 1
    if (x.lo >= y.hi) return 0
  }
  return built
}

/** Takes out what the divisor divides: (4*i + j) // 4 is i where 0 <= j < 4. */
function divided(op: '//' | '%', f: Formula, d: number, ranges: readonly Range[]): Formula {
  const { constant, terms } = sumOf(f)
  const whole = Math.floor(constant / d)
  const out = terms.filter(({ by }) => by % d === 0)
  const rest: Sum = { constant: constant - whole * d, terms: terms.filter(({ by }) => by % d !== 0) }
  const quotient: Sum = { constant: whole, terms: out.map(({ of, by }) => ({ of, by: by / d })) }
  const { lo, hi } = sumBounds(rest, ranges)
  const inner = formulaOf(rest)
  const [first, last] = [Math.floor(lo / d), Math.floor(hi / d)]
  if (first === last && Number.isFinite(first)) {
    return op === '//' ? formulaOf(added(quotient, { constant: first, terms: [] }, 1)) : formulaOf(added(rest, { constant: first * d, terms: [] }, -1))
  }
  return op === '//' ? formulaOf(added(quotient, { constant: 0, terms: [{ of: ['//', inner, d], by: 1 }] }, 1)) : ['%', inner, d]
}
