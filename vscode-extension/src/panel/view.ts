// What a picture of an output is to the panel around it.

import { Source } from './source'

export interface View {
  readonly element: HTMLElement
  /** Called once it stands in the document. */
  start(): void
  /** Other indices of the leading axes. */
  move(leading: readonly number[]): void
  /** Shows an element of the output. */
  reveal?(index: readonly number[]): void
  /** Shows more (factor > 1) or less; 0 shows everything. */
  zoomBy?(factor: number): void
  /** The subject is of a newer run now, of the same type: shows its values where the old ones are. */
  renew(): void
  dispose(): void
}

/** What a view is made of; a newer run puts its own in place. `say` tells the element that is looked at, `fail` a sentence. */
export interface Subject {
  name: string
  source: Source
  leading: readonly number[]
  low: number | null // of the whole output's finite elements
  high: number | null
  nan: boolean // whether there is one
  marked?: readonly number[] | undefined // the first element that is wrong
  say(text: string): void
  fail(reason: string): void
}
