// The result panel: takes what the extension tells it, and shows it.

import { Difference, RunOutput } from '../protocol'
import { h } from './dom'
import { head } from './head'
import { historyTable } from './historyTab'
import { InputsTab } from './inputsTab'
import { Elements, EMPTY, FromPanel, PanelState, ToPanel } from './messages'
import { Look, OutputTab } from './outputTab'
import { Source } from './source'
import { Slice } from './slicing'
import { decode, Values } from './values'

interface Saved {
  state: PanelState
  tab: string
  looks: Record<string, Look>
  small: Record<string, { dtype: string; shape: number[]; bytes: number[] }> // the elements of small outputs outlive a reload
}

declare function acquireVsCodeApi(): { postMessage(message: FromPanel): void; getState(): Saved | undefined; setState(state: Saved): void }

const PATIENCE_MS = 500
const SMALL = 4096
const INPUTS = 'inputs'
const HISTORY = 'history'

class Panel {
  private readonly api = acquireVsCodeApi()
  private readonly saved: Saved
  private readonly headPlace = h('div', { class: 'summary' })
  private readonly tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Result' })
  private readonly content = h('main', { role: 'tabpanel', 'aria-labelledby': 'chosen-tab' })
  private readonly inputs = new InputsTab({
    set: (slot, source) => this.post({ type: 'input', slot, source }),
    browse: slot => this.post({ type: 'browse', slot }),
    goto: name => this.post({ type: 'goto', name }),
    arrays: (slot, path) => this.post({ type: 'arrays', slot, path }),
  })
  private readonly waiting = new Map<number, { resolve(values: Values): void; reject(reason: Error): void }>()
  private readonly sources = new Map<string, Source>()
  private readonly looks = new Map<string, string>() // by the output, as it was told last
  private requests = 0
  private told = '' // the state that was told last
  private stage = ''
  private late = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private output: OutputTab | undefined
  private outputKey = ''
  private outputTime: number | undefined
  private outputWrong = ''

  constructor() {
    const before = this.api.getState()
    this.saved = before ?? { state: EMPTY, tab: '', looks: {}, small: {} }
    document.body.append(this.headPlace, this.tabs, this.content)
    window.addEventListener('message', (event: MessageEvent<ToPanel>) => this.take(event.data))
    this.tabs.addEventListener('keydown', event => this.tabKey(event))
    document.addEventListener('keydown', event => {
      if (event.key === 'F5') this.post({ type: 'run' })
    })
    if (before) this.show({ ...before.state, running: false })
    this.post({ type: 'ready', state: before?.state })
  }

  private get state(): PanelState {
    return this.saved.state
  }

  private post(message: FromPanel): void {
    this.api.postMessage(message)
  }

  private take(message: ToPanel): void {
    if (message.type === 'state') this.show(message.state, message.elements)
    else if (message.type === 'stage') this.tellStage(message.text)
    else if (message.type === 'inputError') this.inputs.complain(message.slot, message.error)
    else if (message.type === 'path') this.inputs.choose(message.slot, message.path)
    else if (message.type === 'arrays') this.inputs.offer(message.slot, message.path, message.arrays, message.error)
    else this.answer(message)
  }

  private answer(message: Extract<ToPanel, { type: 'values' | 'gone' }>): void {
    const waiting = this.waiting.get(message.request)
    this.waiting.delete(message.request)
    if (message.type === 'gone') waiting?.reject(new Error(message.reason))
    else waiting?.resolve(decode(message.dtype, message.shape, message.bytes))
  }

  // -- the whole ---------------------------------------------------------------------------------------------------
  private show(state: PanelState, elements: Elements[] = []): void {
    const told = JSON.stringify(state)
    if (told === this.told && elements.length === 0) return // said twice, as when the page is new
    this.told = told
    const ran = state.run !== undefined && state.run.time !== this.state.run?.time
    const other = state.run?.time !== this.state.run?.time || state.file?.uri !== this.state.file?.uri
    const elsewhere = state.file?.uri !== this.state.file?.uri
    this.saved.state = state
    if (ran && (elsewhere || this.saved.tab === INPUTS) && !this.inputs.isTyping) this.saved.tab = '' // the result of what was chosen there, or of another file
    if (other) {
      this.sources.clear()
      this.saved.small = {}
    }
    for (const { output, dtype, slice, shape, bytes } of elements) {
      const about = this.outputs.find(({ name }) => name === output)
      if (!about) continue
      const values = decode(dtype, shape, bytes)
      const source = this.sourceOf(output, dtype, about.shape)
      source.keep(slice, values)
      if (values.count === source.count) this.keepSmall(output, values)
    }
    clearTimeout(this.timer)
    if (!state.running) this.late = false
    else if (!this.late) this.timer = setTimeout(() => { this.late = true; this.drawHead() }, PATIENCE_MS)
    if (!state.running) this.stage = ''
    this.drawHead()
    this.drawTabs()
    this.drawContent()
    if (ran) this.whenSeen(state.run?.time ?? 0)
    else this.save()
  }

