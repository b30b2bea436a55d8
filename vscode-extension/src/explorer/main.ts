// The index map explorer: a value, and beside it what it reads, step by step. Pointing at an element lights up where it
// comes from and what depends on it.

import { h } from '../panel/dom'
import { Card, Shown } from './card'
import { Explored, FromExplorer, ToExplorer } from './messages'
import { Edge, Index, MapNode } from './model'
import { Origins } from './origin'
import { follow, Piece, Region } from './region'
import { MOST_PIECES, reads, Step, Tree } from './tree'
import { at, downward, isPoint, rightSide, unbroken, upward } from './words'

interface Focus {
  name: string
  index: Index
  held: boolean // stays when the pointer goes
}

interface Saved {
  explored?: Explored | undefined
  choices: Record<string, number>
  focus?: Focus | undefined
}

declare function acquireVsCodeApi(): { postMessage(message: FromExplorer): void; getState(): Saved | undefined; setState(state: Saved): void }

const LARGEST = { width: 380, height: 300 }
const LONGEST_ROW = 660
const TWO_ABREAST = 520 // where the page is as wide as this, large grids leave room for one beside them
const LEAST_WIDTH = 160
const FRAME = 34 // a card's edges and the page's
const FOLDED = { from: 14, first: 7, last: 4 } // ways longer than this are folded in the middle
const SPOKEN_MS = 250 // after the last move, before a screen reader is told
const MOST_SAVED = 300_000 // characters of an answer that outlives a reload
const HINT = 'Point at an element, or use the arrow keys in a grid. A click or Enter pins it, Escape lets it go.'

class Explorer {
  private readonly api = acquireVsCodeApi()
  private readonly saved: Saved
  private readonly heading = h('header', { class: 'heading' })
  private readonly muted = h('p', { class: 'stale muted', role: 'status' })
  private readonly from = h('p', { class: 'line code', id: 'from' })
  private readonly to = h('p', { class: 'line to code', id: 'to' })
  private readonly lines = h('div', { class: 'lines' }, this.from, this.to)
  private readonly spoken = h('div', { class: 'spoken', 'aria-live': 'polite' })
  private readonly chain = h('main', { class: 'chain' })
  private tree: Tree | undefined
  private origins: Origins | undefined
  private way: Step[] = []
  private cards: (Card | undefined)[] = [] // for each step; undefined where the way is folded
  private unfolded = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private frame = 0

  constructor() {
    this.saved = this.api.getState() ?? { choices: {} }
    document.body.append(this.heading, this.muted, this.lines, this.spoken, this.chain)
    window.addEventListener('message', (event: MessageEvent<ToExplorer>) => this.take(event.data))
    window.addEventListener('resize', () => {
      letGo([this.lines, ...this.cards.flatMap(card => card?.growing ?? [])])
      this.fit()
    })
    document.addEventListener('keydown', event => {
      if (event.key === 'Escape') this.setFocus(undefined)
    })
    const { explored } = this.saved
    if (explored) this.show(explored)
    this.post({ type: 'ready', explored: explored && { file: explored.file, value: explored.value } })
  }

  private post(message: FromExplorer): void {
    this.api.postMessage(message)
  }

  private take(message: ToExplorer): void {
    if (message.type === 'show') this.show(message.explored)
    else this.muted.textContent = this.tree ? `The last good maps: ${message.message}` : message.message
  }

  private save(): void {
    const { explored, choices, focus } = this.saved
    const small = explored && JSON.stringify(explored).length < MOST_SAVED
    const about = explored && { ...explored, result: { values: [] } }
    this.api.setState({ explored: small ? explored : about, choices, focus: focus?.held ? focus : undefined })
  }

  // -- the whole ---------------------------------------------------------------------------------------------------
  private show(explored: Explored): void {
    const before = this.saved.explored
    const { result, file } = explored
    const same = before?.file.uri === file.uri && before.result.value === result.value
    if (!result.nodes && same && this.tree) { // broken now: what was good stays
      this.muted.textContent = `The last good maps: ${result.message ?? ''}`
      return
    }
    this.muted.textContent = result.message ?? result.note ?? (result.complete === false ? 'The program is large: only what is near the value is shown.' : '')
    this.saved.explored = explored
    if (before && before.file.uri !== file.uri) this.saved.choices = {} // names of another file
    if (!same) {
      this.unfolded = false
      letGo([this.lines])
    }
    this.drawHeading(explored)
    this.tree = result.nodes && new Tree(result.nodes)
    this.draw(0)
    this.update()
    this.save()
  }

