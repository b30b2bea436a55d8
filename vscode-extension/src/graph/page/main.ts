// The graph's page: takes the graph that the extension gives it, and shows it.

import { h, onTheme } from '../../panel/dom'
import { FromGraph, GraphFile, GraphResult, ToGraph } from '../messages'
import { drawn } from '../model'
import { place, Placed } from '../place'
import { search } from '../search'
import { svgOf } from '../svg'
import { step, Way } from '../walk'
import { about, plural } from '../words'
import { Finder } from './finder'
import { legend } from './legend'
import { Ink } from './paint'
import { Sheet } from './sheet'
import { ink } from './theme'

interface Saved {
  file?: GraphFile | undefined
  folded: boolean
  open: Record<string, boolean>
  selected: string
  camera?: { x: number; y: number; scale: number } | undefined
  place?: { key: string; x: number; y: number } | undefined // a box near the middle and where it stands on the screen
}

declare function acquireVsCodeApi(): { postMessage(message: FromGraph): void; getState(): Saved | undefined; setState(state: Saved): void }

const EMPTY: GraphResult = { nodes: [], edges: [], kernels: [], message: '', stale: false }
const MOST_LISTED = 1000
const SAVE_MS = 300
const PATIENCE_MS = 500
const CURRENT_FONT = 12

class Page {
  private readonly api = acquireVsCodeApi()
  private saved: Saved = this.api.getState() ?? { folded: true, open: {}, selected: '' }
  private graph = EMPTY
  private placed: Placed = place(EMPTY, { folded: true, open: {}, char: 7.2 })
  private colors: Ink = ink()
  private cursorLine = -1
  private came = -1
  private settled = false // the camera stands where it should
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly message = h('p', { class: 'message muted', role: 'status', hidden: true })
  private readonly spoken = h('div', { class: 'offscreen', 'aria-live': 'polite' })
  private readonly list = h('ol', { class: 'offscreen', 'aria-label': 'Values' })
  private readonly legendPlace = h('footer')
  private readonly fold = h('button', { 'aria-pressed': 'false', title: 'Show the numbers that end in addresses only', onclick: () => this.toggleFold() }, 'Index arithmetic')
  private readonly kernels = h('button', { onclick: () => this.toggleAll() })
  private readonly sheet = new Sheet(() => this.colors, {
    choose: box => this.choose(box),
    toggle: kernel => this.toggleKernel(kernel),
    walk: way => this.walk(way),
    enter: () => this.goto(this.sheet.lit.selected),
    leave: () => this.leave(),
    space: () => this.space(),
    tell: box => this.tell(box),
    moved: () => this.moved(),
    sized: () => this.settled || this.stand(this.saved.place),
  })
  private readonly finder = new Finder({
    find: question => search(this.graph, drawn(this.graph, this.saved.folded), question),
    show: (node, found) => this.showFound(node, found),
    leave: () => this.sheet.canvas.focus(),
  })

