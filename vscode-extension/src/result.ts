// A run's result as text. No editor here, so that it can be tested by itself.

import { RunOutput, RunResult } from './protocol'

/** 0.00083 ms as "0.83 µs"; three digits, the unit that fits. */
export function duration(milliseconds: number): string {
  const units: [number, string][] = [[1_000, 's'], [1, 'ms'], [1e-3, 'µs'], [1e-6, 'ns']]
  const [size, unit] = units.find(([size]) => milliseconds >= size) ?? [1e-6, 'ns']
  const value = milliseconds / size
  return `${value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3))} ${unit}`
}

export function typeOf({ dtype, shape }: RunOutput): string {
  return `${dtype}[${shape.map(size => size.toLocaleString('en')).join(', ')}]`
}

export function timing({ build_ms: build, kernel_ms: kernel }: RunResult): string {
  const parts = []
  if (typeof build === 'number') parts.push(`build ${duration(build)}`)
  if (typeof kernel === 'number') parts.push(`kernel ${duration(kernel)}`)
  return parts.join(' · ')
}

/** What was checked and held, a line each; what did not hold is the error. */
export function verdicts(result: RunResult): string[] {
  const lines = []
  const by = typeof result.difference === 'number' ? ` (largest difference ${short(result.difference)})` : ''
  if (result.verified === true) lines.push(`✓ verified against the reference${by}`)
  if (result.expect === true) lines.push('✓ as expected')
  return lines
}

/** The same in a few words: "✓ as expected · verified · 490 ns". */
export function verdict(result: RunResult): string {
  if (result.verifying && result.ok) return '○ verifying…'
  if (!result.ok) return `✗ ${explain(result.error ?? 'failed').sentence.replace(/:.*/s, '').replace(/\.$/, '')}`
  const held = [result.expect && 'as expected', result.verified && 'verified'].filter(word => typeof word === 'string')
  const time = typeof result.kernel_ms === 'number' ? [duration(result.kernel_ms)] : []
  return [held.length > 0 ? `✓ ${held[0]}` : 'ran, unchecked', ...held.slice(1), ...time].join(' · ')
}

/** What a person can do about a run that failed, beyond reading why. */
export type Mend = { button: string; setting?: string; command?: string }

/** What may be missing on the machine, by how the server says it. */
const MISSING: { starts: string; says?: string; adds?: string; mend: Mend }[] = [
  {
    starts: 'no C compiler found',
    says: 'No C compiler was found, and a run needs one. Installing one is a download of about 100 MB.',
    mend: { button: 'Install a C Compiler', command: 'uir.installCompiler' },
  },
  { starts: 'NumPy ', adds: ' Installing it leaves that Python as it is.', mend: { button: 'Install NumPy', command: 'uir.installNumPy' } },
  { starts: 'The UIR language server is not running', mend: { button: 'Restart', command: 'uir.restartServer' } },
]

/** An error as the editor says it: a sentence, and the setting or command that mends it where there is one. */
export function explain(error: string): { sentence: string; mend?: Mend } {
  const option = / ?\(raise --(timeout|memory|operations)\)/.exec(error) // the command line's option is a setting here
  const sentence = capital(option ? error.replace(option[0], '') : error) + (/[.!?]$/.test(error) ? '' : '.')
  if (option) return { sentence, mend: { button: 'Raise the Limit', setting: `uir.run.${option[1]}` } }
  const missing = MISSING.find(({ starts }) => error.startsWith(starts))
  if (missing) return { sentence: missing.says ?? sentence + (missing.adds ?? ''), mend: missing.mend }
  return { sentence }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The whole block that is added to the result panel. */
export function report(title: string, result: RunResult): string {
  const head = ['──', title, timing(result)].filter(Boolean).join(' · ').replace('── · ', '── ')
  const lines = [head, ...verdicts(result), ...(result.notes ?? []), ...(result.error ? [`✗ ${explain(result.error).sentence}`] : [])]
  for (const output of result.outputs ?? []) {
    lines.push(`${output.name} : ${typeOf(output)}`, ...previewLines(output.preview), ...statsLine(output.stats))
  }
  return lines.join('\n') + '\n'
}

function previewLines(preview: string | undefined): string[] {
  return preview ? preview.split('\n') : []
}

/** "min 0 · max 7 · mean 2.5"; counts of NaN and infinities only where there are some. */
function statsLine(stats: RunOutput['stats']): string[] {
  const worth = Object.entries(stats ?? {}).filter(([name, value]) => value !== null && (value !== 0 || !['nan', 'inf'].includes(name)))
  return worth.length > 0 ? [worth.map(([name, value]) => `${name} ${short(value ?? 0)}`).join(' · ')] : []
}

function short(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en')
  return Math.abs(value) < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(4)))
}