  private drawHeading({ file, result }: Explored): void {
    const value = result.value ?? ''
    const known = result.values.some(({ name }) => name === value)
    const select = h('select', { class: 'code', 'aria-label': 'Value to explore', onchange: () => this.post({ type: 'explore', value: select.value }) },
      ...(known ? [] : [h('option', { value, selected: true }, value)]),
      ...result.values.map(({ name, type }) => h('option', { value: name, selected: name === value }, `${name} : ${type}`)))
    const focused = this.heading.contains(document.activeElement)
    const title = value || result.values.length > 0 ? ['Where the elements of ', select, ' come from'] : ['Index maps']
    this.heading.replaceChildren(h('h1', {}, ...title), h('button', { class: 'link muted', onclick: () => this.post({ type: 'goto', name: value }) }, file.name))
    if (focused) select.focus()
  }

  /** Makes the cards anew from one step of the way on. */
  private draw(begin: number): void {
    const { tree } = this
    const focused = this.cards.findIndex(card => card?.grid.element === document.activeElement)
    const before = new Map(this.cards.flatMap(card => (card ? [[card.node.name, card.grid] as const] : [])))
    this.cards.slice(begin).forEach(card => card?.dispose())
    if (!tree) {
      this.cards = []
      this.way = []
      return this.chain.replaceChildren()
    }
    this.way = tree.way(this.saved.choices)
    this.origins = new Origins(tree, node => this.way.find(step => step.node === node)?.edge)
    const hidden = this.hidden
    this.cards = this.way.map((step, k) => (k < begin ? this.cards[k] : hidden.has(k) ? undefined : this.card(tree, step, k)))
    this.cards.slice(begin).forEach(card => {
      const grid = card && before.get(card.node.name)
      if (grid) card.grid.resume(grid)
    })
    const shown: HTMLElement[] = []
    this.cards.forEach((card, k) => {
      if (card) shown.push(card.element)
      else if (!hidden.has(k - 1)) shown.push(this.unfoldButton(hidden.size))
    })
    this.chain.replaceChildren(...shown)
    this.fit()
    if (focused >= 0) this.cards[focused]?.grid.element.focus({ preventScroll: true })
  }

  private get hidden(): Set<number> {
    const { length } = this.way
    if (this.unfolded || length <= FOLDED.from) return new Set()
    return new Set(Array.from({ length: length - FOLDED.first - FOLDED.last }, (_, k) => k + FOLDED.first))
  }

  private unfoldButton(count: number): HTMLElement {
    const unfold = () => {
      this.unfolded = true
      this.draw(0)
      this.update()
    }
    return h('button', { class: 'unfold', onclick: unfold }, `← ${count} more steps`)
  }

  private card(tree: Tree, { node: number, edge }: Step, k: number): Card {
    const node = tree.node(number)
    return new Card(node, k === 0, edge ? node.edges.indexOf(edge) : 0, {
      origin: index => this.origins?.of(number, index),
      leaf: leaf => tree.node(leaf).slot ?? 0,
      point: index => this.hover(node, index),
      pin: index => this.pin(node, index),
      move: index => this.setFocus({ name: node.name, index, held: true }),
      escape: () => this.setFocus(undefined),
      goto: () => this.post({ type: 'goto', name: node.name }),
      choose: to => this.choose(node, to, k),
      name: ({ to }) => tree.node(to).name,
    })
  }

  private fit(): void {
    const page = this.chain.clientWidth - FRAME
    const width = Math.max(LEAST_WIDTH, Math.min(LARGEST.width, page < TWO_ABREAST ? page : page / 2 - FRAME / 2))
    const row = Math.max(LEAST_WIDTH, Math.min(LONGEST_ROW, page)) // a vector is low, and may take the whole width
    this.cards.forEach(card => card?.fit(card.grid.plane.rows === 1 ? row : width, Math.min(LARGEST.height, width)))
  }

  // -- pointing ----------------------------------------------------------------------------------------------------
  private hover(node: MapNode, index: Index | undefined): void {
    const { focus } = this.saved
    if (focus?.held) return
    if (index && focus?.name === node.name && focus.index.join() === index.join()) return
    if (!index && !focus) return
    this.setFocus(index && { name: node.name, index, held: false })
  }

  private pin(node: MapNode, index: Index): void {
    const { focus } = this.saved
    const again = focus?.held && focus.name === node.name && focus.index.join() === index.join()
    this.setFocus({ name: node.name, index, held: !again })
  }

