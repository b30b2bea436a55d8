// Sets of elements of a value, as large as they may be: the places an index formula names while its variables run.
//
// A piece falls apart into groups of axes that share no variable. An axis that runs evenly (`v + 3`, `4*v`, `4*i + j`) is
// kept as a run; other groups are listed, within a budget. The set is the product of its groups.

import { compile, Range, simplify, substitute, sumOf, variable, variables } from './formula'
import { Formula, Index } from './model'

/** The index of every element in the set, in terms of variables in `ranges`, where `guard` holds. */
export interface Piece {
  index: Formula[]
  guard: Formula
  ranges: Range[]
  maybe: boolean // by an index that is data: known only in a run
}

/** Elements of one value in terms of those of another: variables are its axes, then `free` ones. */
export interface Relation {
  index: readonly Formula[]
  guard: Formula
  free: readonly Range[]
  maybe: boolean
}

interface Run {
  axis: number
  start: number
  step: number
  count: number
}
interface Listed {
  axes: number[]
  list: number[][]
}
type Group = Run | Listed

const BUDGET = 400_000 // positions tried for one piece
const COUNTED = 400_000 // elements told apart when pieces overlap

export function point(index: Index): Piece {
  return { index: [...index], guard: 1, ranges: [], maybe: false }
}

/** The elements that a relation gives for those of a piece; undefined when there are none. */
export function follow(piece: Piece, relation: Relation): Piece | undefined {
  const own = piece.ranges.length
  const by = (k: number): Formula => piece.index[k] ?? variable(own + k - piece.index.length)
  const ranges = [...piece.ranges, ...relation.free]
  const guard: Formula = ['and', piece.guard, substitute(relation.guard, by)]
  return tidy({ index: relation.index.map(f => substitute(f, by)), guard, ranges, maybe: piece.maybe || relation.maybe })
}

/** Simplified, with the guard's bounds on single variables taken into their ranges and unused variables gone. */
function tidy(piece: Piece): Piece | undefined {
  const ranges = piece.ranges.map(range => ({ ...range }))
  const kept = conjuncts(simplify(piece.guard, ranges)).filter(part => !narrow(part, ranges))
  if (ranges.some(({ lo, hi }) => hi < lo)) return undefined
  const guard = kept.reduce<Formula>((all, part) => simplify(['and', all, simplify(part, ranges)], ranges), 1)
  if (guard === 0) return undefined
  const index = piece.index.map(f => simplify(f, ranges))
  const used = new Set<number>(variables(guard))
  index.forEach(f => variables(f, used))
  const order = [...used].sort((a, b) => a - b)
  const renamed = (f: Formula) => substitute(f, k => variable(order.indexOf(k)))
  return { index: index.map(renamed), guard: renamed(guard), ranges: order.map(k => ranges[k] ?? { lo: 0, hi: 0 }), maybe: piece.maybe }
}

function conjuncts(f: Formula): Formula[] {
  if (f === 1) return []
  return typeof f !== 'number' && f[0] === 'and' ? f.slice(1).flatMap(part => conjuncts(part as Formula)) : [f]
}

/** Takes `a < b` about one variable into its range; whether it could. */
function narrow(f: Formula, ranges: Range[]): boolean {
  if (typeof f === 'number' || f[0] !== '<') return false
  const { constant, terms } = sumOf(['+', f[1] as Formula, ['*', f[2] as Formula, -1]])
  const [term] = terms
  if (!term || terms.length > 1 || typeof term.of === 'number' || term.of[0] !== 'v') return false
  const range = ranges[term.of[1] as number]
  if (!range) return false
  if (term.by > 0) range.hi = Math.min(range.hi, Math.ceil(-constant / term.by) - 1)
  else range.lo = Math.max(range.lo, Math.floor(constant / -term.by) + 1)
  return true
}

// -- groups ----------------------------------------------------------------------------------------------------------
/** The independent groups of a piece; undefined when a guard never holds; `cut` when the budget did not suffice. */
function groupsOf(piece: Piece): { groups: Group[]; cut: boolean } | undefined {
  const guards = conjuncts(piece.guard)
  const groups: Group[] = []
  let cut = false
  for (const { axes, held, used } of components(piece.index, guards)) {
    const run = axes.length === 1 && held.length === 0 ? runOf(piece, axes[0] ?? 0) : undefined
    if (run) groups.push(run)
    else {
      const listed = list(piece, axes, held, used)
      if (listed.list.length === 0) return undefined
      cut ||= listed.cut
      if (axes.length > 0) groups.push({ axes, list: listed.list })
    }
  }
  return { groups, cut }
}