  constructor() {
    const button = (text: string, title: string, work: () => void) => h('button', { class: 'small', title, onclick: work }, text)
    const zoomer = (text: string, label: string, factor: number) => h('button', { class: 'small', 'aria-label': label, title: label, onclick: () => this.sheet.zoom(factor) }, text)
    const tools = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Graph' },
      this.finder.element, h('span', { class: 'space' }), this.fold, this.kernels,
      zoomer('−', 'Zoom out (-)', 0.8), zoomer('+', 'Zoom in (+)', 1.25), button('Fit', 'Show all of it (0)', () => this.sheet.fit()),
      button('Save as SVG', 'Save the drawing as an SVG file', () => this.export()))
    document.body.append(tools, this.message, this.sheet.element, this.legendPlace, this.spoken, this.list)
    window.addEventListener('message', (event: MessageEvent<ToGraph>) => this.take(event.data))
    document.addEventListener('keydown', event => this.key(event))
    onTheme(() => this.recolor())
    this.wait()
    this.api.postMessage({ type: 'ready', file: this.saved.file })
  }

  private take(message: ToGraph): void {
    if (message.type === 'cursor') this.follow(message.line)
    else if (message.type === 'export') this.export()
    else if (message.type === 'problem') this.complain(message.file, message.text)
    else this.show(message.file, message.graph)
  }

  private key(event: KeyboardEvent): void {
    const find = (event.key === 'f' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !(event.target instanceof HTMLInputElement))
    if (!find) return
    event.preventDefault()
    event.stopPropagation()
    this.finder.focus()
  }

  // -- the graph ---------------------------------------------------------------------------------------------------
  private show(file: GraphFile, graph: GraphResult): void {
    if (this.saved.file && this.saved.file.uri !== file.uri) {
      this.saved = { folded: this.saved.folded, open: {}, selected: '' }
      this.settled = false
      this.finder.clear()
    }
    this.saved.file = file
    this.graph = graph
    this.say(graph.stale && graph.nodes.length > 0 ? `The last good graph: ${graph.message}` : graph.message, graph.stale)
    this.renew()
  }

  /** A large program takes seconds to compile, and so to be cut into kernels. */
  private wait(): void {
    this.message.textContent = 'Drawing the graph…'
    setTimeout(() => (this.message.hidden = this.graph !== EMPTY && !this.message.textContent), PATIENCE_MS)
  }

  private complain(file: GraphFile, text: string): void {
    if (this.saved.file?.uri !== file.uri) this.show(file, { ...EMPTY, message: text })
    else this.say(text, true)
  }

  private say(text: string, stale: boolean): void {
    const words = text || (this.graph.nodes.length === 0 ? 'There is nothing in the file yet.' : '')
    this.message.textContent = words.charAt(0).toUpperCase() + words.slice(1)
    this.message.hidden = !words
    document.body.classList.toggle('stale', stale)
  }

  /** Lays out what is to be seen; what was in the middle stays where it was. */
  private renew(anchor = this.anchor()): void {
    const began = performance.now()
    this.placed = place(this.graph, { folded: this.saved.folded, open: this.saved.open, char: this.charWidth() })
    this.sheet.canvas.dataset.layoutMs = (performance.now() - began).toFixed(1)
    this.sheet.scene = this.placed.scene
    this.came = -1
    this.light({ selected: this.boxOfKey(this.saved.selected), cursor: this.boxOfLine(this.cursorLine) })
    this.stand(anchor)
    this.finder.renew(false)
    this.tools()
    this.recolor()
    this.listValues()
  }

  private charWidth(): number {
    const context = document.createElement('canvas').getContext('2d')!
    context.font = `${CURRENT_FONT}px ${this.colors.font}`
    return context.measureText('0').width || 7.2
  }

  private tools(): void {
    const { nodes, kernels } = this.graph
    this.fold.hidden = !nodes.some(node => node.index)
    this.fold.setAttribute('aria-pressed', String(!this.saved.folded))
    this.kernels.hidden = kernels.length === 0
    this.kernels.textContent = this.placed.scene.frames.length > 0 ? 'Close kernels' : 'Open kernels'
  }

  private listValues(): void {
    const { nodes } = this.graph
    const items = nodes.slice(0, MOST_LISTED).map((_, node) => h('li', {}, `${about(this.graph, node).replaceAll('\n', ', ')}${this.readsOf(node)}`))
    if (nodes.length > MOST_LISTED) items.push(h('li', {}, `and ${plural(nodes.length - MOST_LISTED, 'more value')}`))
    this.list.replaceChildren(...items)
  }

  private readsOf(node: number): string {
    const reads = this.placed.links.reads[node] ?? []
    return reads.length === 0 ? '' : `, reads ${reads.map(source => this.graph.nodes[source]!.name).join(' and ')}`
  }

  private recolor(): void {
    this.colors = ink()
    this.legendPlace.replaceChildren(legend(this.placed.scene, this.colors))
    this.sheet.draw()
  }

  // -- place and zoom ----------------------------------------------------------------------------------------------
  private anchor(): Saved['place'] {
    const { camera, scene, lit } = this.sheet
    if (!this.settled) return this.saved.place
    const middle = camera.toWorld({ x: camera.width / 2, y: camera.height / 2 })
    const chosen = scene.boxes[lit.selected]
    let best = chosen && camera.sees(chosen) ? chosen : undefined
    if (!best) {
      for (const box of scene.boxes) {
        if (box.kind !== 'port' && (!best || Math.hypot(box.x - middle.x, box.y - middle.y) < Math.hypot(best.x - middle.x, best.y - middle.y))) best = box
      }
    }
    return best && { key: best.key, ...camera.toScreen(best) }
  }

  /** Puts the camera so that the box of before is where it was; at first, that everything is seen. */
  private stand(anchor: Saved['place']): void {
    const { camera, scene } = this.sheet
    if (!this.sheet.ready || scene.boxes.length === 0) return this.sheet.draw()
    const first = !this.settled
    this.settled = true
    if (first && this.saved.camera) Object.assign(camera, this.saved.camera) // as before a reload
    else if (first) return this.sheet.fit('beginning')
    const box = anchor && scene.boxes[this.boxOfKey(anchor.key)]
    if (box) camera.hold(box, anchor)
    else this.stayInside()
    this.moved()
    this.sheet.draw()
  }

  private stayInside(): void {
    const { camera, scene } = this.sheet
    camera.x = Math.min(camera.x, Math.max(0, scene.width - camera.width / camera.scale / 2))
    camera.y = Math.min(camera.y, Math.max(0, scene.height - camera.height / camera.scale / 2))
  }

  private moved(): void {
    if (!this.settled) return
    const { x, y, scale } = this.sheet.camera
    this.saved.camera = { x, y, scale }
    this.save()
  }

  private save(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.saved.place = this.anchor()
      this.api.setState(this.saved)
    }, SAVE_MS)
  }

  // -- choosing ----------------------------------------------------------------------------------------------------
  private boxOfKey(key: string): number {
    if (!key) return -1
    const { boxes, boxOf } = this.placed.scene
    const found = boxes.findIndex(box => box.key === key)
    return found >= 0 ? found : (boxOf[this.graph.nodes.findIndex(node => node.name === key)] ?? -1)
  }

  private boxOfLine(line: number): number {
    const node = this.graph.nodes.findIndex(one => one.line === line)
    return this.placed.scene.boxOf[node] ?? -1
  }

  private light(part: Partial<Sheet['lit']>): void {
    this.sheet.lit = { ...this.sheet.lit, ...part }
    this.sheet.draw()
  }

  private select(box: number): void {
    this.saved.selected = this.placed.scene.boxes[box]?.key ?? ''
    this.light({ selected: box })
    if (box >= 0) this.spoken.textContent = `${this.tell(box).replaceAll('\n', ', ')}${this.readsOf(this.placed.scene.boxes[box]!.node)}`
    this.save()
  }

  private choose(box: number): void {
    this.came = -1
    const { kind, kernel, node } = this.placed.scene.boxes[box] ?? { kind: undefined, kernel: null, node: -1 }
    if (kind === 'kernel' && kernel !== null) return this.toggleKernel(kernel)
    if (kind === 'port') { // the name leads to the value itself
      const real = this.placed.scene.boxOf[node]!
      this.select(real)
      this.sheet.reveal(real)
      return this.goto(real)
    }
    this.select(box)
    this.goto(box)
  }

  private goto(box: number): void {
    const found = this.placed.scene.boxes[box]
    const line = found && this.graph.nodes[found.node]?.line
    if (line === undefined) return
    this.cursorLine = line
    this.light({ cursor: box })
    this.api.postMessage({ type: 'goto', line })
  }

  private walk(way: Way): void {
    const { scene, links } = this.placed
    const { selected } = this.sheet.lit
    const from = selected >= 0 ? selected : this.sheet.lit.cursor
    const to = from < 0 ? (scene.boxes.length > 0 ? 0 : undefined) : step(scene, links, box => this.members(box), from, way, this.came)
    if (to === undefined) return
    this.came = from
    this.select(to)
    this.sheet.reveal(to)
  }

  private members(box: number): number[] {
    const { boxes, boxOf } = this.placed.scene
    if (boxes[box]!.kind !== 'kernel') return [boxes[box]!.node]
    return [...boxOf.keys()].filter(node => boxOf[node] === box)
  }

  private leave(): void {
    this.finder.clear()
    this.select(-1)
  }

  private tell(box: number): string {
    const { kind, node, kernel, detail } = this.placed.scene.boxes[box]!
    if (kind !== 'kernel' || kernel === null) return about(this.graph, node)
    const { name, about: gives } = this.graph.kernels[kernel]!
    return `kernel ${name}\n${detail}, gives ${gives}\na click opens it`
  }

  /** The cursor in the text has moved. */
  private follow(line: number): void {
    if (line === this.cursorLine) return
    this.cursorLine = line
    const box = this.boxOfLine(line)
    this.light({ cursor: box })
    if (box >= 0) this.sheet.reveal(box)
  }

  // -- folding -----------------------------------------------------------------------------------------------------
  private toggleFold(): void {
    this.saved.folded = !this.saved.folded
    this.renew()
  }

  private space(): void {
    const kernel = this.placed.scene.boxes[this.sheet.lit.selected]?.kernel
    if (kernel !== null && kernel !== undefined) this.toggleKernel(kernel)
  }

  private isOpen(kernel: number): boolean {
    return this.placed.scene.frames.some(frame => frame.kernel === kernel)
  }

  private toggleKernel(kernel: number): void {
    const { name } = this.graph.kernels[kernel]!
    const open = !this.isOpen(kernel)
    const { boxes } = this.placed.scene
    const at = this.sheet.camera
    const box = boxes.find(one => one.kernel === kernel)
    const frame = this.placed.scene.frames.find(one => one.kernel === kernel)
    const corner = frame ? at.toScreen({ x: frame.x + frame.width / 2, y: Math.max(frame.y, at.y) }) : box && at.toScreen(box)
    this.saved.open[name] = open
    this.saved.selected = open ? '' : `kernel ${name}`
    this.renew()
    this.holdKernel(kernel, corner)
    this.spoken.textContent = `kernel ${name} ${open ? 'opened' : 'closed'}`
  }

  /** The upper edge of a kernel that was opened or closed stays under the pointer. */
  private holdKernel(kernel: number, at: { x: number; y: number } | undefined): void {
    const { frames, boxes } = this.placed.scene
    const frame = frames.find(one => one.kernel === kernel)
    const box = boxes.find(one => one.kind === 'kernel' && one.kernel === kernel)
    const point = frame ? { x: frame.x + frame.width / 2, y: frame.y } : box
    if (!point || !at) return
    const { camera } = this.sheet
    const lowest = camera.height - (frame?.height ?? 0) * camera.scale - 8 // all of it is seen, if it fits
    camera.hold(point, { x: at.x, y: Math.max(8, Math.min(at.y, lowest)) })
    this.moved()
    this.sheet.draw()
  }

  private toggleAll(): void {
    const open = this.placed.scene.frames.length === 0
    this.saved.open = Object.fromEntries(this.graph.kernels.map(({ name }) => [name, open]))
    this.renew()
    this.sheet.fit()
  }

  // -- search and export -------------------------------------------------------------------------------------------
  private showFound(node: number | undefined, found: readonly number[]): void {
    const kernel = node === undefined ? null : this.placed.kernelOf[node]
    if (kernel !== null && kernel !== undefined && !this.isOpen(kernel)) {
      this.saved.open[this.graph.kernels[kernel]!.name] = true
      this.renew()
    }
    const { boxOf } = this.placed.scene
    this.light({ found: new Set(found.map(one => boxOf[one]!)) })
    if (node === undefined) return
    this.select(boxOf[node]!)
    this.sheet.reveal(boxOf[node]!, true)
  }

  private export(): void {
    const { scene } = this.placed
    this.api.postMessage({ type: 'svg', text: svgOf(scene, this.colors, `${this.colors.font}, monospace`, `Data flow of ${this.saved.file?.name ?? 'a program'}`) })
  }
}

new Page()
