// An output of one element and no axes: the number itself.

import { h } from './dom'
import { exact } from './format'
import { Scalar } from './values'
import { Subject, View } from './view'

export class ScalarView implements View {
  readonly element = h('output', { class: 'scalar', tabindex: 0 })

  constructor(private readonly subject: Subject) {
    this.element.setAttribute('aria-label', `Value of ${subject.name}`)
  }

  start(): void {
    this.renew()
  }

  renew(): void {
    const { source, marked } = this.subject
    this.element.classList.toggle('bad', marked !== undefined)
    source.all().then(
      values => this.show(values.at(0)),
      (error: unknown) => this.subject.fail(String(error instanceof Error ? error.message : error)),
    )
  }

  move(): void {
    // there is no other slice
  }

  reveal(): void {
    this.element.focus()
  }

  dispose(): void {
    // nothing is held
  }

  private show(value: Scalar | undefined): void {
    this.element.classList.toggle('odd-number', typeof value === 'number' && !Number.isFinite(value))
    this.element.textContent = exact(value, this.subject.source.dtype)
  }
}
