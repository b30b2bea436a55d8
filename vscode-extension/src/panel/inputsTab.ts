// A line for each buffer that the program reads; a change is written into the file as a directive.

import { InputAbout } from '../protocol'
import { h } from './dom'
import { defaultText, FIELDS, Kind, kindsFor, Parts, partsOf, sourceOf } from './inputSource'

export interface InputHost {
  set(slot: number, source: string): void
  browse(slot: number): void
  goto(name: string): void
}

export class InputsTab {
  readonly element = h('div', { class: 'inputs' })
  private shown = ''
  private readonly sent = new Map<number, string>() // what was chosen here last

  constructor(private readonly host: InputHost) {}

  /** Lays the inputs out anew, unless nothing changed (a field may have the focus). */
  show(inputs: readonly InputAbout[] | undefined): void {
    const text = JSON.stringify(inputs ?? null)
    if (text === this.shown) return
    this.shown = text
    if (!inputs) return this.element.replaceChildren()
    const focused = document.activeElement?.getAttribute('data-field')
    const intro = h('p', { class: 'muted' }, inputs.length ? 'What the program reads. A change is written into the file as a directive.' : 'The program reads no buffer.')
    this.element.replaceChildren(intro, ...inputs.map(input => this.kept(input) ?? this.row(input)))
    if (focused) this.element.querySelector<HTMLElement>(`[data-field="${focused}"]`)?.focus()
  }

  /** The row as it stands, when its data is what was chosen in it: the next may be being typed. */
  private kept(input: InputAbout): Element | undefined {
    const row = this.element.querySelector(`[data-buffer="${CSS.escape(bufferKey(input))}"]`)
    return row && this.sent.get(input.slot) === (input.source ?? '') ? row : undefined
  }

  private send(slot: number, source: string): void {
    this.sent.set(slot, source)
    this.host.set(slot, source)
  }

  /** Says why a source was not taken, below its line. */
  complain(slot: number, error: string): void {
    const place = this.element.querySelector(`[data-slot="${slot}"] .complaint`)
    if (place) place.textContent = error && error.charAt(0).toUpperCase() + error.slice(1) + (/[.?!]$/.test(error) ? '' : '.')
  }

  private row(input: InputAbout): HTMLElement {
    const parts = partsOf(input.source)
    const id = (name: string) => `${input.slot}-${name}`
    const fields = h('span', { class: 'fields' })
    const select = h('select', { 'aria-label': `Data of ${input.name}`, 'data-field': id('kind'), onchange: () => {
      const kind = select.value as Kind
      const next = { kind, fields: FIELDS[kind].map(({ start }) => start) }
      this.fill(fields, input, next)
      if (FIELDS[kind].every(({ start, optional }) => optional === true || start !== '')) this.send(input.slot, sourceOf(next))
      else fields.querySelector<HTMLElement>('input')?.focus()
    } }, ...kindsFor(input.dtype).map(kind => h('option', { value: kind, selected: kind === parts.kind }, kind)))
    this.fill(fields, input, parts)
    const name = h('button', { class: 'link name', title: 'Go to the buffer in the file', onclick: () => this.host.goto(input.name) }, input.name)
    return h('div', { class: 'input', 'data-slot': input.slot, 'data-buffer': bufferKey(input) },
      h('span', { class: 'who' }, name, h('span', { class: 'muted' }, ` ${input.dtype}[${input.size}], slot ${input.slot}`)),
      select, fields, h('div', { class: 'complaint', role: 'alert' }))
  }

  private fill(place: HTMLElement, input: InputAbout, parts: Parts): void {
    if (parts.kind === 'default') return place.replaceChildren(h('span', { class: 'muted' }, defaultText(input.dtype, input.slot)))
    const texts = parts.kind === 'list' ? [h('span', { class: 'muted' }, '[')] : []
    const inputs = FIELDS[parts.kind].map((field, k) => {
      const element = h('input', {
        type: 'text', value: parts.fields[k] ?? field.start, placeholder: field.optional ? 'optional' : '', spellcheck: 'false',
        class: field.name, 'data-field': `${input.slot}-${field.name}`, 'aria-label': `${field.name} of ${input.name}`,
        onchange: () => this.commit(place, input, parts.kind),
      })
      return h('label', {}, parts.kind === 'list' ? undefined : `${field.name} `, element)
    })
    const browse = parts.kind === 'file' && h('button', { class: 'small', onclick: () => this.host.browse(input.slot) }, 'Browse…')
    place.replaceChildren(...texts, ...inputs, ...(texts.length ? [h('span', { class: 'muted' }, ']')] : []), ...(browse ? [browse] : []))
  }

  private commit(place: HTMLElement, input: InputAbout, kind: Kind): void {
    const fields = [...place.querySelectorAll('input')].map(({ value }) => value)
    this.complain(input.slot, '')
    if (FIELDS[kind].every(({ optional }, k) => optional === true || fields[k]?.trim())) this.send(input.slot, sourceOf({ kind, fields }))
  }
}

function bufferKey({ slot, name, dtype, size }: InputAbout): string {
  return [slot, name, dtype, size].join(' ')
}
