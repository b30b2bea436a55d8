// The explorer's parts that need no browser, against what NumPy says (indexMaps.json, made by tests/compiler/analysis/test_explore.py).

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { bounds, compile, floorDiv, floorMod, Range, simplify } from '../../../vscode-extension/src/explorer/formula'
import { Formula, Index, MapNode } from '../../../vscode-extension/src/explorer/model'
import { Origins } from '../../../vscode-extension/src/explorer/origin'
import { Plane } from '../../../vscode-extension/src/explorer/plane'
import { follow, point, Region } from '../../../vscode-extension/src/explorer/region'
import { reads, Tree } from '../../../vscode-extension/src/explorer/tree'
import { downward, rightSide, unbroken, upward } from '../../../vscode-extension/src/explorer/words'

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
        const { pieces, cut } = tree.above(k, indexOf(node.shape, at))
        const region = tree.region(0, pieces.get(0) ?? [])
        const wanted = (made[k] ?? []).flatMap((sources, user) => (sources.includes(at) ? [user] : []))
        assert.equal(cut.size, 0)
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
  for (let k = 0; k < 800; k++) {
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
  assert.deepEqual(row.hull, [{ lo: 0, hi: 2 ** 20 - 1, step: 1, count: 2 ** 20 }])

})

// -- a chain by hand: a (3, 4) matrix, transposed, rows 1..2 of that, and what is said of it
const v = (k: number): Formula => ['v', k]
const node = (name: string, op: string, shape: number[], rest: Partial<MapNode>): MapNode =>
  ({ name, op, type: '', shape, line: 0, kind: 'value', equation: [], edges: [], ...rest })
const chain = new Tree([
  node('%3', 'shrink', [2, 3], { parts: [0], edges: [{ to: 1, index: [['+', v(0), 1], v(1)], inverse: { index: [['+', v(0), -1], v(1)], guard: ['and', ['<', 0, v(0)], ['<', v(0), 3]] } }] }),
  node('%2', 'permute', [4, 3], { parts: [0], edges: [{ to: 2, index: [v(1), v(0)], inverse: { index: [v(1), v(0)] } }] }),
  node('%1', 'reshape', [3, 4], { parts: [0], edges: [{ to: 3, index: [['+', ['*', v(0), 4], v(1)]], inverse: { index: [['//', v(0), 4], ['%', v(0), 4]] } }] }),
  node('%0', 'buffer', [12], { kind: 'buffer', slot: 0 }),
])

function regionsAbove(tree: Tree, index: number[], of: number): Map<number, Region> {
  return new Map([...tree.above(of, index).pieces].map(([k, pieces]) => [k, tree.region(k, pieces)]))
}

test('a way in words, down and up', () => {
  const way = chain.way({})
  assert.equal(downward(chain, way, 0, chain.below(way, 0, [1, 2])), '%3[1, 2] = %2[2, 2] = %1[2, 2] = buffer 0 at 10')
  assert.equal(downward(chain, way, 3, chain.below(way, 3, [8])), 'buffer 0 at 8')
  assert.equal(upward(chain, way, 3, regionsAbove(chain, [10], 3)), 'goes to %1[2, 2] → %2[2, 2] → %3[1, 2]')
  assert.equal(upward(chain, way, 3, regionsAbove(chain, [11], 3)), 'goes to %1[2, 3] → %2[3, 2] → nothing of %3')
  assert.equal(upward(chain, way, 0, new Map()), '')
})

/** `%x8`: each line adds what is 1, 2, 4, ... before it, so that an element goes to 2^k places after k lines. */
function shifts(lines: number): Tree {
  const nodes: MapNode[] = []
  for (let k = lines; k > 0; k--) {
    const [to, by] = [nodes.length + 1, 2 ** (k - 1)]
    nodes.push(node(`%x${k}`, 'add', [1024], { edges: [
      { to, index: [v(0)], inverse: { index: [v(0)] } },
      { to, index: [['+', v(0), -by]], guard: ['<', by - 1, v(0)], inverse: { index: [['+', v(0), by]], guard: ['<', v(0), 1024 - by] } },
    ] }))
  }
  return new Tree([...nodes, node('%0', 'buffer', [1024], { kind: 'buffer', slot: 0 })])
}

test('more ways than are followed: at least so many, and what was not found may still be there', () => {
  const few = shifts(4)
  const known = few.above(4, [3])
  assert.deepEqual([known.cut.size, few.region(0, known.pieces.get(0) ?? []).size()], [0, { count: 16, exact: true }])
  const many = shifts(8) // 256 elements: 3 to 258
  const { pieces, cut } = many.above(8, [3])
  assert.deepEqual([...cut].sort(), [0, 1])
  const region = many.region(0, pieces.get(0) ?? [], cut.has(0))
  assert.deepEqual([region.partial, region.size().exact], [true, false])
  assert.ok(region.size().count <= 256)
  const regions = new Map([...pieces].map(([k, found]) => [k, many.region(k, found, cut.has(k))]))
  assert.match(upward(many, many.way({}), 8, regions), /→ 64 elements of %x6 → at least 64 elements of %x7 → at least 64 elements of %x8$/)
  regions.set(0, many.region(0, [], true))
  assert.match(upward(many, many.way({}), 8, regions), /→ perhaps some of %x8$/)
})

