// The layered drawing: nothing overlaps, edges go down, and twice the graph takes about twice the time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Edge, LONGEST, type Layout, layered, layersOf, type Size } from '../../../vscode-extension/src/graph/layout'

const SPACING = { across: 20, along: 30 }

/** Numbers that look random, the same each time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function randomGraph(count: number, seed: number): { sizes: Size[]; edges: Edge[] } {
  const next = numbers(seed)
  const sizes = Array.from({ length: count }, () => ({ width: 40 + Math.floor(next() * 160), height: 24 + Math.floor(next() * 20) }))
  const edges: Edge[] = []
  for (let to = 1; to < count; to++) {
    for (let k = 0; k <= next() * 2; k++) edges.push({ from: Math.max(0, to - 1 - Math.floor(next() ** 3 * 40)), to })
  }
  return { sizes, edges }
}

function overlaps(sizes: Size[], layout: Layout): boolean {
  const rows = new Map<number, number[]>()
  layout.nodes.forEach((p, n) => rows.set(p.y, [...(rows.get(p.y) ?? []), n]))
  for (const row of rows.values()) {
    row.sort((a, b) => layout.nodes[a]!.x - layout.nodes[b]!.x)
    for (let k = 1; k < row.length; k++) {
      const [a, b] = [row[k - 1]!, row[k]!]
      const gap = layout.nodes[b]!.x - layout.nodes[a]!.x - (sizes[a]!.width + sizes[b]!.width) / 2
      if (gap < SPACING.across - 1e-6) return true
    }
  }
  return false
}

test('no two nodes overlap, every edge goes down, everything is inside', () => {
  for (let seed = 0; seed < 40; seed++) {
    const { sizes, edges } = randomGraph(5 + seed * 5, seed)
    const layout = layered(sizes, edges, SPACING)
    assert.ok(!overlaps(sizes, layout), `seed ${seed}`)
    for (const [k, { from, to }] of edges.entries()) {
      assert.ok(layout.nodes[from]!.y < layout.nodes[to]!.y)
      const points = layout.edges[k]!
      for (let j = 1; j < points.length; j++) assert.ok(points[j]!.y > points[j - 1]!.y)
    }
    for (const [n, p] of layout.nodes.entries()) {
      const { width, height } = sizes[n]!
      assert.ok(p.x - width / 2 > -1e-6 && p.x + width / 2 < layout.width + 1e-6)
      assert.ok(p.y - height / 2 > -1e-6 && p.y + height / 2 < layout.height + 1e-6)
    }
  }
})

test('what reads nothing stands right above its first reader', () => {
  const edges = [[0, 1], [1, 2], [2, 3], [4, 3]].map(([from, to]) => ({ from: from!, to: to! }))
  assert.deepEqual(layersOf(5, edges), [0, 1, 2, 3, 2])
})

test('a chain is a straight line, a fork is even', () => {
  const size = { width: 50, height: 20 }
  const chain = layered([size, size, size], [{ from: 0, to: 1 }, { from: 1, to: 2 }], SPACING)
  assert.deepEqual(new Set(chain.nodes.map(p => p.x)), new Set([25]))
  const fork = layered([size, size, size], [{ from: 0, to: 1 }, { from: 0, to: 2 }], SPACING)
  const [top, left, right] = fork.nodes
  assert.ok(Math.abs(top!.x - (left!.x + right!.x) / 2) < 1e-6)
})

test('an edge over very many layers is not routed, others are', () => {
  const count = LONGEST + 3
  const sizes = Array.from({ length: count }, () => ({ width: 10, height: 10 }))
  const edges = Array.from({ length: count - 1 }, (_, k) => ({ from: k, to: k + 1 }))
  const layout = layered(sizes, [...edges, { from: 0, to: count - 1 }, { from: 0, to: LONGEST }], SPACING)
  assert.deepEqual(layout.edges.slice(-2).map(points => points.length), [0, LONGEST + 1])
})

test('a cycle is refused, nothing is drawn as nothing', () => {
  const size = { width: 1, height: 1 }
  assert.throws(() => layered([size, size], [{ from: 0, to: 1 }, { from: 1, to: 0 }], SPACING), RangeError)
  assert.deepEqual(layered([], [], SPACING), { nodes: [], edges: [], width: 0, height: 0 })
})

function cost(count: number): number {
  const { sizes, edges } = randomGraph(count, 7)
  let least = Infinity
  for (let k = 0; k < 4; k++) {
    const began = process.cpuUsage()
    layered(sizes, edges, SPACING)
    const used = process.cpuUsage(began)
    least = Math.min(least, used.user + used.system)
  }
  return least
}

test('eight times the nodes take far less than sixty-four times the time', () => {
  cost(2000)
  assert.ok(cost(16_000) < 24 * cost(2000))
})

test('a value that everyone reads, and one that reads everyone', () => {
  const count = 3000
  const sizes = Array.from({ length: count + 2 }, () => ({ width: 30, height: 20 }))
  const edges: Edge[] = []
  for (let k = 1; k <= count; k++) {
    edges.push({ from: 0, to: k })
    if (k > 1) edges.push({ from: k - 1, to: k })
    edges.push({ from: k, to: count + 1 })
  }
  const layout = layered(sizes, edges, SPACING)
  assert.ok(!overlaps(sizes, layout))
})
