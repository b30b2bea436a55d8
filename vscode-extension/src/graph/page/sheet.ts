// The canvas: pointer, wheel and keys become moves of the camera and questions about boxes. Drawn at most once a frame.

import { h, Tip } from '../../panel/dom'
import { Point } from '../layout'
import { Frame, Scene } from '../scene'
import { Way } from '../walk'
import { Camera, LEGIBLE, NEAR } from './camera'
import { Ink, Lit, onTitle, Painter } from './paint'

export interface Listener {
  choose(box: number): void
  toggle(kernel: number): void
  walk(way: Way): void
  enter(): void
  leave(): void
  space(): void
  tell(box: number): string
  moved(): void
  /** The canvas has a size now, or another one. */
  sized(): void
}

type Fit = 'whole' | 'beginning'

const CLICK = 4 // pixels a pointer may move in a click
const STEP = 1.25
const WAYS: Record<string, Way> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' }

export class Sheet {
  readonly element = h('div', { class: 'sheet' })
  readonly canvas = h('canvas', { tabindex: 0, role: 'application', 'aria-label': 'Data flow. Arrow keys follow the edges, Enter goes to the line, slash searches.' })
  readonly camera = new Camera()
  scene: Scene = { boxes: [], frames: [], lines: [], boxOf: [], width: 0, height: 0 }
  lit: Lit = { selected: -1, cursor: -1, found: new Set() }
  private readonly tip = new Tip()
  private readonly pointers = new Map<number, Point>()
  private travelled = 0
  private frame = 0
  private frames = 0
  private fitted: Fit | undefined // how it was put, as long as nobody has moved it since

  constructor(private readonly ink: () => Ink, private readonly listener: Listener) {
    this.element.append(this.canvas, this.tip.element)
    const on = <K extends keyof HTMLElementEventMap>(name: K, work: (event: HTMLElementEventMap[K]) => void, passive = true) =>
      this.canvas.addEventListener(name, work, { passive })
    on('pointerdown', event => this.down(event))
    on('pointermove', event => this.move(event))
    on('pointerup', event => this.up(event))
    on('pointercancel', event => this.pointers.delete(event.pointerId))
    on('pointerleave', () => this.tip.hide())
    on('wheel', event => this.wheel(event), false)
    on('keydown', event => this.key(event), false)
    new ResizeObserver(() => this.resize()).observe(this.element)
  }

  get ready(): boolean {
    return this.camera.width > 0
  }

  draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0
      const context = this.canvas.getContext('2d', { alpha: false })
      if (!context || !this.ready) return
      const began = performance.now()
      const drawn = new Painter(context, this.camera, this.ink(), this.lit).paint(this.scene, devicePixelRatio)
      this.canvas.dataset.ms = (performance.now() - began).toFixed(2) // for who measures
      this.canvas.dataset.frames = String(++this.frames)
      this.canvas.dataset.drawn = String(drawn)
    })
  }

  /** Shows all of it, or what there is to begin with. */
  fit(what: Fit = 'whole'): void {
    const { width, height } = this.scene
    if (what === 'whole') this.camera.fit(width, height)
    else this.camera.begin(width, height)
    this.moved(what)
  }

  zoom(factor: number, at?: Point): void {
    this.camera.zoom(factor, at)
    this.moved()
  }

  /** Brings a box into sight, where it is not; `readable`: so near that its text can be read. */
  reveal(box: number, readable = false): void {
    const found = this.scene.boxes[box]
    if (!found || !this.ready) return
    const far = readable && this.camera.scale < LEGIBLE
    if (!far && this.camera.sees(found)) return
    if (far) this.camera.scale = NEAR
    this.camera.centre(found)
    this.moved()
  }

  private moved(fitted?: Fit): void {
    this.fitted = fitted
    this.listener.moved()
    this.draw()
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element
    if (clientWidth === 0 || clientHeight === 0) return
    Object.assign(this.camera, { width: clientWidth, height: clientHeight })
    this.canvas.width = Math.round(clientWidth * devicePixelRatio)
    this.canvas.height = Math.round(clientHeight * devicePixelRatio)
    cancelAnimationFrame(this.frame)
    this.frame = 0
    this.listener.sized()
    if (this.fitted) this.fit(this.fitted)
    this.draw()
  }

  // -- pointer -----------------------------------------------------------------------------------------------------
  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId)
    this.pointers.set(event.pointerId, placeOf(event))
    this.travelled = this.pointers.size > 1 ? Infinity : 0
  }

  private move(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId)
    const now = placeOf(event)
    if (!before) return this.hover(now)
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point)
    this.pointers.set(event.pointerId, now)
    this.travelled += Math.hypot(now.x - before.x, now.y - before.y)
    this.tip.hide()
    const other = others[0]
    if (other) return this.zoom(distance(now, other) / Math.max(1, distance(before, other)), middle(now, other))
    if (this.travelled <= CLICK) return
    this.canvas.classList.add('dragged')
    this.camera.pan(now.x - before.x, now.y - before.y)
    this.moved()
  }

  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId)
    this.canvas.classList.remove('dragged')
    if (this.travelled > CLICK) return
    const at = placeOf(event)
    const box = this.boxAt(at)
    const frame = box < 0 ? this.titleAt(at) : undefined
    if (frame) this.listener.toggle(frame.kernel)
    else this.listener.choose(box)
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault()
    this.tip.hide()
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    if (event.ctrlKey || event.metaKey) return this.zoom(Math.exp(Math.max(-60, Math.min(60, -event.deltaY * unit)) / 200), placeOf(event))
    const sideways = event.shiftKey && event.deltaX === 0
    this.camera.pan(sideways ? -event.deltaY * unit : -event.deltaX * unit, sideways ? 0 : -event.deltaY * unit)
    this.moved()
  }

  private hover(at: Point): void {
    const box = this.boxAt(at)
    this.canvas.classList.toggle('over', box >= 0 || this.titleAt(at) !== undefined)
    if (box < 0) return this.tip.hide()
    this.tip.show(this.listener.tell(box), at.x, at.y, this.camera.width)
    const { offsetHeight, style } = this.tip.element
    style.top = `${at.y + 18 + offsetHeight > this.camera.height ? Math.max(0, at.y - offsetHeight - 10) : at.y + 18}px`
  }

  private boxAt(at: Point): number {
    const { x, y } = this.camera.toWorld(at)
    const slack = 2 / this.camera.scale
    return this.scene.boxes.findIndex(box => Math.abs(box.x - x) < box.width / 2 + slack && Math.abs(box.y - y) < box.height / 2 + slack)
  }

  private titleAt(at: Point): Frame | undefined {
    return this.scene.frames.find(frame => onTitle(frame, this.camera, at))
  }

  // -- keys --------------------------------------------------------------------------------------------------------
  private key(event: KeyboardEvent): void {
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const way = WAYS[key]
    if (way) this.listener.walk(way)
    else if (key === 'Enter') this.listener.enter()
    else if (key === 'Escape') this.listener.leave()
    else if (key === ' ') this.listener.space()
    else if (key === '+' || key === '=') this.zoom(STEP)
    else if (key === '-') this.zoom(1 / STEP)
    else if (key === '0') this.fit()
    else return
    event.preventDefault()
  }
}

function placeOf({ offsetX, offsetY }: MouseEvent): Point {
  return { x: offsetX, y: offsetY }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function middle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}
