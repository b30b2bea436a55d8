// What is known of the runs of each file: the last result, why it did not run, the runs before it.

import * as vscode from 'vscode'
import { add, entryOf, HistoryEntry } from './panel/history'
import { PanelState, Problem, ShownRun } from './panel/messages'
import { InputAbout } from './protocol'

const HISTORY_KEY = 'uir.history'
const LAST_KEY = 'uir.lastRun'
const TEXT_KEY = 'uir.ranText'
const MOST_FILES = 50
const MOST_TEXTS = 12 // programs that are kept to tell what changed
const LONGEST_TEXT = 1 << 16

interface LastRun {
  uri: string
  run: ShownRun
}

export interface FileResults {
  run?: ShownRun | undefined
  problem?: Problem | undefined
  line?: number | undefined // where the problem is
  edited: boolean
  inputs?: InputAbout[] | undefined
}

export class Results {
  private readonly files = new Map<string, FileResults>()

  constructor(private readonly memory: vscode.Memento) {}

  has(uri: vscode.Uri): boolean {
    return this.files.has(uri.toString())
  }

  of(uri: vscode.Uri): FileResults {
    const key = uri.toString()
    let known = this.files.get(key)
    if (!known) this.files.set(key, (known = { edited: false }))
    return known
  }

  history(uri: vscode.Uri): HistoryEntry[] {
    return this.memory.get<Record<string, HistoryEntry[]>>(HISTORY_KEY, {})[uri.toString()] ?? []
  }

  /** A run has a result: it is the last one now. */
  set(uri: vscode.Uri, run: ShownRun): void {
    Object.assign(this.of(uri), { run, problem: undefined, edited: false })
  }

  /** A run of the program `text` ended: it is in the history at once, and there after a reload. */
  async remember(uri: vscode.Uri, run: ShownRun, text?: string): Promise<void> {
    const { [uri.toString()]: before = [], ...others } = this.memory.get<Record<string, HistoryEntry[]>>(HISTORY_KEY, {})
    const kept = Object.entries(others).slice(0, MOST_FILES - 1)
    const entry = entryOf(run.time, run.value, run.result, text, this.lastText(uri))
    const history = { [uri.toString()]: add(before, entry), ...Object.fromEntries(kept) }
    const last = run.result.outputs?.length ? [this.memory.update(LAST_KEY, { uri: uri.toString(), run } satisfies LastRun)] : [] // nothing of the others can be shown again
    await Promise.all([this.memory.update(HISTORY_KEY, history), this.keepText(uri, text), ...last])
  }

  /** The program of the run before. */
  private lastText(uri: vscode.Uri): string | undefined {
    return this.memory.get<Record<string, string>>(TEXT_KEY, {})[uri.toString()]
  }

  private async keepText(uri: vscode.Uri, text: string | undefined): Promise<void> {
    const { [uri.toString()]: _, ...others } = this.memory.get<Record<string, string>>(TEXT_KEY, {})
    const kept = Object.fromEntries(Object.entries(others).slice(0, MOST_TEXTS - 1))
    const own = text !== undefined && text.length <= LONGEST_TEXT ? { [uri.toString()]: text } : {}
    await this.memory.update(TEXT_KEY, { ...own, ...kept })
  }

  /** The last run of all, also of a window before this one. */
  last(): LastRun | undefined {
    return this.memory.get<LastRun>(LAST_KEY)
  }

  /** What the panel shows of a file. */
  state(uri: vscode.Uri, running: boolean): PanelState {
    const { run, problem, edited, inputs } = this.of(uri)
    const name = uri.path.slice(uri.path.lastIndexOf('/') + 1)
    return { file: { uri: uri.toString(), name }, running, run, problem, edited, history: this.history(uri), inputs }
  }
}
