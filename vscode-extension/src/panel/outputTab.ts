// One output: its type and numbers, and a picture of it with the controls that slice it.

import { RunOutput } from '../protocol'
import { h } from './dom'
import { count, typeText } from './format'
import { HeatMap } from './heatMap'
import { HistogramView } from './histogramView'
import { LineView } from './lineView'
import { clampLeading, placeOf, planeOf } from './slicing'
import { ScalarView } from './scalarView'
import { Source } from './source'
import { TableView } from './table'
import { statistics } from './verdict'
import { Subject, View } from './view'

export type Mode = 'table' | 'heat' | 'line' | 'histogram'
const TITLES: Record<Mode, string> = { table: 'Table', heat: 'Heat map', line: 'Line', histogram: 'Histogram' }

/** The pictures that make sense of a shape. */
export function modesOf(shape: readonly number[]): Mode[] {
  if (shape.length === 0 || shape.includes(0)) return ['table']
  return shape.length === 1 ? ['table', 'line', 'histogram'] : ['table', 'heat', 'histogram']
}

/** What is remembered of how an output is looked at. */
export interface Look {
  mode: Mode
  leading: number[]
}

export interface OutputHost {
  goto(name: string): void
  again(): void
  save(name: string): void
}

export class OutputTab {
  readonly element = h('div', { class: 'output' })
  private readonly body = h('div', { class: 'body' })
  private readonly readout = h('div', { class: 'readout', role: 'status', 'aria-live': 'polite' })
  private readonly stats = h('dl', { class: 'stats' })
  private readonly subject: Subject
  private view: View | undefined
  private failed = false
  private leading: number[]
  private mode: Mode

  constructor(
    private output: RunOutput,
    source: Source,
    marked: readonly number[] | undefined,
    look: Look,
    private readonly remember: (look: Look) => void,
    private readonly host: OutputHost,
  ) {
    const modes = modesOf(output.shape)
    this.mode = modes.includes(look.mode) ? look.mode : 'table'
    this.leading = clampLeading(output.shape, look.leading)
    this.subject = {
      ...this.about(source, marked),
      leading: this.leading,
      say: (text: string) => { this.readout.textContent = text },
      fail: (reason: string) => this.fail(reason),
    }
    this.element.append(this.title(), this.controls(modes), this.body, this.readout)
  }

  start(): void {
    this.show(this.mode)
  }

  dispose(): void {
    this.view?.dispose()
  }

  /** Whether another run's output is of the same type, so that it can stand where this one does. */
  matches({ name, dtype, shape }: RunOutput): boolean {
    return name === this.output.name && dtype === this.output.dtype && String(shape) === String(this.output.shape)
  }

  /** The same output of a newer run: other values under the same slice, zoom, place and focus. */
  renew(output: RunOutput, source: Source, marked: readonly number[] | undefined): void {
    this.output = output
    Object.assign(this.subject, this.about(source, marked))
    this.tellStats()
    if (this.failed) this.show(this.mode)
    else this.view?.renew()
  }

  private about(source: Source, marked: readonly number[] | undefined): Pick<Subject, 'name' | 'source' | 'low' | 'high' | 'nan' | 'marked'> {
    const { name, stats } = this.output
    return { name, source, marked, low: stats?.min ?? null, high: stats?.max ?? null, nan: (stats?.nan ?? 0) > 0 }
  }

  private tellStats(): void {
    this.stats.replaceChildren(...statistics(this.output).map(({ name, value, bad }) => h('div', { class: bad ? 'bad' : '' }, h('dt', {}, name), h('dd', {}, value))))
  }

  /** Goes to an element in the table. */
  reveal(index: readonly number[]): void {
    if (this.mode !== 'table') this.show('table')
    const { leading } = placeOf(index)
    leading.forEach((value, axis) => this.slide(axis, value))
    this.view?.reveal?.(index)
  }

  private title(): HTMLElement {
    const { name, dtype, shape } = this.output
    const link = h('button', { class: 'link name', title: `Go to ${name} in the file`, onclick: () => this.host.goto(name) }, name)
    this.tellStats()
    return h('div', { class: 'about' }, h('div', { class: 'type' }, link, ` : ${typeText(dtype, shape)}`), this.stats)
  }