interface Component {
  axes: number[]
  held: Formula[]
  used: Set<number>
}

/** Axes and guards, those that share a variable together. */
function components(index: readonly Formula[], guards: readonly Formula[]): Component[] {
  let found: Component[] = []
  const add = (one: Component) => {
    const joined = found.filter(other => [...one.used].some(k => other.used.has(k)))
    found = found.filter(other => !joined.includes(other))
    for (const other of joined) {
      one.axes.push(...other.axes)
      one.held.push(...other.held)
      other.used.forEach(k => one.used.add(k))
    }
    found.push(one)
  }
  index.forEach((f, axis) => add({ axes: [axis], held: [], used: variables(f) }))
  for (const guard of guards) add({ axes: [], held: [guard], used: variables(guard) })
  return found
}

/** An axis whose index is a sum of multiples of variables that together step evenly. */
function runOf(piece: Piece, axis: number): Run | undefined {
  const { constant, terms } = sumOf(piece.index[axis] ?? 0)
  let [start, step, count] = [constant, 1, 1]
  for (const { of, by } of terms.sort((a, b) => Math.abs(a.by) - Math.abs(b.by))) {
    if (typeof of === 'number' || of[0] !== 'v') return undefined
    const { lo, hi } = piece.ranges[of[1] as number] ?? { lo: 0, hi: 0 }
    const [size, stride] = [hi - lo + 1, Math.abs(by)]
    start += by * (by > 0 ? lo : hi)
    if (count === 1) [step, count] = [stride, size]
    else if (stride % step === 0 && stride <= step * count) count += (stride / step) * (size - 1)
    else return undefined
  }
  return { axis, start, step, count }
}

function list(piece: Piece, axes: readonly number[], held: readonly Formula[], used: ReadonlySet<number>): { list: number[][]; cut: boolean } {
  const holds = held.map(compile)
  const at = axes.map(axis => compile(piece.index[axis] ?? 0))
  const order = [...used].sort((a, b) => a - b)
  const v = piece.ranges.map(({ lo }) => lo)
  const found = new Map<string, number[]>()
  for (let tried = 0; tried < BUDGET; tried++) {
    if (holds.every(f => f(v))) {
      const place = at.map(f => f(v))
      found.set(place.join(), place)
    }
    if (!advance(v, order, piece.ranges)) return { list: [...found.values()], cut: false }
  }
  return { list: [...found.values()], cut: true }
}

function advance(v: number[], order: readonly number[], ranges: readonly Range[]): boolean {
  for (let k = order.length - 1; k >= 0; k--) {
    const at = order[k] ?? 0
    const { lo, hi } = ranges[at] ?? { lo: 0, hi: 0 }
    const next = (v[at] ?? 0) + 1
    if (next <= hi) {
      v[at] = next
      return true
    }
    v[at] = lo
  }
  return false
}

// -- regions ---------------------------------------------------------------------------------------------------------
interface Cut {
  groups: Group[]
  maybe: boolean
}

/** `count` indices from `lo` to `hi`, with `step` between them where they are even. */
export interface Span extends Range {
  step: number
  count: number
}

export interface Size {
  count: number
  exact: boolean // else: at least so many
}

/** A set of elements of a value of some shape. */
export class Region {
  private readonly cuts: Cut[] = []
  private whole: boolean

  /** `partial`: there may be more elements than those of the pieces. */
  constructor(private readonly shape: readonly number[], pieces: readonly Piece[], readonly partial = false) {
    this.whole = !partial
    for (const piece of pieces) {
      const found = groupsOf(piece)
      if (!found) continue
      this.cuts.push({ groups: found.groups, maybe: piece.maybe })
      if (found.cut) this.whole = false
    }
  }

  get isEmpty(): boolean {
    return this.cuts.length === 0
  }

  /** Whether membership depends on data. */
  get maybe(): boolean {
    return this.cuts.some(({ maybe }) => maybe)
  }

  /** How many elements, of those inside a window (a range for each axis). */
  size(window: readonly Range[] = this.everything): Size {
    const each = this.cuts.map(({ groups }) => groups.reduce((product, group) => product * countIn(group, window), 1))
    const [first = 0] = each
    if (each.length <= 1) return { count: first, exact: this.whole }
    const most = Math.max(...each)
    if (most === this.everything.reduce((product, { hi }) => product * (hi + 1), 1)) return { count: most, exact: true }
    if (each.reduce((sum, n) => sum + n, 0) > COUNTED) return { count: most, exact: false }
    const seen = new Set<number>()
    this.visit(window, (index, length) => {
      const at = this.flat(index)
      for (let k = 0; k < length; k++) seen.add(at + k)
    })
    return { count: seen.size, exact: this.whole }
  }

