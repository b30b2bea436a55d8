// The server's own requests, as lsp/README.md documents them. Lines are 0-based.

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
  stale: boolean
  message?: string
}

export interface RunParams {
  uri: string
  value?: string
  options?: { plain?: boolean; noVerify?: boolean; timeout?: number }
  workDoneToken?: string
}

export interface RunOutput {
  name: string
  dtype: string
  shape: number[]
  stats?: Record<string, number | null>
  preview?: string
}

export interface RunResult {
  ok: boolean
  error?: string | null
  restricted?: boolean // refused, because the workspace is not trusted
  outputs?: RunOutput[]
  expect?: boolean | null
  verified?: boolean | null
  build_ms?: number | null
  kernel_ms?: number | null
  difference?: number | null // the largest one from the reference
  notes?: string[] // what a person should know besides
  line?: number | null // where an error is
}

export interface InitializationOptions {
  clientCommands: boolean // the lens commands are ours
  trusted: boolean // may programs be run?
  compiler?: string // the C compiler to use, in place of the one the server would find
}

export const Requests = {
  showC: 'uir/showC',
  showLoops: 'uir/showLoops',
  run: 'uir/run',
} as const

export const Notifications = {
  trust: 'uir/trust',
} as const
