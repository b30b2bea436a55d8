// The runs of a file, and what changed from one to the next.

import { RunResult } from '../protocol'
import { duration } from '../result'
import { changedLines, TextChange } from './textDiff'

export const MOST_RUNS = 20
const LEAST_MS = 0.01 // shorter kernels vary by chance

export interface HistoryEntry {
  time: number
  value?: string | undefined
  ok: boolean
  error?: string | undefined
  expect: boolean | null
  verified: boolean | null
  build_ms: number | null
  kernel_ms: number | null
  digest: string // of all outputs; empty when there are none
  edits?: TextChange | undefined // of the program, since the run before
}

/** `text`: the program that ran; `before`: that of the run before, when it is known. */
export function entryOf(time: number, value: string | undefined, result: RunResult, text?: string, before?: string): HistoryEntry {
  const digests = (result.outputs ?? []).map(({ digest }) => digest ?? '')
  return {
    time, value, ok: result.ok, error: result.error ?? undefined, expect: result.expect ?? null, verified: result.verified ?? null,
    build_ms: result.build_ms ?? null, kernel_ms: result.kernel_ms ?? null, digest: digests.join(' '),
    edits: text === undefined || before === undefined ? undefined : changedLines(before, text),
  }
}

/** The newest first, the oldest dropped. */
export function add(history: readonly HistoryEntry[], entry: HistoryEntry): HistoryEntry[] {
  return [entry, ...history].slice(0, MOST_RUNS)
}

/** How a run went, in a word or two. */
export function outcome(entry: HistoryEntry): string {
  if (entry.expect === false) return 'not as expected'
  if (entry.verified === false) return 'differs'
  if (!entry.ok) return 'failed'
  return entry.expect ? 'as expected' : entry.verified ? 'verified' : 'ran'
}

/** What changed since the run before it of the same value; nothing for the first. */
export function changes(history: readonly HistoryEntry[], position: number): string[] {
  const entry = history[position]
  const before = history.slice(position + 1).find(other => other.value === entry?.value && other.digest !== '')
  if (!entry || !before) return []
  const found = []
  if (entry.digest) found.push(entry.digest === before.digest ? 'same results' : 'results changed')
  const told = Math.max(entry.kernel_ms ?? 0, before.kernel_ms ?? 0) >= LEAST_MS
  const factor = told && entry.kernel_ms && before.kernel_ms ? entry.kernel_ms / before.kernel_ms : 1
  if (factor >= 1.1) found.push(`kernel ${times(factor)} slower`)
  if (factor <= 1 / 1.1) found.push(`kernel ${times(1 / factor)} faster`)
  return found
}

function times(factor: number): string {
  return factor < 1.995 ? `${Math.round((factor - 1) * 100)}%` : `${Number(factor.toPrecision(2))}×`
}

export function timesOf({ build_ms: build, kernel_ms: kernel }: HistoryEntry): { build: string; kernel: string } {
  return { build: build === null ? '' : duration(build), kernel: kernel === null ? '' : duration(kernel) }
}
