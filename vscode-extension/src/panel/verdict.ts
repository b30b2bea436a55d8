// How a run went, as facts that the head of the panel lays out.

import { Difference, Rate, RunOutput, RunResult } from '../protocol'
import { duration, explain } from '../result'
import { count, digits, indexText, rate, rateOfPeak } from './format'

export interface Fact {
  mark: '✓' | '✗' | '○'
  text: string
}

/** What was checked, and how it came out; what could not be checked is said too. */
export function facts(result: RunResult): Fact[] {
  const found: Fact[] = []
  const wrong = (against: Difference['against']) => result.differences?.some(difference => difference.against === against)
  if (result.expect === true) found.push({ mark: '✓', text: 'as expected' })
  if (result.expect === false || wrong('expect')) found.push({ mark: '✗', text: 'not as expected' })
  if (result.verified === true) found.push({ mark: '✓', text: `verified against the reference${largest(result)}` })
  if (result.verified === false) found.push({ mark: '✗', text: 'differs from the reference' })
  if (result.verifying) found.push({ mark: '○', text: 'verifying…' })
  else if (result.outputs?.length && typeof result.verified !== 'boolean') found.push({ mark: '○', text: 'not verified' })
  return found
}

function largest({ difference }: RunResult): string {
  if (typeof difference !== 'number') return ''
  return difference === 0 ? ' (equal)' : ` (largest difference ${digits(difference, 2)})`
}

/** The error, unless it only repeats a difference that is shown with its values. */
export function errorOf(result: RunResult): string | undefined {
  if (!result.error || result.differences?.length) return undefined
  return explain(result.error).sentence
}

/** "%y[0, 2] is 0.2368 and should be 0.25". */
export function differenceText(difference: Difference): string {
  const place = `${difference.output}${difference.index.length ? indexText(difference.index) : ''}`
  return `${place} is ${difference.got}, ${difference.against === 'expect' ? 'expected' : 'the reference says'} ${difference.wanted}`
}

/** "3 of 12 elements differ · largest error 0.0132". */
export function differenceExtent({ count: wrong, size, largest }: Difference): string {
  const error = largest === null ? 'largest error infinite' : `largest error ${digits(largest, 3)}`
  return size === 1 ? error : `${count(wrong)} of ${count(size)} elements ${wrong === 1 ? 'differs' : 'differ'} · ${error}`
}

const SHORT_MS = 0.002 // of less, a good part is the call: that is no speed of the program

export interface Measure {
  name: string
  value: string
  hint: string
}

/** Times, and rates where the cost model knows what was done. */
export function measures(result: RunResult): Measure[] {
  const found: Measure[] = []
  const { build_ms: build, kernel_ms: kernel, operations, memory_bytes: memory } = result
  if (typeof build === 'number') found.push({ name: 'build', value: duration(build), hint: 'Lowering and compiling; a program built before is taken from the cache.' })
  if (typeof kernel !== 'number') return found
  found.push({ name: 'kernel', value: duration(kernel), hint: 'The fastest call of the program.' })
  if (kernel <= 0) return found
  if (operations) {
    const unit = result.outputs?.[0]?.dtype.startsWith('f') ? 'FLOP' : 'op'
    found.push({ name: 'compute', value: against(result.speed?.compute, operations, kernel, unit), hint: `${count(operations)} operations${peakHint(result.speed?.compute)}` })
  }
  const hint = `${count(memory ?? 0)} bytes of inputs, outputs and stages, each counted once${peakHint(result.speed?.memory)}`
  if (memory) found.push({ name: 'memory', value: against(result.speed?.memory, memory, kernel, 'B'), hint })
  return found
}

function against(speed: Rate | null | undefined, amount: number, kernel: number, unit: string): string {
  return speed?.peak && kernel >= SHORT_MS ? rateOfPeak(speed.rate, speed.peak, unit) : rate(amount, kernel, unit)
}

function peakHint(speed: Rate | null | undefined): string {
  return speed?.peak ? '; the peak is what one thread of this machine was measured to do on so much data' : ''
}

/** What limits the program, in a sentence; nothing where that is not known. */
export function roofline({ speed, kernel_ms: kernel }: RunResult): string {
  return speed?.words && (kernel ?? 0) >= SHORT_MS ? speed.words.charAt(0).toUpperCase() + speed.words.slice(1) + '.' : ''
}

/** What is said of an output's elements, where there is more than one; NaN and infinities only count where there can be some. */
export function statistics({ dtype, shape, stats }: RunOutput): Statistic[] {
  if (shape.length === 0 || shape.includes(0)) return []
  const found: Statistic[] = []
  for (const name of ['min', 'max', 'mean']) {
    const value = stats?.[name]
    found.push({ name, value: typeof value === 'number' ? digits(value, 6) : '–', bad: false })
  }
  if (!dtype.startsWith('f')) return found
  const [nan, inf] = [stats?.nan ?? 0, stats?.inf ?? 0]
  return [...found, { name: 'NaN', value: count(nan), bad: nan > 0 }, { name: 'infinite', value: count(inf), bad: inf > 0 }]
}

export interface Statistic {
  name: string
  value: string
  bad: boolean
}
