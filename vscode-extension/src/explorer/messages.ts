// What the explorer and the extension say to each other.

import { IndexMapResult } from './model'

export interface Explored {
  file: { uri: string; name: string }
  value?: string | undefined // what was asked for; absent: the first output
  result: IndexMapResult
}

export type ToExplorer =
  | { type: 'show'; explored: Explored }
  | { type: 'stale'; message: string } // what is shown is the last good one

export type FromExplorer =
  | { type: 'ready'; explored?: Pick<Explored, 'file' | 'value'> | undefined }
  | { type: 'explore'; value: string }
  | { type: 'goto'; name: string }