  private get everything(): Range[] {
    return this.shape.map(n => ({ lo: 0, hi: n - 1 }))
  }

  private flat(index: Index): number {
    return index.reduce((at, i, axis) => at * (this.shape[axis] ?? 1) + i, 0)
  }

  /** Calls back for the elements inside a window, as runs along the last axis: `index` and how many from there. */
  visit(window: readonly Range[], emit: (index: Index, length: number, maybe: boolean) => void): void {
    for (const { groups, maybe } of this.cuts) {
      const last = this.shape.length - 1
      const along = groups.find(group => isRun(group) && group.axis === last && (group.step === 1 || group.count === 1)) as Run | undefined
      const others = groups.filter(group => group !== along)
      const index = new Array<number>(this.shape.length).fill(0)
      const each = (k: number): void => {
        const group = others[k]
        if (group) return places(group, window, place => { axesOf(group).forEach((axis, n) => { index[axis] = place[n] ?? 0 }); each(k + 1) })
        if (!along) return emit(index, 1, maybe)
        const begin = Math.max(along.start, window[last]?.lo ?? 0)
        const end = Math.min(along.start + along.count - 1, window[last]?.hi ?? 0)
        if (end < begin) return
        index[last] = begin
        emit(index, end - begin + 1, maybe)
      }
      each(0)
    }
  }

  /** An element of the set: the first of its first piece. */
  get first(): number[] | undefined {
    const cut = this.cuts[0]
    if (!cut) return undefined
    const index = this.shape.map(() => 0)
    for (const group of cut.groups) axesOf(group).forEach((axis, n) => { index[axis] = isRun(group) ? group.start : (group.list[0]?.[n] ?? 0) })
    return index
  }

  /** The least and the largest index on each axis, and how many of those between. */
  get hull(): Span[] {
    return this.shape.map((_, axis) => {
      const [first, ...others] = this.cuts.map(({ groups }) => spanOf(groups.find(group => axesOf(group).includes(axis)), axis))
      if (!first) return { lo: Infinity, hi: -Infinity, step: 1, count: 0 }
      return others.reduce(joined, first)
    })
  }

  has(index: Index): boolean {
    let found = false
    this.visit(index.map(i => ({ lo: i, hi: i })), () => { found = true })
    return found
  }
}

function isRun(group: Group): group is Run {
  return 'axis' in group
}

function axesOf(group: Group): readonly number[] {
  return isRun(group) ? [group.axis] : group.axes
}

function spanOf(group: Group | undefined, axis: number): Span {
  if (!group) return { lo: 0, hi: 0, step: 1, count: 1 }
  if (isRun(group)) return { lo: group.start, hi: group.start + group.step * (group.count - 1), step: group.step, count: group.count }
  const n = group.axes.indexOf(axis)
  const places = new Set(group.list.map(place => place[n] ?? 0))
  const [lo, hi] = [...places].reduce(([least, most], at) => [Math.min(least, at), Math.max(most, at)], [Infinity, -Infinity])
  return { lo, hi, step: 1, count: places.size }
}

/** Around both; how many lie between is known only where all of them do. */
function joined(a: Span, b: Span): Span {
  const [lo, hi] = [Math.min(a.lo, b.lo), Math.max(a.hi, b.hi)]
  return { lo, hi, step: 1, count: hi - lo + 1 }
}

/** The first and the last position of a run inside a range; none when last < first. */
function inside({ start, step, count }: Run, range: Range | undefined): [number, number] {
  if (!range) return [0, count - 1]
  return [Math.max(0, Math.ceil((range.lo - start) / step)), Math.min(count - 1, Math.floor((range.hi - start) / step))]
}

function within(place: readonly number[], axes: readonly number[], window: readonly Range[]): boolean {
  return axes.every((axis, n) => {
    const { lo, hi } = window[axis] ?? { lo: 0, hi: -1 }
    return lo <= (place[n] ?? 0) && (place[n] ?? 0) <= hi
  })
}

function countIn(group: Group, window: readonly Range[]): number {
  if (!isRun(group)) return group.list.filter(place => within(place, group.axes, window)).length
  const [first, last] = inside(group, window[group.axis])
  return Math.max(0, last - first + 1)
}

function places(group: Group, window: readonly Range[], each: (place: readonly number[]) => void): void {
  if (!isRun(group)) return group.list.forEach(place => within(place, group.axes, window) && each(place))
  const [first, last] = inside(group, window[group.axis])
  for (let k = first; k <= last; k++) each([group.start + k * group.step])
}
