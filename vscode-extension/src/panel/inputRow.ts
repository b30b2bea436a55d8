// What one buffer holds, as a form: the kind of data and its fields. What stands in it is the person's until it is sent.

import { ArrayAbout, InputAbout } from '../protocol'
import { h } from './dom'
import { count, typeText } from './format'
import { defaultText, FIELDS, hasMembers, Kind, kindsFor, Parts, partsOf, sourceOf } from './inputSource'

export interface RowHost {
  set(slot: number, source: string): void
  browse(slot: number): void
  goto(name: string): void
  /** What is in this file? The answer comes to `offer`. */
  arrays(slot: number, path: string): void
}

export class InputRow {
  readonly element: HTMLElement
  readonly key: string
  private readonly select: HTMLSelectElement
  private readonly fields = h('span', { class: 'fields' })
  private readonly complaint = h('div', { class: 'complaint', role: 'alert' })
  private source: string // what the file says, as far as is known
  private readonly sent: string[] = [] // what was chosen here and may still come back
  private committed: string[] = [] // the fields as they were shown or sent last
  private offered: { path: string; arrays: readonly ArrayAbout[] } | undefined
  private choosing = '' // the path whose arrays decide what is sent

  constructor(private input: InputAbout, private readonly host: RowHost) {
    this.key = InputRow.keyOf(input)
    this.source = input.source ?? ''
    const { name, dtype, size, slot } = input
    this.select = h('select', { 'aria-label': `Data of ${name}`, 'data-field': `${slot}-kind`, onchange: () => this.changeKind() },
      ...kindsFor(dtype).map(kind => h('option', { value: kind }, kind)))
    const link = h('button', { class: 'link name', title: 'Go to the buffer in the file', onclick: () => host.goto(name) }, name)
    this.element = h('div', { class: 'input', 'data-slot': slot, role: 'group', 'aria-label': `Input ${name}` },
      h('span', { class: 'who' }, link, h('span', { class: 'muted' }, ` ${dtype}[${size}], slot ${slot}`)), this.select, this.fields, this.complaint)
    this.fill(partsOf(input.source))
  }

  static keyOf({ slot, name, dtype, size }: InputAbout): string {
    return [slot, name, dtype, size].join(' ')
  }

  get slot(): number {
    return this.input.slot
  }

  /** Whether a field that has the focus holds what was not sent. */
  get isTyping(): boolean {
    return this.fields.contains(document.activeElement) && String(this.texts()) !== String(this.committed)
  }

  /** The file says this now. What it says because it was chosen here, late as it may come, changes nothing. */
  take(input: InputAbout): void {
    const source = input.source ?? ''
    this.input = input
    if (source === this.source) return
    this.source = source
    const echo = this.sent.indexOf(source)
    if (echo >= 0) return void this.sent.splice(0, echo + 1)
    if (this.isTyping) return
    this.complain('')
    const focused = document.activeElement?.getAttribute('data-field')
    this.fill(partsOf(input.source))
    if (focused) this.element.querySelector<HTMLElement>(`[data-field="${focused}"]`)?.focus()
  }

  complain(error: string): void {
    this.complaint.textContent = error && error.charAt(0).toUpperCase() + error.slice(1) + (/[.?!]$/.test(error) ? '' : '.')
  }

  choose(path: string): void {
    this.fill({ kind: 'file', fields: [path, ''] })
    this.look(path)
  }

  /** The arrays of a file: a list to choose from, the one that fits first; or why there are none. */
  offer(path: string, arrays: readonly ArrayAbout[] | undefined, error: string | undefined): void {
    const [typed = '', member = ''] = this.texts()
    if (path !== typed.trim()) return // another one was typed meanwhile
    if (!arrays) return this.complain(error ?? '')
    this.offered = { path, arrays }
    const fits = arrays.find(one => one.key === member) ?? arrays.find(one => this.fits(one))
    const deciding = this.choosing === path
    this.choosing = ''
    this.fill({ kind: 'file', fields: [path, (deciding ? fits?.key : member) ?? ''] })
    this.judge()
    if (deciding && fits) this.send()
  }

