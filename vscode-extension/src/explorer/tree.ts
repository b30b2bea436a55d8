// The values an explored one is made of, and the ways between their elements.

import { Range } from './formula'
import { Edge, Index, MapNode } from './model'
import { follow, Piece, point, Region, Relation } from './region'

export const MOST_PIECES = 64 // of one set of elements

export interface Step {
  node: number // position in the tree's nodes
  edge?: Edge | undefined // the one that the way goes on by
}

const upTo = (n: number): Range => ({ lo: 0, hi: n - 1 })

/** What the elements of a value read through an edge. */
export function reads({ index, guard = 1, case: only = 1, over = [], chosen = [] }: Edge): Relation {
  const free = [...over.map(upTo), ...chosen.map(({ first, last }) => ({ lo: first, hi: last }))]
  return { index, guard: ['and', guard, only], free, maybe: chosen.length > 0 }
}

/** Where the elements of an edge's operand go. */
export function goesTo({ inverse: { index, guard = 1, free = [] }, chosen = [] }: Edge): Relation {
  return { index, guard, free: free.map(upTo), maybe: chosen.length > 0 }
}

/** Whether a line shows its one operand's elements as they are. */
export function isCopy({ edges, parts }: MapNode): boolean {
  const taken = edges.filter(({ decides }) => !decides)
  if (taken.length === 0 || taken.some(({ over }) => over?.length)) return false
  return taken.every(edge => edge.case !== undefined) || (taken.length === 1 && (parts ?? []).every(part => typeof part === 'number'))
}

export class Tree {
  private readonly order: number[] // users before what they read

  constructor(readonly nodes: readonly MapNode[]) {
    this.order = usersFirst(nodes)
  }

  node(k: number): MapNode {
    const node = this.nodes[k]
    if (!node) throw new Error(`no node ${k}`)
    return node
  }

  /** From the value down, by the edge that was chosen for each value (name and position), else the first. */
  way(choices: Readonly<Record<string, number>>): Step[] {
    const steps: Step[] = []
    for (let k: number | undefined = 0; k !== undefined; ) {
      const { name, edges } = this.node(k)
      const edge: Edge | undefined = edges[choices[name] ?? 0] ?? edges[0]
      steps.push({ node: k, edge })
      k = edge?.to
    }
    return steps
  }

  /** The elements that the element at `index` of the `at`-th value of a way comes from, in each value from there down. */
  below(way: readonly Step[], at: number, index: Index): Piece[] {
    const found: Piece[] = [point(index)]
    for (let k = at; k < way.length - 1; k++) {
      const edge = way[k]?.edge
      const next = found.at(-1)
      const piece = edge && next && follow(next, reads(edge))
      if (!piece) break
      found.push(piece)
    }
    return found
  }

  /** By the node: all elements of the values above that depend on an element, whatever way there is; `cut`: the nodes of
   * which there may be more, because there are too many ways to follow. */
  above(node: number, index: Index): { pieces: Map<number, Piece[]>; cut: Set<number> } {
    const pieces = new Map<number, Piece[]>([[node, [point(index)]]])
    const cut = new Set<number>()
    for (const k of [...this.order].reverse()) {
      if (k === node) continue
      const found = new Map<string, Piece>()
      for (const edge of this.node(k).edges) {
        for (const piece of pieces.get(edge.to) ?? []) {
          const next = follow(piece, goesTo(edge))
          if (next) found.set(JSON.stringify(next), next)
        }
      }
      if (found.size > MOST_PIECES || this.node(k).edges.some(({ to }) => cut.has(to))) cut.add(k)
      if (found.size > 0) pieces.set(k, [...found.values()].slice(0, MOST_PIECES))
    }
    return { pieces, cut }
  }

  region(node: number, pieces: readonly Piece[], cut = false): Region {
    return new Region(this.node(node).shape, pieces, cut)
  }
}

function usersFirst(nodes: readonly MapNode[]): number[] {
  const done = new Set<number>()
  const order: number[] = []
  const stack: [number, boolean][] = [[0, false]]
  for (let top = stack.pop(); top; top = stack.pop()) {
    const [k, left] = top
    if (left) order.push(k)
    if (left || done.has(k)) continue
    done.add(k)
    stack.push([k, true])
    for (const { to } of nodes[k]?.edges ?? []) stack.push([to, false])
  }
  return order.reverse()
}
