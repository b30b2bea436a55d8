// A line for each buffer that the program reads; a change is written into the file as a directive.

import { ArrayAbout, InputAbout } from '../protocol'
import { h } from './dom'
import { InputRow, RowHost } from './inputRow'

export interface InputHost extends RowHost {
  browse(slot: number): void
}

export class InputsTab {
  readonly element = h('div', { class: 'inputs' })
  private readonly intro = h('p', { class: 'muted' })
  private rows: InputRow[] = []
  private file = ''

  constructor(private readonly host: InputHost) {}

  /** Takes what is known now. A row is made anew only where its buffer is another one, so that what is being typed stays. */
  show(file: string, inputs: readonly InputAbout[] | undefined): void {
    if (file !== this.file) this.rows = []
    this.file = file
    if (!inputs) return this.rows.length ? undefined : this.element.replaceChildren()
    const before = new Map(this.rows.map(row => [row.key, row]))
    this.rows = inputs.map(input => {
      const known = before.get(InputRow.keyOf(input))
      known?.take(input)
      return known ?? new InputRow(input, this.host)
    })
    this.intro.textContent = inputs.length ? 'What the program reads. A change is written into the file as a directive.' : 'The program reads no buffer.'
    const wanted = [this.intro, ...this.rows.map(row => row.element)]
    if (wanted.length !== this.element.children.length || wanted.some((one, k) => this.element.children[k] !== one)) this.place(wanted)
  }

  /** Puts the rows in order without taking out the one that has the focus, which would lose it. */
  private place(wanted: readonly HTMLElement[]): void {
    for (const child of [...this.element.children]) if (!wanted.includes(child as HTMLElement)) child.remove()
    const focused = wanted.findIndex(one => one.contains(document.activeElement))
    for (let k = focused - 1; k >= 0; k--) this.element.insertBefore(wanted[k] as Node, wanted[k + 1] ?? null)
    for (let k = Math.max(0, focused); k < wanted.length; k++) if (k !== focused) this.element.append(wanted[k] as Node)
  }

  /** Whether a field has text that was not sent yet. */
  get isTyping(): boolean {
    return this.rows.some(row => row.isTyping)
  }

  /** Says why a source was not taken, below its line. */
  complain(slot: number, error: string): void {
    this.of(slot)?.complain(error)
  }

  /** A file was chosen in the editor's dialog. */
  choose(slot: number, path: string): void {
    this.of(slot)?.choose(path)
  }

  /** What is in a file that a row asked about. */
  offer(slot: number, path: string, arrays: readonly ArrayAbout[] | undefined, error: string | undefined): void {
    this.of(slot)?.offer(path, arrays, error)
  }

  private of(slot: number): InputRow | undefined {
    return this.rows.find(row => row.slot === slot)
  }
}
