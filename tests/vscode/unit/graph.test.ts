// The graph: what is drawn of it and where, what a search finds, and the SVG file.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Flow, FlowNode, Role } from '../../../vscode-extension/src/graph/messages'
import { drawn, kernelsOf, linksOf } from '../../../vscode-extension/src/graph/model'
import { place, Placed, Wishes } from '../../../vscode-extension/src/graph/place'
import { Box, outline } from '../../../vscode-extension/src/graph/scene'
import { search } from '../../../vscode-extension/src/graph/search'
import { Colors, escaped, svgOf } from '../../../vscode-extension/src/graph/svg'
import { step } from '../../../vscode-extension/src/graph/walk'

const WISHES: Wishes = { folded: true, open: {}, char: 7 }
const ROLES: Role[] = ['input', 'constant', 'view', 'compute', 'reduce', 'memory', 'order']

function node(name: string, part: Partial<FlowNode> = {}): FlowNode {
  return { name: `%${name}`, op: 'mul', detail: '', line: 0, dtype: 'f32', shape: [3, 4], role: 'compute', kernel: null, index: false, output: false, ...part }
}

function kernels(count: number): Flow['kernels'] {
  return Array.from({ length: count }, (_, k) => ({ name: `k${k}`, about: 'f32[3, 4]' }))
}

/** Numbers that look random, the same each time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Values in kernels one after the other, each reading some of the ones before; some in no kernel. */
function randomFlow(count: number, kernelCount: number, seed: number): Flow {
  const next = numbers(seed)
  const nodes = Array.from({ length: count }, (_, n) => {
    const input = n < 3
    const kernel = input || next() < 0.15 ? null : Math.min(kernelCount - 1, Math.floor((n / count) * kernelCount))
    return node(`v${n}`, { role: input ? 'input' : next() < 0.3 ? 'view' : 'compute', kernel, line: n, detail: next() < 0.4 ? '(1, 0, 2)' : '' })
  })
  const edges: [number, number][] = []
  for (let to = 3; to < count; to++) {
    edges.push([Math.max(0, to - 1 - Math.floor(next() ** 2 * 30)), to])
    if (next() < 0.5) edges.push([Math.floor(next() * to), to])
  }
  return { nodes, edges, kernels: kernels(kernelCount) }
}