  private controls(modes: Mode[]): HTMLElement {
    const buttons = modes.map(mode =>
      h('button', { class: 'mode', 'data-mode': mode, 'aria-pressed': mode === this.mode, onclick: () => this.show(mode) }, TITLES[mode]))
    const switcher = h('div', { class: 'modes', role: 'group', 'aria-label': 'Show as' }, ...buttons)
    const save = h('button', { class: 'small save', title: `Write all elements of ${this.output.name} to a .npy file, which NumPy loads`, onclick: () => this.host.save(this.output.name) }, 'Save as .npy…')
    return h('div', { class: 'controls' }, modes.length > 1 && switcher, this.zoomer(), ...this.sliders(), save)
  }

  private zoomer(): HTMLElement {
    const button = (text: string, title: string, factor: number) => h('button', { class: 'small', title, 'aria-label': title, onclick: () => this.view?.zoomBy?.(factor) }, text)
    return h('div', { class: 'zoom', title: 'Ctrl and the wheel zoom, dragging moves' }, button('+', 'Zoom in', 0.6), button('−', 'Zoom out', 1 / 0.6), button('⤢', 'Show all', 0))
  }

  /** One control for each axis before the last two. */
  private sliders(): HTMLElement[] {
    return planeOf(this.output.shape).leading.map((size, axis) => {
      const last = String(Math.max(0, size - 1))
      const listen = (event: Event) => this.slide(axis, Number((event.target as HTMLInputElement).value))
      const value = String(this.leading[axis] ?? 0)
      const range = h('input', { type: 'range', min: 0, max: last, value, 'data-axis': axis, 'aria-label': `Index of axis ${axis}`, oninput: listen })
      const number = h('input', { type: 'number', min: 0, max: last, value, 'data-axis': axis, 'aria-label': `Index of axis ${axis}, as a number`, onchange: listen })
      return h('label', { class: 'axis' }, h('span', {}, `axis ${axis}`), range, number, h('span', { class: 'of' }, `of ${count(size)}`))
    })
  }

  private slide(axis: number, value: number): void {
    const wanted = [...this.leading]
    wanted[axis] = value
    this.leading = clampLeading(this.output.shape, wanted)
    for (const input of this.element.querySelectorAll<HTMLInputElement>(`input[data-axis="${axis}"]`)) input.value = String(this.leading[axis])
    this.subject.leading = this.leading
    this.view?.move(this.leading)
    this.remember({ mode: this.mode, leading: this.leading })
  }

  private show(mode: Mode): void {
    this.mode = mode
    this.failed = false
    this.view?.dispose()
    this.readout.textContent = ''
    for (const button of this.element.querySelectorAll<HTMLElement>('.mode')) button.setAttribute('aria-pressed', String(button.dataset.mode === mode))
    this.element.dataset.mode = mode
    this.remember({ mode, leading: this.leading })
    if (this.output.shape.includes(0)) {
      this.body.replaceChildren(h('p', { class: 'muted' }, 'This output has no elements: one of its axes has size 0.'))
      return
    }
    this.subject.leading = this.leading
    this.view = this.make(mode)
    this.body.replaceChildren(this.view.element)
    this.view.start()
  }

  private make(mode: Mode): View {
    const { subject } = this
    return mode === 'heat' ? new HeatMap(subject) : mode === 'line' ? new LineView(subject) : mode === 'histogram' ? new HistogramView(subject) : this.output.shape.length === 0 ? new ScalarView(subject) : new TableView(subject)
  }

  /** The values are not to be had (a reload, a newer run): what there is, and the way to have them. */
  private fail(reason: string): void {
    this.failed = true
    const again = h('button', { class: 'primary', onclick: () => this.host.again() }, 'Run Again')
    const { preview } = this.output
    this.body.replaceChildren(h('div', { class: 'notice' }, h('p', {}, sentence(reason)), again), preview ? h('pre', {}, preview) : '')
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
}
