// The search box: what is found, which of it is shown, and the way to the next.

import { h } from '../../panel/dom'

export interface Finding {
  find(question: string): number[]
  show(node: number | undefined, found: readonly number[]): void
  leave(): void
}

export class Finder {
  readonly element: HTMLElement
  found: number[] = []
  private at = -1
  private readonly input = h('input', { type: 'search', placeholder: 'Find %x, mul or 3, 4', 'aria-label': 'Find a value by name, operation, dtype or shape', spellcheck: 'false' })
  private readonly count = h('span', { class: 'count muted', role: 'status' })

  constructor(private readonly finding: Finding) {
    const button = (text: string, label: string, by: number) => h('button', { class: 'small', 'aria-label': label, title: label, onclick: () => this.go(by) }, text)
    this.element = h('div', { class: 'finder', role: 'search' }, this.input, button('↑', 'Previous (Shift+Enter)', -1), button('↓', 'Next (Enter)', 1), this.count)
    this.input.addEventListener('input', () => this.renew(true))
    this.input.addEventListener('keydown', event => {
      if (event.key === 'Enter') this.go(event.shiftKey ? -1 : 1)
      else if (event.key === 'Escape') {
        if (this.input.value) this.clear()
        else this.finding.leave()
      } else return
      event.preventDefault()
    })
  }

  get question(): string {
    return this.input.value
  }

  focus(): void {
    this.input.focus()
    this.input.select()
  }

  clear(): void {
    this.input.value = ''
    this.renew(false)
  }

  /** Asks again: the question or the graph has changed. */
  renew(jump: boolean): void {
    const before = this.found[this.at]
    this.found = this.finding.find(this.question)
    this.at = jump || before === undefined ? 0 : Math.max(0, this.found.indexOf(before))
    this.tell()
    this.finding.show(jump ? this.found[this.at] : undefined, this.found)
  }

  private go(by: number): void {
    if (this.found.length === 0) return
    this.at = (this.at + by + this.found.length) % this.found.length
    this.tell()
    this.finding.show(this.found[this.at], this.found)
  }

  private tell(): void {
    const { length } = this.found
    this.count.textContent = this.question.trim() === '' ? '' : length === 0 ? 'nothing found' : `${(this.at + 1).toLocaleString('en-US')} of ${length.toLocaleString('en-US')}`
    this.element.classList.toggle('none', this.question.trim() !== '' && length === 0)
  }
}