type Rect = [number, number, number, number]
const rectOf = ({ x, y, width, height }: Box): Rect => [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
const meet = (a: Rect, b: Rect) => a[0] < b[2] - 1e-6 && b[0] < a[2] - 1e-6 && a[1] < b[3] - 1e-6 && b[1] < a[3] - 1e-6

function check({ scene, kernelOf }: Placed): void {
  const boxes = scene.boxes.map(rectOf)
  const frames = scene.frames.map(({ x, y, width, height }): Rect => [x, y, x + width, y + height])
  for (const [k, a] of boxes.entries()) {
    for (const b of boxes.slice(k + 1)) assert.ok(!meet(a, b), 'two boxes')
    for (const [f, frame] of frames.entries()) {
      const inside = scene.frames[f]!.kernel === scene.boxes[k]!.kernel
      if (!inside) assert.ok(!meet(a, frame), 'a box and a kernel that it is not in')
      else assert.ok(a[0] >= frame[0] && a[1] >= frame[1] && a[2] <= frame[2] && a[3] <= frame[3], 'a box of a kernel is inside it')
    }
  }
  for (const [k, a] of frames.entries()) for (const b of frames.slice(k + 1)) assert.ok(!meet(a, b), 'two kernels')
  for (const { source, target, points } of scene.lines) {
    assert.ok(points.length >= 2)
    for (let k = 1; k < points.length; k++) assert.ok(points[k]!.y >= points[k - 1]!.y - 1e-6)
    const last = points[points.length - 1]!
    assert.ok(Math.abs(last.x - scene.boxes[target]!.x) < 1e-6 || scene.boxes[target]!.kind === 'kernel')
    assert.ok(last.y <= scene.boxes[target]!.y && points[0]!.y >= scene.boxes[source]!.y)
  }
  for (const [n, box] of scene.boxOf.entries()) if (box >= 0) assert.equal(scene.boxes[box]!.kernel, kernelOf[n])
}

test('nothing overlaps, boxes are inside their kernels, lines go down; open, closed and mixed', () => {
  for (let seed = 0; seed < 12; seed++) {
    const flow = randomFlow(20 + 17 * seed, 1 + (seed % 5), seed)
    for (const open of [{}, { k0: false }, { k0: false, k1: false, k2: false, k3: false, k4: false }]) check(place(flow, { ...WISHES, open }))
  }
})

test('every edge is a line or is named at both ends', () => {
  const count = 60
  const nodes = Array.from({ length: count }, (_, n) => node(`v${n}`, { kernel: 0 }))
  const edges = Array.from({ length: count - 1 }, (_, n): [number, number] => [n, n + 1])
  const { scene } = place({ nodes, edges: [...edges, [0, count - 1]], kernels: kernels(1) }, WISHES)
  assert.equal(scene.lines.length, count - 1)
  assert.match(scene.boxes[scene.boxOf[0]!]!.to, /%v59/)
  assert.match(scene.boxes[scene.boxOf[count - 1]!]!.from, /%v0/)
})

test('a view that no kernel computes is drawn with its reader, a constant with its only kernel, inputs outside', () => {
  const nodes = [
    node('in', { role: 'input' }), node('c', { role: 'constant' }), node('shared', { role: 'constant' }), node('view', { role: 'view' }),
    node('a', { kernel: 0 }), node('between', { role: 'view' }), node('b', { kernel: 1 }), node('last', { role: 'view', output: true }),
  ]
  const edges: [number, number][] = [[0, 3], [3, 4], [1, 4], [2, 4], [4, 5], [5, 6], [2, 6], [6, 7]]
  const flow = { nodes, edges, kernels: kernels(2) }
  assert.deepEqual(kernelsOf(flow, linksOf(flow, drawn(flow, true))), [null, 0, null, 0, 0, 1, 1, 1])
})

test('kernels that would read each other are still drawn', () => {
  const nodes = [node('a', { kernel: 1 }), node('b', { kernel: 0 }), node('c', { kernel: 1 })]
  check(place({ nodes, edges: [[0, 1], [1, 2]], kernels: kernels(2) }, WISHES))
})

test('index arithmetic is folded away, and what it is made of stays linked to what reads the address', () => {
  const nodes = [node('r', { role: 'order' }), node('two', { index: true }), node('sum', { index: true }), node('b', { role: 'input' }), node('at', { role: 'memory' })]
  const flow: Flow = { nodes, edges: [[0, 2], [1, 2], [2, 4], [3, 4]], kernels: [] }
  assert.deepEqual(linksOf(flow, drawn(flow, true)).pairs, [[0, 4], [3, 4]])
  assert.deepEqual(place(flow, WISHES).scene.boxOf.map(box => box >= 0), [true, false, false, true, true])
  assert.equal(place(flow, { ...WISHES, folded: false }).scene.boxes.length, 5)
})

test('a large graph starts with closed kernels, one kernel alone is open', () => {
  assert.equal(place(randomFlow(400, 4, 1), WISHES).scene.frames.length, 0)
  assert.equal(place(randomFlow(400, 4, 1), { ...WISHES, open: { k2: true } }).scene.frames.length, 1)
  assert.equal(place(randomFlow(400, 1, 1), WISHES).scene.frames.length, 1)
  assert.equal(place(randomFlow(100, 4, 1), WISHES).scene.frames.length, 4)
})

test('each role has a shape of its own', () => {
  const { scene } = place({ nodes: ROLES.map((role, n) => node(`v${n}`, { role, detail: role })), edges: [], kernels: [] }, WISHES)
  const shapes = scene.boxes.map(box => JSON.stringify(outline({ ...box, x: 0, y: 0, width: 80, height: 30 })))
  assert.equal(new Set(shapes).size, ROLES.length - 2) // compute, memory and order are told apart by the lines inside
})

// -- search ----------------------------------------------------------------------------------------------------------
const FOUND: Flow = {
  nodes: [
    node('x', { op: 'buffer', shape: [12] }), node('x2', { op: 'mul', shape: [3, 4] }), node('y', { op: 'reduce', shape: [2, 3, 4] }),
    node('m', { op: 'max', dtype: 'i32', shape: [13, 4] }), node('k', { op: 'mul', dtype: 'i32', shape: [], index: true }),
  ],
  edges: [],
  kernels: [],
}

test('a search by name, operation, dtype and shape', () => {
  const find = (question: string, folded = true) => search(FOUND, drawn(FOUND, folded), question).map(n => FOUND.nodes[n]!.name).join(' ')
  assert.equal(find('%x'), '%x %x2')
  assert.equal(find('MUL'), '%x2')
  assert.equal(find('mul', false), '%x2 %k')
  assert.equal(find('i32'), '%m')
  assert.equal(find('3, 4'), '%x2 %y') // not 13, 4
  assert.equal(find('3,4'), '%x2 %y')
  assert.equal(find('(3, 4)'), '%x2')
  assert.equal(find('[ 3, 4 ]'), '%x2')
  assert.equal(find('f32[3, 4]'), '%x2')
  assert.equal(find('i32[3, 4]'), '')
  assert.equal(find('f32[12]'), '%x')
  assert.equal(find('i32[]', false), '%k')
  assert.equal(find('f32 mul 3, 4'), '%x2')
  assert.equal(find('  '), '')
})

// -- walking -----------------------------------------------------------------------------------------------------------
test('arrows follow the edges and come back the way they went', () => {
  const nodes = ['a', 'b', 'c', 'd'].map(name => node(name))
  const { scene, links } = place({ nodes, edges: [[0, 2], [1, 2], [2, 3]], kernels: [] }, WISHES)
  const go = (box: number, way: 'up' | 'down' | 'left' | 'right', came = -1) => step(scene, links, k => [scene.boxes[k]!.node], box, way, came)
  assert.equal(go(2, 'up'), 0)
  assert.equal(go(2, 'up', 1), 1)
  assert.equal(go(0, 'right'), 1)
  assert.equal(go(1, 'left'), 0)
  assert.equal(go(1, 'right'), undefined)
  assert.equal(go(2, 'down'), 3)
  assert.equal(go(3, 'down'), undefined)
})

// -- SVG -------------------------------------------------------------------------------------------------------------
const COLORS: Colors = { background: '#fff', text: '#000', muted: '#555', line: '#777', roles: Object.fromEntries(ROLES.map(role => [role, '#123'])) as Record<Role, string> }

test('the SVG is well formed and no text of a file becomes markup', () => {
  const wild = node('<script>&"\'', { detail: ']]> & \u0000\u000b\ud800 ✓ 😀', kernel: 0 })
  const { scene } = place({ nodes: [wild, node('b', { kernel: 0 })], edges: [[0, 1]], kernels: [{ name: 'a<b', about: '' }] }, WISHES)
  const svg = svgOf(scene, COLORS, '"Fira Code", monospace', 'of a & b')
  assert.ok(!svg.includes('<script>'))
  const open: string[] = []
  const body = svg.replace(/<\?xml[^>]*\?>/, '')
  for (const [whole, close, name, , self] of body.matchAll(/<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>/g)) {
    if (close) assert.equal(open.pop(), name, whole)
    else if (!self) open.push(name!)
  }
  assert.deepEqual(open, [])
  const rest = body.replace(/<\/?[a-z]+(?: [a-zA-Z:-]+="[^"<]*")*\/?>/g, '')
  assert.ok(!/[<>\u0000-\u0008]/.test(rest))
  assert.ok(!/&(?!#\d+;)/.test(body))
  assert.ok(rest.includes('✓ 😀') && !/[\ud800-\udbff](?![\udc00-\udfff])/.test(rest))
  assert.equal(svg.match(/<polygon/g)!.length, 2)
  assert.equal(escaped('a<&>"'), 'a&#60;&#38;&#62;&#34;')
})

// -- cost ------------------------------------------------------------------------------------------------------------
function cost(flow: Flow): number {
  let least = Infinity
  for (let k = 0; k < 3; k++) {
    const began = process.cpuUsage()
    place(flow, { ...WISHES, open: Object.fromEntries(flow.kernels.map(({ name }) => [name, true])) })
    const used = process.cpuUsage(began)
    least = Math.min(least, used.user + used.system)
  }
  return least
}

test('four times the values take far less than sixteen times the time, in one kernel and in many', () => {
  for (const per of [Infinity, 20]) {
    const flow = (count: number) => randomFlow(count, Number.isFinite(per) ? count / per : 1, 7)
    const [small, large] = [flow(1250), flow(5000)]
    cost(small)
    const [a, b] = [cost(small), cost(large)]
    console.log(`5,000 values: ${(b / 1000).toFixed(0)} ms, ${(b / a).toFixed(1)} times 1,250`)
    assert.ok(b < 9 * a)
  }
})
