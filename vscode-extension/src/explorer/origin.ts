// Which buffer element a value's element is, as long as every step only moves: the number in its cell, and its shade.

import { Compiled, compile } from './formula'
import { Edge, Index } from './model'
import { Tree } from './tree'

export type Origin =
  | { kind: 'at'; number: number; of: number; node: number } // element `number` of the `of` elements of a leaf
  | { kind: 'padding' }
  | undefined // it is computed from several

interface Follower {
  index: Compiled[]
  holds: Compiled
  case: Compiled | undefined
  edge: Edge
}

/** Follows elements of values down to a buffer, at a value with several operands by the one that is chosen. */
export class Origins {
  private readonly followers = new Map<number, Follower[]>()

  constructor(private readonly tree: Tree, private readonly chosen: (node: number) => Edge | undefined) {}

  of(node: number, index: Index): Origin {
    let [at, here] = [index, node]
    for (;;) {
      const { edges, shape, kind } = this.tree.node(here)
      if (edges.length === 0) {
        if (kind === 'const' || shape.length !== 1) return undefined
        return { kind: 'at', number: at[0] ?? 0, of: shape[0] ?? 1, node: here }
      }
      const next = this.next(here, at)
      if (!next || next.edge.over?.length || next.edge.chosen?.length || next.edge.decides) return undefined
      if (!next.holds(at as number[])) return { kind: 'padding' }
      at = next.index.map(f => f(at as number[]))
      here = next.edge.to
    }
  }

  private next(node: number, at: Index): Follower | undefined {
    let all = this.followers.get(node)
    if (!all) {
      all = this.tree.node(node).edges.map(edge => ({
        edge, index: edge.index.map(compile), holds: compile(edge.guard ?? 1), case: edge.case === undefined ? undefined : compile(edge.case),
      }))
      this.followers.set(node, all)
    }
    const cases = all.filter(one => one.case !== undefined)
    if (cases.length > 0) return cases.find(one => one.case?.(at as number[]))
    return all.find(one => one.edge === this.chosen(node)) ?? all[0]
  }
}
