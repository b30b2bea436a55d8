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

/** What was checked, a line each; a mark at the front says how it went. */
export function verdicts(result: RunResult): string[] {
  const lines = []
  if (result.verified === true) lines.push('✓ verified against the reference')
  if (result.verified === false) lines.push('✗ differs from the reference')
  if (result.expect === true) lines.push('✓ as expected')
  if (result.expect === false) lines.push('✗ not as expected')
  return lines
}

export function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  if (error && typeof error === 'object' && 'message' in error) return String(error.message)
  return ''
}

/** The whole block that is added to the result panel. */
export function report(title: string, result: RunResult): string {
  const head = ['──', title, timing(result)].filter(Boolean).join(' · ').replace('── · ', '── ')
  const error = errorText(result.error)
  const lines = [head, ...verdicts(result), ...(error ? [`✗ ${error}`] : [])]
  for (const output of result.outputs ?? []) {
    lines.push(`${output.name} : ${typeOf(output)}`, ...previewLines(output.preview), ...statsLine(output.stats))
  }
  return lines.join('\n') + '\n'
}

function previewLines(preview: unknown): string[] {
  if (typeof preview === 'string') return preview.split('\n')
  return preview === undefined || preview === null ? [] : [JSON.stringify(preview)]
}

function statsLine(stats: unknown): string[] {
  if (!stats || typeof stats !== 'object') return []
  const parts = Object.entries(stats).flatMap(([name, value]) => (value === null ? [] : [`${name} ${short(value)}`]))
  return parts.length > 0 ? [parts.join(' · ')] : []
}

function short(value: unknown): string {
  return typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(4))) : String(value)
}
