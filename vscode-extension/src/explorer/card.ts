// One value on the way: its name, its elements, its equation in general and with numbers, and what it reads.

import { h } from '../panel/dom'
import { axisLetter } from './axes'
import { Grid, GridOwner } from './grid'
import { Edge, Index, MapNode } from './model'
import { Region } from './region'
import { counted, unbroken } from './words'

export interface CardOwner extends GridOwner {
  goto(): void
  choose(edge: number): void
  name(edge: Edge): string
}

/** What a card shows of the element that is pointed at. */
export interface Shown {
  lit?: Region | undefined
  focus?: Index | undefined
  pinned: boolean
  filled?: string | undefined
  note?: string | undefined
  taken?: ReadonlySet<number> | undefined // of a stack: the edges that the element comes by
}

const MOST_CHIPS = 6

export class Card {
  readonly element: HTMLElement
  readonly grid: Grid
  private readonly sliders: { input: HTMLInputElement; text: HTMLElement }[]
  private readonly filled = h('p', { class: 'filled code' })
  private readonly note = h('p', { class: 'note' })
  private readonly zoom: HTMLElement
  private readonly chips = new Map<number, HTMLElement>()

  constructor(readonly node: MapNode, first: boolean, chosen: number, private readonly owner: CardOwner) {
    this.grid = new Grid(node.shape, label(node), owner)
    this.sliders = this.grid.plane.leading.map((size, axis) => this.slider(size, axis))
    this.zoom = h('span', { class: 'zoom' },
      ...([['−', 2, 'Show more'], ['+', 0.5, 'Show less, larger'], ['fit', 0, 'Show everything']] as const).map(([text, factor, title]) =>
        h('button', { class: 'small', title, 'aria-label': title, tabindex: -1, onclick: () => (factor === 0 ? this.grid.zoomBy(0) : this.grid.zoomAt(factor)) }, text)))
    this.element = h('section', { class: 'card', 'data-name': node.name, 'aria-label': label(node) },
      h('header', {},
        first ? undefined : h('span', { class: 'arrow', 'aria-hidden': 'true' }, '←'),
        h('h2', {}, h('button', { class: 'link code', title: 'Go to its line', onclick: () => owner.goto() }, title(node))),
        h('span', { class: 'op' }, node.kind === 'value' ? node.op : node.name === title(node) ? '' : node.name),
        h('span', { class: 'type code' }, node.type), h('span', { class: 'space' }), this.zoom),
      h('div', { class: 'sliders' }, ...this.sliders.map(({ input, text }, axis) => h('label', {}, h('span', { class: 'code' }, axisLetter(axis)), input, text))),
      node.shape.includes(0) ? h('p', { class: 'note' }, 'It has no elements.') : this.grid.element,
      this.note,
      ...node.equation.map(line => h('p', { class: 'equation code' }, unbroken(line))),
      this.filled,
      this.operands(chosen),
      node.cut ? h('p', { class: 'note' }, node.cut) : undefined)
    this.grid.onZoom = () => this.tellZoom()
  }

  /** The parts that may get longer with what is pointed at. */
  get growing(): HTMLElement[] {
    return [this.note, this.filled]
  }

  dispose(): void {
    this.grid.dispose()
  }

  fit(width: number, height: number): void {
    this.grid.fit(width, height)
    this.tellZoom()
  }

  private tellZoom(): void {
    this.zoom.hidden = !this.grid.isLarge && this.grid.isWhole
  }

  private slider(size: number, axis: number): { input: HTMLInputElement; text: HTMLElement } {
    const input = h('input', {
      type: 'range', min: 0, max: Math.max(0, size - 1), value: 0, 'data-axis': axis, 'aria-label': `index ${axisLetter(axis)} of ${this.node.name}`,
      oninput: () => {
        this.grid.turn(axis, Number(input.value))
        this.tellSlices()
      },
    })
    return { input, text: h('span', { class: 'of' }, placeOf(0, size)) }
  }

  private tellSlices(): void {
    this.sliders.forEach(({ input, text }, axis) => {
      const at = this.grid.leading[axis] ?? 0
      input.value = String(at)
      text.textContent = placeOf(at, this.grid.plane.leading[axis] ?? 0)
    })
    this.tellNote()
  }

  /** The operands of a value that has several: one is followed, the others are folded. */
  private operands(chosen: number): HTMLElement | undefined {
    const { edges } = this.node
    if (edges.length < 2) return undefined
    const text = (edge: Edge, k: number) => (edge.case === undefined ? '' : `${k}: `) + this.owner.name(edge) + (edge.decides ? ' (index)' : '')
    if (edges.length > MOST_CHIPS) {
      const select = h('select', { 'aria-label': `Operand of ${this.node.name} to follow`, onchange: () => this.owner.choose(Number(select.value)) },
        ...edges.map((edge, k) => h('option', { value: k, selected: k === chosen }, text(edge, k))))
      return h('div', { class: 'operands' }, h('span', {}, `follows one of ${edges.length}`), select)
    }
    const buttons = edges.map((edge, k) => {
      const button = h('button', { class: 'chip code', 'aria-pressed': String(k === chosen), onclick: () => this.owner.choose(k) }, text(edge, k))
      this.chips.set(k, button)
      return button
    })
    return h('div', { class: 'operands', role: 'group', 'aria-label': `Operand of ${this.node.name} to follow` }, h('span', {}, 'follow'), ...buttons)
  }

  private shown: Shown = { pinned: false }

  show(shown: Shown): void {
    this.shown = shown
    const { lit, focus, pinned } = shown
    this.grid.lit = lit
    this.grid.focus = focus
    this.grid.pinned = pinned
    const place = focus ?? this.unseen(lit)
    if (place) this.grid.show(place)
    this.filled.textContent = unbroken(shown.filled ?? '')
    this.chips.forEach((chip, k) => chip.classList.toggle('taken', shown.taken?.has(k) ?? false))
    this.tellSlices()
    this.grid.draw()
  }

  /** An element to move to, when none of the lit ones can be seen. */
  private unseen(lit: Region | undefined): Index | undefined {
    if (!lit || lit.isEmpty) return undefined
    return lit.size(this.grid.plane.whole(this.grid.leading)).count > 0 && this.grid.isWhole ? undefined : lit.first
  }

  private tellNote(): void {
    const { lit, focus, note } = this.shown
    const { plane, leading } = this.grid
    const said: string[] = []
    if (note) said.push(note)
    if (lit && !focus && !lit.isEmpty) {
      const whole = lit.size()
      if (whole.count !== 1 || lit.maybe) said.push(`${whole.exact ? '' : 'at least '}${counted(whole.count)}${lit.maybe ? ', one of them by an index that is data' : ''}`)
      const here = plane.leading.length > 0 ? lit.size(plane.whole(leading)).count : whole.count
      if (here < whole.count) said.push(`${counted(whole.count - here)} in other slices`)
    }
    if (said.length === 0 && plane.wrapped) said.push(`one row, wrapped every ${plane.columns.toLocaleString('en')}`)
    this.note.textContent = said.join(' · ')
  }
}

/** Which slice is seen: `2 in 0…3`. */
function placeOf(at: number, size: number): string {
  return `${at} in 0…${Math.max(0, size - 1)}`
}

export function title({ name, kind, slot }: MapNode): string {
  return kind === 'buffer' || kind === 'argument' ? `${kind} ${slot ?? ''}` : name
}

function label(node: MapNode): string {
  return [title(node), node.kind === 'value' ? node.op : node.name, node.type].join(' ')
}