  private texts(): string[] {
    return [...this.fields.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')].map(({ value }) => value)
  }

  private get kind(): Kind {
    return this.select.value as Kind
  }

  private changeKind(): void {
    const { kind } = this
    this.complain('')
    this.fill({ kind, fields: FIELDS[kind].map(({ start }) => start) })
    if (FIELDS[kind].every(({ start, optional }) => optional === true || start !== '')) this.send()
    else this.fields.querySelector<HTMLElement>('input')?.focus()
  }

  private commit(field: string): void {
    this.complain('')
    const texts = this.texts()
    if (this.kind === 'file' && field === 'path' && texts[0]?.trim()) return this.look(texts[0].trim())
    if (FIELDS[this.kind].every(({ optional }, k) => optional === true || texts[k]?.trim())) this.send()
    this.judge()
  }

  private look(path: string): void {
    this.choosing = path
    this.host.arrays(this.slot, path)
  }

  private send(): void {
    const source = sourceOf({ kind: this.kind, fields: this.texts() })
    this.committed = this.texts()
    this.sent.push(source)
    this.host.set(this.slot, source)
  }

  /** Says so when the array that is chosen does not fit the buffer. */
  private judge(): void {
    const [path, member = ''] = this.texts()
    if (this.kind !== 'file' || this.offered?.path !== path?.trim()) return
    const { arrays } = this.offered ?? { arrays: [] }
    const chosen = arrays.find(one => one.key === member) ?? (arrays.length === 1 ? arrays[0] : undefined)
    const { name, dtype, size } = this.input
    if (!chosen) this.complain(arrays.length ? `none of its ${count(arrays.length)} arrays is ${dtype} with ${count(size)} elements, as ${name} is` : 'there is no array in it')
    else if (!this.fits(chosen)) this.complain(`it holds ${typeText(chosen.dtype, chosen.shape)}, and ${name} is ${typeText(dtype, [size])}`)
  }

  private fits({ dtype, shape }: ArrayAbout): boolean {
    return dtype === this.input.dtype && shape.reduce((product, extent) => product * extent, 1) === this.input.size
  }

  // -- fields --------------------------------------------------------------------------------------------------------
  private fill(parts: Parts): void {
    this.select.value = parts.kind
    const { name, dtype, slot } = this.input
    if (parts.kind === 'default') this.fields.replaceChildren(h('span', { class: 'muted' }, defaultText(dtype, slot)))
    else {
      const bracket = (text: string) => (parts.kind === 'list' ? h('span', { class: 'muted' }, text) : '')
      const browse = parts.kind === 'file' && h('button', { class: 'small', 'aria-label': `Browse for the file of ${name}`, onclick: () => this.host.browse(slot) }, 'Browse…')
      const fields = FIELDS[parts.kind].filter(field => field.name !== 'array' || hasMembers(parts.fields[0] ?? '')).map(field => this.field(field, parts))
      this.keep(() => this.fields.replaceChildren(bracket('['), ...fields, bracket(']'), ...(browse ? [browse] : [])))
    }
    this.committed = this.texts()
    const [path = ''] = parts.fields
    if (parts.kind === 'file' && hasMembers(path) && this.offered?.path !== path && this.choosing !== path) this.host.arrays(slot, path)
  }

  /** Draws the fields anew with the focus where it was. */
  private keep(draw: () => void): void {
    const focused = this.fields.contains(document.activeElement) ? document.activeElement?.getAttribute('data-field') : undefined
    draw()
    if (focused) this.fields.querySelector<HTMLElement>(`[data-field="${focused}"]`)?.focus()
  }

  private field(field: (typeof FIELDS)[Kind][number], parts: Parts): HTMLElement {
    const { name, slot } = this.input
    const value = parts.fields[FIELDS[parts.kind].indexOf(field)] ?? field.start
    const props = { class: field.name, 'data-field': `${slot}-${field.name}`, 'aria-label': `${field.name} of ${name}`, onchange: () => this.commit(field.name) }
    const arrays = field.name === 'array' && this.offered?.path === parts.fields[0] ? this.offered?.arrays : undefined
    const element = arrays
      ? h('select', props, !arrays.some(({ key }) => key === value) && h('option', { value }, value || 'choose…'),
        ...arrays.map(one => h('option', { value: one.key, selected: one.key === value }, `${one.key}   ${typeText(one.dtype, one.shape)}${this.fits(one) ? '' : ' (does not fit)'}`)))
      : h('input', { type: 'text', value, placeholder: field.optional ? 'optional' : '', spellcheck: 'false', ...props })
    return h('label', {}, parts.kind === 'list' ? undefined : `${field.name} `, element)
  }
}
