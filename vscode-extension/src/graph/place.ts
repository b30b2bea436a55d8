// From a graph to a scene, in two levels: values inside each kernel, then kernels and loose values among each other.

import { Edge, Layout, layered, Point, Size, Spacing } from './layout'
import { Flow, FlowNode } from './messages'
import { drawn, kernelsOf, Links, linksOf } from './model'
import { Box, Frame, Line, LINE_HEIGHT, Scene, TITLE } from './scene'
import { plural, shorten, typeOf } from './words'

/** Above this many values the kernels are drawn closed. */
export const MANY = 300

export interface Wishes {
  folded: boolean
  /** Kernels by name that a person has opened or closed. */
  open: Readonly<Record<string, boolean>>
  /** Width of a character of the text. */
  char: number
}

export interface Placed {
  scene: Scene
  links: Links
  kernelOf: (number | null)[]
}

const SPACING: Spacing = { across: 26, along: 54 }
const PAD = 18
const FOOT = 26 // room for the types under the last row of a kernel
const LONGEST_TEXT = 32
const LONGEST_ABOUT = 60

export function place(flow: Flow, wishes: Wishes): Placed {
  return new Placing(flow, wishes).placed()
}

/** Whether a kernel is drawn open when nobody has said so: in a small graph, or when there is no other. */
export function opensItself(flow: Flow, count: number): boolean {
  return count <= MANY || flow.kernels.length === 1
}

/** A kernel, open or closed, or a loose value, among the others. */
interface Item {
  box: number // -1: an open kernel
  kernel: number
  layout?: Layout
  members: number[] // boxes inside
  lines: Line[] // between them
}

class Placing {
  private readonly links: Links
  private readonly kernelOf: (number | null)[]
  private readonly seen: boolean[]
  private readonly boxes: Box[] = []
  private readonly frames: Frame[] = []
  private readonly lines: Line[] = []
  private readonly boxOf: number[]
  private readonly items: Item[] = []
  private readonly itemOf: number[] // by box
  private readonly ports = new Map<string, number>() // `kernel value` -> box

  constructor(private readonly flow: Flow, private readonly wishes: Wishes) {
    this.seen = drawn(flow, wishes.folded)
    this.links = linksOf(flow, this.seen)
    this.kernelOf = kernelsOf(flow, this.links)
    this.boxOf = flow.nodes.map(() => -1)
    this.itemOf = []
  }

  placed(): Placed {
    const inside: number[][] = this.flow.kernels.map(() => [])
    const loose: number[] = []
    for (const [node, seen] of this.seen.entries()) {
      if (seen) (inside[this.kernelOf[node] ?? -1] ?? loose).push(node)
    }
    const count = this.seen.filter(Boolean).length
    for (const node of loose) this.items.push({ box: this.addValue(node), kernel: -1, members: [], lines: [] })
    for (const [kernel, members] of inside.entries()) {
      if (members.length === 0) continue
      const open = this.wishes.open[this.flow.kernels[kernel]!.name] ?? opensItself(this.flow, count)
      this.items.push(open ? this.openKernel(kernel, members) : this.closedKernel(kernel, members))
    }
    for (const [k, item] of this.items.entries()) {
      for (const box of item.box >= 0 ? [item.box] : item.members) this.itemOf[box] = k
    }
    const { width, height } = this.among()
    const scene = { boxes: this.boxes, frames: this.frames, lines: this.lines, boxOf: this.boxOf, width, height }
    return { scene, links: this.links, kernelOf: this.kernelOf }
  }

  // -- boxes -------------------------------------------------------------------------------------------------------
  private addBox(box: Pick<Box, 'key' | 'kind' | 'node' | 'kernel' | 'role' | 'output' | 'title' | 'detail' | 'below'>): number {
    const { char } = this.wishes
    const inside = Math.max(box.title.length, box.detail.length) * char + (box.kind === 'port' ? 10 : 26)
    const beside = 2 * (box.below.length * char - 12) // the type begins at the middle, and ends before the next box
    const height = box.kind === 'port' ? 22 : 12 + LINE_HEIGHT * (box.detail ? 2 : 1)
    this.boxes.push({ ...box, from: '', to: '', x: 0, y: 0, width: Math.max(34, inside, beside), height })
    return this.boxes.length - 1
  }

  private addValue(node: number): number {
    const one = this.flow.nodes[node]!
    const { name, role, output } = one
    const box = { key: name, kind: 'value', node, kernel: this.kernelOf[node]!, role, output } as const
    const below = shorten(typeOf(one) + (output ? ' out' : ''), LONGEST_TEXT)
    return (this.boxOf[node] = this.addBox({ ...box, title: titleOf(one), detail: shorten(one.detail, LONGEST_TEXT), below }))
  }

  private closedKernel(kernel: number, members: number[]): Item {
    const { name, about } = this.flow.kernels[kernel]!
    const output = members.some(node => this.flow.nodes[node]!.output)
    const what = { key: `kernel ${name}`, kind: 'kernel', node: members[0]!, kernel, role: 'compute', output } as const
    const box = this.addBox({ ...what, title: `▸ ${shorten(name, LONGEST_TEXT)}`, detail: plural(members.length, 'value'), below: shorten(about, LONGEST_TEXT) })
    for (const node of members) this.boxOf[node] = box
    return { box, kernel, members: [], lines: [] }
  }

