// What is said about elements: each step with its numbers filled in, and how many there are.

import { compile } from './formula'
import { Edge, Index, MapNode, Reduction } from './model'
import { follow, Piece, Region, Span } from './region'
import { isCopy, reads, Step, Tree } from './tree'

const WRITTEN = 6 // operands of a reduction that are written out, or its ends
const ENDS = 3
const NO_BREAK = '\u00a0'
const SIGNS: Record<Reduction, string> = { sum: ' + ', max: ', ', product: ' · ' }

export function grouped(n: number): string {
  return n.toLocaleString('en')
}

export function counted(n: number, word = 'element'): string {
  return `${grouped(n)} ${word}${n === 1 ? '' : 's'}`
}

/** `%3[1, 2]`, `buffer 0 at 8`; an axis with several indices is `0…3`. */
export function named(node: MapNode, index: readonly string[]): string {
  if (node.kind === 'buffer') return `buffer ${node.slot ?? ''} at ${index.join(', ')}`
  const name = node.kind === 'argument' ? `argument ${node.slot ?? ''}` : node.name
  return index.length === 0 ? name : `${name}[${index.join(', ')}]`
}

/** Breaks lines between the parts of an equation, not inside an index or a comparison. */
export function unbroken(text: string): string {
  const within = text.replace(/\[[^[\]]*\]/g, index => index.replaceAll(' ', NO_BREAK))
  return within.replace(/ ([<≤≠]) /g, `${NO_BREAK}$1${NO_BREAK}`)
}

export function at(node: MapNode, index: Index): string {
  return named(node, index.map(String))
}

/** `3`, `0…3`, `2…14 by 4`, `9 of 0…14`. */
function across({ lo, hi, step, count }: Span): string {
  if (lo === hi) return String(lo)
  if (step > 1) return `${lo}…${hi} by ${step}`
  return count < hi - lo + 1 ? `${count.toLocaleString('en')} of ${lo}…${hi}` : `${lo}…${hi}`
}

/** All elements of a piece at once: the least and the largest index of each axis. */
export function spanned(node: MapNode, piece: Piece, shape: readonly number[] = node.shape): string {
  return named(node, new Region(shape, [piece]).hull.map(across))
}

/** What a line reads for an element (or for several at once), filled in; undefined when there is no one way to write it. */
export function rightSide(tree: Tree, step: Step, piece: Piece): string | undefined {
  const node = tree.node(step.node)
  const operand = (edge: Edge): string | undefined => {
    const next = follow(piece, reads(edge))
    const target = tree.node(edge.to)
    if (!next) return edge.guard !== undefined ? '0' : undefined
    if (edge.chosen?.length) return named(target, chosenIndex(edge, next, target, node.shape.length))
    return spanned(target, next)
  }
  const taken = node.edges.filter(({ decides }) => !decides)
  if (taken.some(edge => edge.case !== undefined)) {
    const found = taken.map(operand).filter(text => text !== undefined)
    return found.length === 1 ? found[0] : undefined
  }
  const [only] = taken
  if (node.how && only) return reduction(tree, node.how, only, piece)
  if (node.op === 'pad' && only && !follow(piece, reads(only))) return '0: padding'
  if (!node.parts) return undefined
  const parts = node.parts.map(part => (typeof part === 'string' ? part : operand(node.edges[part] as Edge)))
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** The index of what an index that is data takes, with the data's name where it decides. */
function chosenIndex(edge: Edge, piece: Piece, target: MapNode, rank: number): string[] {
  const first = rank + (edge.over?.length ?? 0)
  return new Region(target.shape, [piece]).hull.map((range, axis) => {
    const f = edge.index[axis]
    const chosen = typeof f === 'object' && f[0] === 'v' ? edge.chosen?.[(f[1] as number) - first] : undefined
    return chosen ? chosen.by : across(range)
  })
}

/** A sum, maximum or product written out, its middle left out when it is long. */
function reduction(tree: Tree, how: Reduction, edge: Edge, piece: Piece): string {
  const target = tree.node(edge.to)
  const sizes = edge.over ?? []
  const count = sizes.reduce((product, n) => product * n, 1)
  if (count === 0) return `the ${how} of nothing`
  if (piece.ranges.length > 0 || !isPoint(piece)) {
    const next = follow(piece, reads(edge))
    return next ? `${how} over ${counted(count)} of ${spanned(target, next)}` : ''
  }
  const index = piece.index as number[]
  const formulas = edge.index.map(compile)
  const term = (k: number) => at(target, formulas.map(f => f([...index, ...digits(k, sizes)])))
  const shown = count <= WRITTEN ? range(0, count) : [...range(0, ENDS), -1, count - 1]
  const text = shown.map(k => (k < 0 ? '…' : term(k))).join(SIGNS[how])
  const whole = how === 'max' ? `max(${text})` : text
  return count <= WRITTEN ? whole : `${whole}  (${grouped(count)} terms)`
}

export function isPoint(piece: Piece): boolean {
  return piece.ranges.length === 0 && piece.index.every(f => typeof f === 'number')
}

function digits(k: number, sizes: readonly number[]): number[] {
  const found: number[] = []
  for (const n of [...sizes].reverse()) {
    found.unshift(k % n)
    k = Math.floor(k / n)
  }
  return found
}

function range(begin: number, end: number): number[] {
  return Array.from({ length: end - begin }, (_, k) => begin + k)
}

/** One line from an element down a way: `%3[1, 2] = %2[2, 2] = buffer 0 at 8`; where a line computes, a new sentence. */
export function downward(tree: Tree, way: readonly Step[], begin: number, pieces: readonly Piece[], most = 12): string {
  const sentences: string[] = []
  let text = ''
  for (const [k, piece] of pieces.slice(0, most).entries()) {
    const step = way[begin + k] as Step
    const node = tree.node(step.node)
    const here = spanned(node, piece)
    if (!text) text = here
    if (node.edges.length === 0) break
    const right = rightSide(tree, step, piece)
    if (right === undefined) break
    text += ` = ${right}`
    if (!isCopy(node)) {
      sentences.push(text)
      text = ''
    }
  }
  if (text) sentences.push(text)
  return sentences.filter(sentence => sentence.includes(' = ') || sentences.length === 1).join('; ') + (pieces.length > most ? '; …' : '')
}

/** One line from an element up: what depends on it in each value of a way. */
export function upward(tree: Tree, way: readonly Step[], begin: number, regions: ReadonlyMap<number, Region>): string {
  const found: string[] = []
  for (let k = begin - 1; k >= 0; k--) {
    const { node } = way[k] as Step
    const region = regions.get(node)
    const name = tree.node(node)
    if (!region || region.isEmpty) {
      found.push(region?.partial ? `perhaps some of ${name.name}` : `nothing of ${name.name}`)
      break
    }
    const { count, exact } = region.size()
    found.push(count === 1 && exact && region.first ? at(name, region.first) : `${exact ? '' : 'at least '}${counted(count)} of ${name.name}`)
  }
  return found.length === 0 ? '' : `goes to ${found.join(' → ')}`
}
