// The server's own requests, as lsp/README.md documents them. Lines are 0-based.

import { Slice } from './panel/slicing'

export interface Origin {
  line: number
  name: string
}

export interface ShowCParams {
  uri: string
  value?: string
  options?: { plain?: boolean }
}

export interface ShowCResult {
  c: string
  map: Origin[][] // per line of `c`: the values of the .uir it came from
  stale: boolean // the file has errors now; `c` is of the last good one
  message?: string
}

export interface ShowLoopsResult {
  loops: string
  map: Origin[][]
  stale: boolean
  message?: string
}

export interface ShowAssemblyResult {
  asm: string
  map: Origin[][]
  lines: number[][] // per line of `asm`: the lines of the C it was made for, innermost first
  ms?: number
  stale: boolean
  restricted?: boolean
  message?: string
}

/** What one rewrite rule did. */
export interface StageRule {
  name: string
  law: string
  count: number
  ms: number
  examples: { before: string; after: string }[]
}

export interface StageAbout {
  name: string
  title: string
  about: string
  ms: number | null
  nodes: number | null
  lines: number
  changed: boolean | null // null: the stage before has another form
  added: number | null
  removed: number | null
  rules: StageRule[]
  forms: string[]
}

export interface StagesResult {
  program: 'fast' | 'plain' | 'loops' | null
  total_ms: number
  stages: StageAbout[]
  stale: boolean
  message?: string
}

export interface StageTextResult {
  language: string
  text: string
  map: Origin[][]
  difference: [what: '=' | '-' | '+', lines: number][] | null
  before: string[] | null // the lines of the stage before, where there is a difference
  stale: boolean
  message?: string
}

export interface RunParams {
  uri: string
  value?: string
  options?: { plain?: boolean; noVerify?: boolean; timeout?: number; memory?: number; operations?: number; keep?: boolean; look?: Record<string, Slice[]> }
  workDoneToken?: string
  partialResultToken?: string // the result comes under it before it is verified, when that takes a while
}

export interface RunOutput {
  name: string
  dtype: string
  shape: number[]
  stats?: Record<string, number | null>
  preview?: string
  text?: string // its first elements in one line
  whole?: string // as NumPy prints it
  digest?: string // equal for equal elements
  part?: { slice: Slice[]; shape: number[]; data: string } | undefined // the elements that are looked at, as in ValuesResult
}

/** An output that is not what it should be. */
export interface Difference {
  output: string
  against: 'expect' | 'reference'
  index: number[]
  got: string
  wanted: string
  count: number
  size: number
  largest: number | null // null: infinite
}

export interface RunResult {
  ok: boolean
  error?: string | null
  restricted?: boolean // refused, because the workspace is not trusted
  outputs?: RunOutput[]
  expect?: boolean | null
  verified?: boolean | null
  verifying?: boolean // the result is not verified yet
  build_ms?: number | null
  kernel_ms?: number | null
  difference?: number | null // the largest one from the reference
  notes?: string[] // what a person should know besides
  line?: number | null // where an error is
  run?: number | null // its outputs are kept under this number
  differences?: Difference[]
  operations?: number | null
  memory_bytes?: number | null
  speed?: Speed | null
  stages?: Record<string, number> // milliseconds of each: check, lower, build, run, verify
  times?: Record<string, number> // when it passed each station, in milliseconds since 1970
}

/** Something a second, and the most that was measured of it on this machine. */
export interface Rate {
  rate: number
  peak: number | null
}

/** How fast a run was, and what limits it. */
export interface Speed {
  compute: Rate | null
  memory: Rate | null
  bound: 'compute' | 'memory' | null
  words: string
}

export type SpeedResult = { speed: Speed } | { error: string }

/** An array in a file; `key` is empty in a .npy. */
export interface ArrayAbout {
  key: string
  dtype: string
  shape: number[]
}

export type ArraysResult = { arrays: ArrayAbout[] } | { error: string }
export type SaveResult = { saved: string } | { gone: string } | { error: string }

export interface ValuesParams {
  uri: string
  run: number
  output: string
  slice: (number | readonly number[])[]
}

export type ValuesResult = { dtype: string; shape: number[]; data: string } | { gone: string }

export interface LineValue {
  name: string
  line: number
  type?: string
  text: string
  whole?: string
}

/** A buffer that a program reads. */
export interface InputAbout {
  slot: number
  name: string
  line: number
  dtype: string
  size: number
  source: string | null // what its directive says
}

export interface ProtocolEdit {
  range: { start: { line: number; character: number }; end: { line: number; character: number } }
  newText: string
}

export type InputEditResult = { edits: ProtocolEdit[] } | { error: string }

export interface InitializationOptions {
  clientCommands: boolean // the lens commands are ours
  trusted: boolean // may programs be run?
  compiler?: string // the C compiler to use, in place of the one the server would find
  buildAhead?: boolean // build what a run would, while nothing is typed
  allow?: string[] // codes of warnings and hints that are not shown
}

export const Requests = {
  showC: 'uir/showC',
  showLoops: 'uir/showLoops',
  showAssembly: 'uir/showAssembly',
  stages: 'uir/stages',
  stageText: 'uir/stageText',
  graph: 'uir/graph',
  run: 'uir/run',
  values: 'uir/values',
  lineValues: 'uir/lineValues',
  inputs: 'uir/inputs',
  inputEdit: 'uir/inputEdit',
  arrays: 'uir/arrays',
  saveValues: 'uir/saveValues',
  speed: 'uir/speed',
  indexMap: 'uir/indexMap',
} as const

export const Notifications = {
  trust: 'uir/trust',
  forget: 'uir/forget',
} as const