  private openKernel(kernel: number, members: number[]): Item {
    const inside = new Set(members)
    const own = members.map(node => this.addValue(node))
    const first = own[0]!
    const edges: Edge[] = []
    const sources: number[] = []
    for (const target of members) {
      for (const source of this.links.reads[target]!) {
        const from = inside.has(source) ? this.boxOf[source]! : this.portOf(kernel, source, own)
        edges.push({ from: from - first, to: this.boxOf[target]! - first })
        sources.push(from)
      }
    }
    const layout = layered(own.map(box => this.boxes[box]!), edges, SPACING)
    const before = this.lines.length
    for (const [k, { to }] of edges.entries()) this.addLine(sources[k]!, to + first, layout.edges[k]!)
    return { box: -1, kernel, layout, members: own, lines: this.lines.slice(before) }
  }

  /** The name of a value of elsewhere inside a kernel that reads it. */
  private portOf(kernel: number, node: number, own: number[]): number {
    const key = `${kernel} ${node}`
    const known = this.ports.get(key)
    if (known !== undefined) return known
    const { name, role } = this.flow.nodes[node]!
    const what = { key: `port ${kernel} ${name}`, kind: 'port', node, kernel, role, output: false } as const
    const box = this.addBox({ ...what, title: shorten(name, LONGEST_TEXT), detail: '', below: '' })
    this.ports.set(key, box)
    own.push(box)
    return box
  }

  /** A line, or the names of its ends where it would be too long. */
  private addLine(source: number, target: number, points: Point[]): void {
    if (points.length > 0) this.lines.push({ source, target, points })
    else {
      const [above, below] = [this.boxes[source]!, this.boxes[target]!]
      above.to = above.to ? (above.to.endsWith(' …') ? above.to : `${above.to} …`) : `↓ ${nameOf(below)}`
      below.from = below.from ? shorten(`${below.from}, ${nameOf(above)}`, LONGEST_TEXT) : `↑ ${nameOf(above)}`
    }
  }

  // -- kernels and loose values among each other -------------------------------------------------------------------
  private among(): { width: number; height: number } {
    const edges: (Edge & { source: number; target: number })[] = []
    const known = new Set<string>()
    for (const [source, reader] of this.links.pairs) {
      const [above, below] = [this.boxOf[source]!, this.boxOf[reader]!]
      const [from, to] = [this.itemOf[above]!, this.itemOf[below]!]
      if (from === to) continue
      const target = this.isOpen(to) ? this.ports.get(`${this.items[to]!.kernel} ${source}`)! : below
      const key = `${above} ${target}`
      if (known.has(key)) continue
      known.add(key)
      edges.push({ from, to, source: above, target })
    }
    const layout = layered(this.items.map(item => this.sizeOf(item)), edges, SPACING)
    for (const [k, item] of this.items.entries()) this.put(item, layout.nodes[k]!)
    for (const [k, edge] of edges.entries()) this.addLine(edge.source, edge.target, this.reach(edge, layout.edges[k]!))
    return layout
  }

  private isOpen(item: number): boolean {
    return this.items[item]!.box < 0
  }

  private sizeOf({ box, kernel, layout }: Item): Size {
    if (!layout) return this.boxes[box]!
    const title = this.frameTitle(kernel).length * this.wishes.char + 2 * PAD
    return { width: Math.max(layout.width + 2 * PAD, title), height: layout.height + TITLE + PAD + FOOT }
  }

  private frameTitle(kernel: number): string {
    const { name, about } = this.flow.kernels[kernel]!
    return `▾ ${shorten(name, LONGEST_TEXT)}  ${shorten(about, LONGEST_ABOUT)}`.trimEnd()
  }

  private put(item: Item, centre: Point): void {
    if (!item.layout) {
      Object.assign(this.boxes[item.box]!, centre)
      return
    }
    const { width, height } = this.sizeOf(item)
    const [x, y] = [centre.x - width / 2, centre.y - height / 2]
    this.frames.push({ kernel: item.kernel, title: this.frameTitle(item.kernel), x, y, width, height })
    const [dx, dy] = [x + (width - item.layout.width) / 2, y + TITLE + PAD]
    for (const [k, box] of item.members.entries()) {
      const at = item.layout.nodes[k]!
      Object.assign(this.boxes[box]!, { x: at.x + dx, y: at.y + dy })
    }
    for (const line of item.lines) line.points = line.points.map(p => ({ x: p.x + dx, y: p.y + dy }))
  }

  /** A line between items leads on to the box itself where nothing stands between that and the edge of its kernel. */
  private reach({ from, to, source, target }: Edge & { source: number; target: number }, points: Point[]): Point[] {
    if (points.length === 0) return points
    const way = [...points]
    const [above, below] = [this.boxes[source]!, this.boxes[target]!]
    if (this.isOpen(from)) {
      way[0] = { x: above.x, y: way[0]!.y }
      const bottom = above.y + above.height / 2
      if (way[0].y - bottom < FOOT + PAD + LINE_HEIGHT) way.unshift({ x: above.x, y: bottom })
    }
    if (this.isOpen(to)) {
      const last = { x: below.x, y: way[way.length - 1]!.y }
      way[way.length - 1] = last
      const top = below.y - below.height / 2
      if (top - last.y < TITLE + PAD + LINE_HEIGHT) way.push({ x: below.x, y: top })
    }
    return way
  }
}

function titleOf({ name, op }: FlowNode): string {
  return shorten(`${name} ${op}`, LONGEST_TEXT)
}

function nameOf({ kind, title }: Box): string {
  return kind === 'kernel' ? title.slice(2) : title.split(' ')[0]!
}