test('lines break between the parts of an equation, not inside an index or a comparison', () => {
  const text = unbroken('%y[1, 2] = %x[0, 2], 0 unless 1 ≤ i and j < 3')
  assert.deepEqual(text.split(' ').length, 8)
  assert.equal(text.replaceAll('\u00a0', ' '), '%y[1, 2] = %x[0, 2], 0 unless 1 ≤ i and j < 3')
})

test('a sum is written out, a long one with its middle left out', () => {
  const sum = (n: number) => new Tree([
    node('%s', 'reduce', [2], { how: 'sum', parts: ['Σ j<4  ', 0], edges: [{ to: 1, index: [v(0), v(1)], over: [n], inverse: { index: [v(0)] } }] }),
    node('%x', 'reshape', [2, n], {}),
  ])
  const said = (n: number) => rightSide(sum(n), { node: 0 }, point([1]))
  assert.equal(said(3), '%x[1, 0] + %x[1, 1] + %x[1, 2]')
  assert.equal(said(1000), '%x[1, 0] + %x[1, 1] + %x[1, 2] + … + %x[1, 999]  (1,000 terms)')
  assert.equal(said(0), 'the sum of nothing')
})

test('several elements at once: in a row, evenly, or some of a range', () => {
  const said = (index: Formula, over: number[]) => rightSide(new Tree([
    node('%x', 'reshape', [1], { parts: [0], edges: [{ to: 1, index: [index], over, inverse: { index: [0] } }] }),
    node('%0', 'buffer', [64], { kind: 'buffer', slot: 0 }),
  ]), { node: 0 }, point([0]))
  assert.equal(said(['+', ['*', v(1), 4], 2], [4]), 'buffer 0 at 2…14 by 4') // 2, 6, 10, 14
  assert.equal(said(['+', ['*', v(1), 3], v(2)], [4, 3]), 'buffer 0 at 0…11')
  assert.equal(said(['+', ['*', v(1), 6], v(2)], [3, 3]), 'buffer 0 at 9 of 0…14') // 0 1 2, 6 7 8, 12 13 14
  assert.equal(said(5, []), 'buffer 0 at 5')
})

test('a pad says where it is padding, and an index that is data says what decides', () => {
  const pad = new Tree([
    node('%p', 'pad', [4], { parts: [0], edges: [{ to: 1, index: [['+', v(0), -1]], guard: ['<', 0, v(0)], inverse: { index: [['+', v(0), 1]] } }] }),
    node('%0', 'buffer', [3], { kind: 'buffer', slot: 0 }),
  ])
  assert.equal(rightSide(pad, { node: 0 }, point([0])), '0: padding')
  assert.equal(rightSide(pad, { node: 0 }, point([2])), 'buffer 0 at 1')
  const gather = new Tree([
    node('%g', 'index', [3], { parts: [0], edges: [{ to: 1, index: [v(1), v(0)], chosen: [{ first: 0, last: 9, by: '%i' }], inverse: { index: [v(1)] } }] }),
    node('%x', 'reshape', [10, 3], {}),
  ])
  assert.equal(rightSide(gather, { node: 0 }, point([2])), '%x[%i, 2]')
  const [, below] = gather.below(gather.way({}), 0, [2])
  assert.ok(below)
  const region = gather.region(1, [below])
  assert.deepEqual([region.maybe, region.size()], [true, { count: 10, exact: true }])
})

test('planes: matrices, slices, and a long vector wrapped; keys move inside them', () => {
  const matrix = new Plane([4, 5, 3, 6])
  assert.deepEqual([matrix.rows, matrix.columns, matrix.leading], [3, 6, [4, 5]])
  assert.deepEqual(matrix.moved('ArrowRight', false, [1, 4, 2, 5]), [1, 4, 2, 5])
  assert.deepEqual(matrix.moved('PageDown', false, [1, 4, 2, 5]), [2, 0, 2, 5])
  assert.deepEqual(matrix.moved('PageUp', false, [1, 0, 2, 5]), [0, 4, 2, 5])
  assert.deepEqual(matrix.moved('End', true, [1, 0, 0, 0]), [1, 0, 2, 5])
  const vector = new Plane([1000])
  assert.deepEqual([vector.wrapped, vector.columns, vector.rows], [true, 32, 32])
  assert.deepEqual(vector.moved('ArrowRight', false, [31]), [32])
  assert.deepEqual(vector.moved('End', true, [5]), [999])
  assert.equal(vector.index([], 31, 20), undefined)
  const rows: number[][] = []
  vector.rowsOf([30], 40, (...row) => rows.push(row))
  assert.deepEqual(rows, [[0, 30, 2], [1, 0, 32], [2, 0, 6]])
  assert.equal(new Plane([]).index([], 0, 0)?.length, 0)
  assert.equal(new Plane([3, 0]).index([], 0, 0), undefined)
})

test('the number in a cell is the buffer element it is, as long as every step only moves', () => {
  const origins = new Origins(chain, () => undefined)
  assert.deepEqual(origins.of(0, [1, 2]), { kind: 'at', number: 10, of: 12, node: 3 })
  for (const { nodes, made } of cases) { // and where there is one, NumPy says the same one
    const tree = new Tree(nodes)
    const found = new Origins(tree, () => undefined)
    for (let k = 0; k < product(tree.node(0).shape); k++) {
      const origin = found.of(0, indexOf(tree.node(0).shape, k))
      if (origin?.kind === 'at') assert.ok(made[origin.node]?.[k]?.includes(origin.number))
    }
  }
})
