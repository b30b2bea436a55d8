// What of a graph is drawn: index arithmetic folded away, every value with the kernel that it is drawn in.

import { Flow } from './messages'

/** What one value reads or is read by, values that are drawn only. */
export interface Links {
  reads: number[][]
  readers: number[][]
  pairs: [number, number][]
}

/** Folded values that are followed for one reader; an address made of more keeps the links found so far. */
const MOST_FOLLOWED = 64

/** Which values are drawn. */
export function drawn(flow: Flow, folded: boolean): boolean[] {
  return flow.nodes.map(node => !(folded && node.index))
}

/** The edges between values that are drawn, each once; what is folded away is passed through. */
export function linksOf(flow: Flow, seen: boolean[]): Links {
  const all: number[][] = flow.nodes.map(() => [])
  for (const [source, target] of flow.edges) all[target]!.push(source)
  const reads: number[][] = flow.nodes.map((_, target) => (seen[target] ? visible(all, seen, target) : []))
  const readers: number[][] = flow.nodes.map(() => [])
  const pairs: [number, number][] = []
  for (const [target, sources] of reads.entries()) {
    for (const source of sources) {
      readers[source]!.push(target)
      pairs.push([source, target])
    }
  }
  return { reads, readers, pairs }
}

function visible(all: number[][], seen: boolean[], target: number): number[] {
  const found = new Set<number>()
  const followed = new Set<number>()
  const pending = [...all[target]!].reverse()
  while (pending.length > 0) {
    const source = pending.pop()!
    if (seen[source]) found.add(source)
    else if (!followed.has(source) && followed.size < MOST_FOLLOWED) {
      followed.add(source)
      pending.push(...[...all[source]!].reverse())
    }
  }
  return [...found]
}

/**
 * The kernel that each value is drawn in. A view that no kernel computes goes to its first reader's, or else to its
 * operand's; a constant to its readers' if that is one. Kernels never go backwards along an edge, so that the drawing
 * of kernels has no cycle.
 */
export function kernelsOf(flow: Flow, { reads, readers }: Links): (number | null)[] {
  const found = flow.nodes.map(node => node.kernel)
  const kernelsAround = (around: number[]) => around.map(n => found[n]!).filter(k => k !== null && k !== undefined)
  for (let n = flow.nodes.length - 1; n >= 0; n--) {
    const { role } = flow.nodes[n]!
    if (found[n] !== null || role === 'input') continue
    const below = kernelsAround(readers[n]!)
    if (role === 'constant') {
      if (below.length === readers[n]!.length && new Set(below).size === 1) found[n] = below[0]!
    } else if (below.length > 0) found[n] = least(below)
  }
  for (let n = 0; n < flow.nodes.length; n++) {
    const { role } = flow.nodes[n]!
    const above = kernelsAround(reads[n]!)
    const joins = found[n] !== null || (role !== 'order' && readers[n]!.every(reader => found[reader] === null))
    if (above.length > 0 && joins) found[n] = Math.max(most(above), found[n] ?? 0)
  }
  return found
}

function least(numbers: number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b))
}

function most(numbers: number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b))
}