  /** Once a run is on the screen comes what is not as urgent, here and in the extension. */
  private whenSeen(time: number): void {
    requestAnimationFrame(() => setTimeout(() => {
      this.post({ type: 'seen', time })
      this.save()
    }))
  }

  private save(): void {
    this.api.setState(this.saved)
  }

  private tellStage(text: string): void {
    this.stage = text
    if (this.late) this.drawHead()
  }

  private drawHead(): void {
    const { file, run, running, problem } = this.state
    document.body.classList.toggle('waiting', running && this.late && !run?.result.verifying)
    if (!file && !run) return this.headPlace.replaceChildren(this.empty())
    const before = this.headPlace.innerHTML
    const focused = this.headPlace.contains(document.activeElement) ? document.activeElement?.className : undefined
    const parts = head(this.state, this.stage, this.late, {
      run: () => this.post({ type: 'run' }),
      cancel: () => this.post({ type: 'cancel' }),
      mend: () => this.post({ type: 'mend' }),
      showFile: () => this.post({ type: 'showFile' }),
      gotoLine: line => this.post({ type: 'gotoLine', line }),
      reveal: (output, index) => this.reveal(output, index),
    })
    if (!run && !running && !problem) parts.push(h('p', { class: 'muted' }, 'This file has not run yet.'))
    if (parts.map(part => part.outerHTML).join('') === before) return // what is selected in it stays
    this.headPlace.replaceChildren(...parts)
    if (focused) this.headPlace.querySelector<HTMLElement>(`.${focused.split(' ')[0] ?? ''}`)?.focus()
  }

  private empty(): HTMLElement {
    return h('section', { class: 'empty' }, h('h1', {}, 'No result yet'),
      h('p', { class: 'muted' }, 'Open a .uir file and press Run above its first line, or Ctrl+F5. Values, pictures and times appear here.'),
      h('button', { class: 'primary', onclick: () => this.post({ type: 'run' }) }, '▶ Run the Open File'))
  }

  // -- tabs --------------------------------------------------------------------------------------------------------
  private get names(): string[] {
    if (!this.state.file) return []
    return [...this.outputs.map(({ name }) => name), INPUTS, HISTORY]
  }

  private get chosen(): string {
    return this.names.includes(this.saved.tab) ? this.saved.tab : (this.names[0] ?? '')
  }

  private drawTabs(): void {
    const { chosen } = this
    const { history, inputs } = this.state
    const titles: Record<string, string> = { [INPUTS]: inputs ? `Inputs (${inputs.length})` : 'Inputs', [HISTORY]: `History (${history.length})` }
    const focused = this.tabs.contains(document.activeElement)
    const tabs = this.names.map(name => h('button', {
      role: 'tab', class: name in titles ? 'tab' : 'tab code', 'aria-selected': name === chosen, tabindex: name === chosen ? 0 : -1,
      id: name === chosen ? 'chosen-tab' : undefined, 'data-tab': name, onclick: () => this.choose(name),
    }, titles[name] ?? name))
    if (tabs.map(tab => tab.outerHTML).join('') === this.tabs.innerHTML) return
    this.tabs.replaceChildren(...tabs)
    if (focused) this.tabs.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()
  }

  private choose(name: string): void {
    this.saved.tab = name
    this.save()
    this.drawTabs()
    this.drawContent()
  }

