// What the panel and the extension say to each other.

import { HistoryEntry } from './history'
import { Slice } from './slicing'
import { ArrayAbout, InputAbout, RunResult } from '../protocol'

/** A run as the panel shows it. */
export interface ShownRun {
  time: number // milliseconds since 1970
  value?: string | undefined // run to here; absent: the whole file
  result: RunResult
}

/** Why nothing ran, and the one button that mends it. */
export interface Problem {
  kind: 'error' | 'restricted'
  sentence: string
  button?: string | undefined
  line?: number | undefined // from 1: where it is, when the button does something else
}

export interface PanelState {
  file?: { uri: string; name: string } | undefined
  running: boolean
  run?: ShownRun | undefined
  problem?: Problem | undefined
  edited: boolean // the file is not what ran any more
  history: HistoryEntry[]
  inputs?: InputAbout[] | undefined // not known yet
}

/** Elements of an output that came with its run: those of a slice, whose shape this is. */
export interface Elements {
  output: string
  dtype: string
  slice: Slice[]
  shape: number[]
  bytes: Uint8Array
}

export const EMPTY: PanelState = { running: false, edited: false, history: [] }

export type ToPanel =
  | { type: 'state'; state: PanelState; elements?: Elements[] | undefined }
  | { type: 'stage'; text: string }
  | { type: 'values'; request: number; dtype: string; shape: number[]; bytes: Uint8Array }
  | { type: 'gone'; request: number; reason: string }
  | { type: 'inputError'; slot: number; error: string }
  | { type: 'path'; slot: number; path: string }
  | { type: 'arrays'; slot: number; path: string; arrays?: ArrayAbout[] | undefined; error?: string | undefined }

export type FromPanel =
  | { type: 'ready'; state?: PanelState | undefined }
  | { type: 'run' | 'cancel' | 'mend' | 'showFile' }
  | { type: 'values'; request: number; run: number; output: string; slice: Slice[] }
  | { type: 'goto'; name: string }
  | { type: 'gotoLine'; line: number }
  | { type: 'input'; slot: number; source: string }
  | { type: 'browse'; slot: number }
  | { type: 'arrays'; slot: number; path: string }
  | { type: 'save'; run: number; output: string }
  | { type: 'seen'; time: number } // the run of that time is on the screen
  | { type: 'look'; output: string; slice: Slice[] } // what a next run had best bring along
  | { type: 'copy'; text: string }