  private setFocus(focus: Focus | undefined): void {
    this.saved.focus = focus
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.update())
    if (!focus || focus.held) this.save()
  }

  private choose(node: MapNode, edge: number, k: number): void {
    this.saved.choices[node.name] = edge
    if (node.edges[edge]?.case !== undefined) this.saved.focus = undefined // of a stack: the element may come from another
    this.draw(k)
    this.cards[k]?.element.querySelector<HTMLElement>('.operands [aria-pressed="true"], .operands select')?.focus()
    this.update()
    this.save()
  }

  /** Lights up what belongs to the element that is pointed at. */
  private update(): void {
    const { tree } = this
    const { focus } = this.saved
    if (!tree) return this.say('', '')
    const begin = focus ? this.way.findIndex(({ node }) => tree.node(node).name === focus.name) : -1
    const node = begin < 0 ? undefined : tree.node(this.way[begin]?.node ?? 0)
    if (!focus || !node || !isIn(focus.index, node.shape)) {
      this.cards.forEach(card => card?.show({ pinned: false }))
      return this.say(HINT, '', false)
    }
    const pieces = this.piecesBelow(tree, begin, focus.index)
    const above = tree.above(this.way[begin]?.node ?? 0, focus.index)
    const regions = new Map<number, Region>()
    this.way.slice(0, begin).forEach(({ node: k }) => regions.set(k, tree.region(k, above.pieces.get(k) ?? [], above.cut.has(k))))
    this.cards.forEach((card, k) => {
      if (!card) return
      if (k < begin) card.show(shownAbove(regions.get(this.way[k]?.node ?? -1)))
      else card.show(this.shownBelow(tree, k, begin, pieces, focus))
    })
    this.say(downward(tree, this.way, begin, pieces), upward(tree, this.way, begin, regions))
  }

  /** The elements down the way; at a stack the way turns to the operand that the element comes from. */
  private piecesBelow(tree: Tree, begin: number, index: Index): Piece[] {
    for (let turns = 0; turns < this.way.length; turns++) {
      const pieces = tree.below(this.way, begin, index)
      const end = begin + pieces.length - 1
      const step = this.way[end]
      const last = pieces.at(-1)
      const node = tree.node(step?.node ?? 0)
      const other = last && step?.edge?.case !== undefined ? node.edges.findIndex(edge => follow(last, reads(edge))) : -1
      if (other < 0 || node.edges[other] === step?.edge) return pieces
      this.saved.choices[node.name] = other
      this.draw(end)
    }
    return tree.below(this.way, begin, index)
  }

  private shownBelow(tree: Tree, k: number, begin: number, pieces: readonly Piece[], focus: Focus): Shown {
    const step = this.way[k] as Step
    const node = tree.node(step.node)
    const piece = pieces[k - begin]
    if (!piece) return { pinned: false, note: k === begin + pieces.length ? this.whyNot(tree, k - 1) : undefined }
    const right = node.edges.length > 0 ? rightSide(tree, step, piece) : undefined
    const left = isPoint(piece) ? at(node, piece.index as number[]) : undefined
    return {
      lit: k === begin ? undefined : tree.region(step.node, [piece]),
      focus: k === begin ? focus.index : undefined,
      pinned: focus.held,
      filled: right !== undefined && left !== undefined ? `${left} = ${right}` : undefined,
      taken: this.taken(node.edges, piece),
    }
  }

  private taken(edges: readonly Edge[], piece: Piece): Set<number> {
    return new Set(edges.flatMap((edge, k) => (edge.case !== undefined && follow(piece, reads(edge)) ? [k] : [])))
  }

  private whyNot(tree: Tree, k: number): string {
    const { node, edge } = this.way[k] as Step
    if (edge?.guard !== undefined) return `not read: ${tree.node(node).name} is padding there, 0`
    return edge?.case !== undefined ? 'not read: it comes from another operand' : 'nothing of it is read'
  }

  private say(from: string, to: string, aloud = true): void {
    this.from.textContent = unbroken(from)
    this.from.classList.toggle('hint', from === HINT)
    this.to.textContent = unbroken(to)
    holdStill([this.lines, ...this.cards.flatMap(card => card?.growing ?? [])])
    clearTimeout(this.timer)
    this.timer = setTimeout(() => { this.spoken.textContent = aloud ? [from, to].filter(Boolean).join('; ') : '' }, SPOKEN_MS)
  }
}

/** What grew to hold long lines stays as high: the elements must not move under the pointer. */
function holdStill(elements: readonly HTMLElement[]): void {
  const heights = elements.map(({ offsetHeight }) => offsetHeight)
  elements.forEach(({ style }, k) => { style.minHeight = `${heights[k] ?? 0}px` })
}

function letGo(elements: readonly HTMLElement[]): void {
  elements.forEach(({ style }) => { style.minHeight = '' })
}

function shownAbove(lit: Region | undefined): Shown {
  return { lit, pinned: false, note: lit?.partial ? `there are more ways to it than the ${MOST_PIECES} that are followed` : undefined }
}

function isIn(index: Index, shape: readonly number[]): boolean {
  return index.length === shape.length && index.every((i, axis) => i >= 0 && i < (shape[axis] ?? 0))
}

new Explorer()