  private tabKey(event: KeyboardEvent): void {
    const { names } = this
    const at = names.indexOf(this.chosen)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key]
    const name = to === undefined ? undefined : names[(to + names.length) % names.length]
    if (name === undefined) return
    event.preventDefault()
    this.choose(name)
  }

  private drawContent(): void {
    const { chosen } = this
    const key = `${this.state.file?.uri} ${chosen}`
    if (this.output && key === this.outputKey && this.renewOutput(chosen)) return
    if (chosen === INPUTS) this.inputs.show(this.state.file?.uri ?? '', this.state.inputs)
    this.output?.dispose()
    this.output = undefined
    this.outputKey = ''
    if (chosen === INPUTS) {
      if (this.content.firstChild !== this.inputs.element) this.content.replaceChildren(this.inputs.element)
    } else if (chosen === HISTORY) this.drawHistory()
    else if (chosen) this.drawOutput(chosen, key)
    else this.content.replaceChildren()
  }

  private drawHistory(): void {
    const table = historyTable(this.state.history)
    if (this.content.innerHTML !== table.outerHTML) this.content.replaceChildren(table)
  }

  // -- an output ---------------------------------------------------------------------------------------------------
  /** Shows the output as it is in the state, in place; false when it has to be drawn anew. */
  private renewOutput(name: string): boolean {
    const found = this.outputs.find(one => one.name === name)
    if (!found || !this.output?.matches(found)) return false
    const { time } = this.state.run ?? {}
    const wrong = this.wrongIn(name) // it may be found after the output is shown
    if (time !== this.outputTime || String(wrong) !== this.outputWrong) this.output.renew(found, this.sourceOf(name, found.dtype, found.shape), wrong)
    this.outputTime = time
    this.outputWrong = String(wrong)
    return true
  }

  private get outputs(): RunOutput[] {
    return this.state.run?.result.outputs ?? []
  }

  private wrongIn(name: string): number[] | undefined {
    return this.state.run?.result.differences?.find((one: Difference) => one.output === name)?.index
  }

  private drawOutput(name: string, key: string): void {
    const output = this.outputs.find(one => one.name === name)
    if (!output) return
    const place = `${this.state.file?.uri} ${name}`
    const look = this.saved.looks[place] ?? { mode: 'table', leading: [] }
    const remember = (next: Look) => {
      this.saved.looks[place] = next
      this.save()
    }
    const host = {
      goto: (value: string) => this.post({ type: 'goto', name: value }),
      again: () => this.post({ type: 'run' }),
      save: (value: string) => this.post({ type: 'save', run: this.state.run?.result.run ?? -1, output: value }),
    }
    this.output = new OutputTab(output, this.sourceOf(output.name, output.dtype, output.shape), this.wrongIn(name), look, remember, host)
    this.outputKey = key
    this.outputWrong = String(this.wrongIn(name))
    this.outputTime = this.state.run?.time
    this.content.replaceChildren(this.output.element)
    this.output.start()
  }

  private reveal(output: string, index: readonly number[]): void {
    this.choose(output)
    this.output?.reveal(index)
  }

  private sourceOf(name: string, dtype: string, shape: number[]): Source {
    const known = this.sources.get(name)
    if (known) return known
    const small = this.saved.small[name]
    const kept = small && decode(small.dtype, small.shape, Uint8Array.from(small.bytes))
    const source = new Source(dtype, shape, slice => this.fetch(name, slice), kept, slice => this.look(name, slice))
    this.sources.set(name, source)
    return source
  }

  /** The extension knows what is looked at, so that the next run brings it along. */
  private look(output: string, slice: Slice[]): void {
    const told = JSON.stringify(slice)
    if (this.looks.get(output) === told) return
    this.looks.set(output, told)
    this.post({ type: 'look', output, slice })
  }

  private async fetch(output: string, slice: Slice[]): Promise<Values> {
    const run = this.state.run?.result.run
    if (typeof run !== 'number') throw new Error('the values of this run are not kept: run again')
    const { time } = this.state.run ?? {}
    const request = ++this.requests
    const values = await new Promise<Values>((resolve, reject) => {
      this.waiting.set(request, { resolve, reject })
      this.post({ type: 'values', request, run, output, slice })
    })
    if (slice.length === 0 && time === this.state.run?.time) {
      this.keepSmall(output, values)
      this.save()
    }
    return values
  }

  /** The elements of a small output are there after a reload. */
  private keepSmall(output: string, { dtype, shape, raw, count }: Values): void {
    if (count > SMALL || dtype === 'f16') return
    this.saved.small[output] = { dtype, shape: [...shape], bytes: [...new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength)] }
  }
}

new Panel()
