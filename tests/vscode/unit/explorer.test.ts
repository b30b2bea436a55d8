// The explorer's parts that need no browser, against what NumPy says (indexMaps.json, made by tests/compiler/analysis/test_explore.py).

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { bounds, compile, floorDiv, floorMod, Range, simplify } from '../../../vscode-extension/src/explorer/formula'
import { Formula, Index, MapNode } from '../../../vscode-extension/src/explorer/model'
import { follow, point, Region } from '../../../vscode-extension/src/explorer/region'
import { reads, Tree } from '../../../vscode-extension/src/explorer/tree'

interface Case {
  text: string
  nodes: MapNode[]
  made: number[][][] // by the node and the flat element of node 0: the flat elements of the node it is made of
}

const cases = JSON.parse(fs.readFileSync(path.join(process.cwd(), 'tests', 'vscode', 'unit', 'indexMaps.json'), 'utf8')) as Case[]

const product = (shape: readonly number[]) => shape.reduce((all, n) => all * n, 1)
const everything = (shape: readonly number[]): Range[] => shape.map(n => ({ lo: 0, hi: n - 1 }))
const flat = (shape: readonly number[], index: Index) => index.reduce((at, i, axis) => at * (shape[axis] ?? 1) + i, 0)

function indexOf(shape: readonly number[], at: number): number[] {
  const index: number[] = []
  for (const n of [...shape].reverse()) {
    index.unshift(at % n)
    at = Math.floor(at / n)
  }
  return index
}

function elements(shape: readonly number[], region: Region, window = everything(shape)): number[] {
  const found = new Set<number>()
  region.visit(window, (index, length) => {
    for (let k = 0; k < length; k++) found.add(flat(shape, index) + k)
  })
  return [...found].sort((a, b) => a - b)
}

/** All elements of all nodes that an element of node 0 is made of, by every way. */
function madeOf(tree: Tree, index: Index): Set<number>[] {
  const found = tree.nodes.map(() => new Set<number>())
  const stack = [{ node: 0, piece: point(index) }]
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { shape, edges } = tree.node(top.node)
    elements(shape, tree.region(top.node, [top.piece])).forEach(at => found[top.node]?.add(at))
    for (const edge of edges) {
      const piece = follow(top.piece, reads(edge))
      if (piece) stack.push({ node: edge.to, piece })
    }
  }
  return found
}

test('there are enough programs, with every kind of step', () => {
  const ops = new Set(cases.flatMap(({ nodes }) => nodes.map(({ op }) => op)))
  for (const op of ['reshape', 'permute', 'shrink', 'pad', 'flip', 'expand', 'reduce', 'stack', 'index', 'mul', 'buffer']) assert.ok(ops.has(op), op)
  assert.ok(cases.some(({ nodes }) => nodes.some(({ edges }) => edges.some(({ chosen }) => chosen))))
})

test('every element comes from where NumPy says', () => {
  for (const { text, nodes, made } of cases) {
    const tree = new Tree(nodes)
    for (let at = 0; at < product(tree.node(0).shape); at++) {
      const found = madeOf(tree, indexOf(tree.node(0).shape, at))
      nodes.forEach((_, k) => assert.deepEqual([...(found[k] ?? [])].sort((a, b) => a - b), made[k]?.[at], `${text}element ${at}, node ${k}`))
    }
  }
})

test('and goes where NumPy says, by every way; sizes and windows count the same', () => {
  for (const { text, nodes, made } of cases) {
    const tree = new Tree(nodes)
    const { shape } = tree.node(0)
    nodes.forEach((node, k) => {
      for (let at = 0; at < product(node.shape); at++) {
        const { pieces, complete } = tree.above(k, indexOf(node.shape, at))
        const region = tree.region(0, pieces.get(0) ?? [])
        const wanted = (made[k] ?? []).flatMap((sources, user) => (sources.includes(at) ? [user] : []))
        assert.ok(complete)
        assert.deepEqual(elements(shape, region), wanted, `${text}node ${k}, element ${at}`)
        assert.deepEqual(region.size(), { count: wanted.length, exact: true })
        assert.equal(region.isEmpty, wanted.length === 0)
        if (region.first) assert.ok(wanted.includes(flat(shape, region.first)))
        const half = shape.map(n => ({ lo: Math.floor(n / 3), hi: n - 1 }))
        const inHalf = wanted.filter(user => indexOf(shape, user).every((i, axis) => i >= (half[axis]?.lo ?? 0)))
        assert.deepEqual(elements(shape, region, half), inHalf)
        assert.deepEqual(region.size(half), { count: inHalf.length, exact: true })
      }
    })
  }
})

test('division rounds toward minus infinity and is exact up to 2^53', () => {
  for (const [a, b, div, mod] of [[7, 2, 3, 1], [-7, 2, -4, 1], [7, -2, -4, -1], [-7, -2, 3, -1], [5, 0, 0, 0], [2 ** 53 - 1, 3, 3002399751580330, 1]] as const) {
    assert.equal(floorDiv(a, b), div)
    assert.equal(floorMod(a, b), mod)
  }
  assert.ok(Object.is(floorMod(-4, 2), 0) && Object.is(floorDiv(0, -3), 0))
})

test('a simplified formula has the same value everywhere, inside its bounds', () => {
  let seed = 7
  const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n
  const sizes = [5, 4, 3]
  const make = (depth: number): Formula => {
    if (depth === 0) return random(2) ? ['v', random(3)] : random(15) - 5
    const op = ['+', '+', '*', '//', '%', 'max', '<', 'and', 'where'][random(9)] ?? '+'
    if (op === '*') return ['*', make(depth - 1), random(7) - 2]
    if (op === '//' || op === '%') return [op, make(depth - 1), random(6) + 1]
    if (op === 'and') return ['and', ['<', make(depth - 1), make(0)], ['not', ['<', make(0), make(depth - 1)]]]
    if (op === 'where') return ['where', ['<', make(0), make(0)], make(depth - 1), make(depth - 1)]
    return [op, make(depth - 1), make(depth - 1)]
  }
  for (let k = 0; k < 3000; k++) {
    const f = make(1 + random(4))
    const simple = simplify(f, everything(sizes))
    const { lo, hi } = bounds(simple, everything(sizes))
    const [one, other] = [compile(f), compile(simple)]
    for (let at = 0; at < product(sizes); at++) {
      const v = indexOf(sizes, at)
      assert.equal(other(v), one(v), JSON.stringify([f, simple, v]))
      assert.ok(lo <= one(v) && one(v) <= hi, JSON.stringify([f, simple, v]))
    }
  }
})

test('a set of a million elements costs nothing: it is kept as runs', () => {
  const shape = [1024, 1024]

  const region = new Region(shape, [{ index: [['v', 0], ['v', 1]], guard: 1, ranges: everything(shape), maybe: false }])
  assert.deepEqual(region.size(), { count: 2 ** 20, exact: true })
  let runs = 0
  region.visit([{ lo: 10, hi: 29 }, { lo: 0, hi: 1023 }], (_, length) => { runs++; assert.equal(length, 1024) })
  assert.equal(runs, 20)
  const row = new Region([2 ** 20], [{ index: [['+', ['*', ['v', 0], 1024], ['v', 1]]], guard: 1, ranges: everything(shape), maybe: false }])
  assert.deepEqual(row.size(), { count: 2 ** 20, exact: true })
  assert.deepEqual(row.hull, [{ lo: 0, hi: 2 ** 20 - 1 }])

})
