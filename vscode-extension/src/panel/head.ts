// The head of the panel: which file, how the run went and how fast, and what can be done now.

import { h } from './dom'
import { clock } from './format'
import { PanelState, ShownRun } from './messages'
import { differenceExtent, differenceText, errorOf, facts, measures, roofline } from './verdict'

export interface HeadHost {
  run(): void
  cancel(): void
  mend(): void
  showFile(): void
  gotoLine(line: number): void
  reveal(output: string, index: readonly number[]): void
}

export function head(state: PanelState, stage: string, late: boolean, host: HeadHost): HTMLElement[] {
  const parts: (HTMLElement | undefined)[] = [titleRow(state, late, host)]
  if (state.running && late) parts.push(progress(stage, host))
  if (state.problem) parts.push(problem(state, host))
  else if (state.run) parts.push(...outcome(state.run, state, host))
  return parts.filter(part => part !== undefined)
}

function titleRow({ file, run, running, edited }: PanelState, late: boolean, host: HeadHost): HTMLElement {
  const name = file ? h('button', { class: 'link file', title: 'Go to the file', onclick: () => host.showFile() }, file.name) : h('span', { class: 'file' }, 'No file')
  const upTo = run?.value ? h('span', { class: 'code' }, ` to ${run.value}`) : undefined
  const when = run ? h('span', { class: 'muted when' }, `${clock(run.time)}${edited ? ' · edited since' : ''}`) : undefined
  const label = run ? 'Run Again' : 'Run'
  const button = h('button', { class: 'primary', disabled: running && late, onclick: () => host.run() }, h('span', { 'aria-hidden': 'true' }, '▶ '), label)
  return h('header', {}, h('h1', {}, name, upTo), when, h('span', { class: 'space' }), file && button)
}

function progress(stage: string, host: HeadHost): HTMLElement {
  const words = stage ? stage.charAt(0).toUpperCase() + stage.slice(1) : 'Starting'
  return h('div', { class: 'progress', role: 'status' },
    h('span', { class: 'spinner', 'aria-hidden': 'true' }), h('span', {}, `${words}…`), h('button', { onclick: () => host.cancel() }, 'Cancel'),
    h('span', { class: 'stripe', 'aria-hidden': 'true' }))
}

function problem({ problem }: PanelState, host: HeadHost): HTMLElement {
  const button = problem?.button && h('button', { class: 'primary', onclick: () => host.mend() }, problem.button)
  const { line } = problem ?? {}
  const place = line !== undefined && h('button', { class: 'place', onclick: () => host.gotoLine(line) }, `Go to Line ${line}`)
  const mark = h('span', { class: 'mark', 'aria-hidden': 'true' }, problem?.kind === 'restricted' ? '⚠' : '✗')
  return h('section', { class: `problem ${problem?.kind ?? ''}`, role: 'alert' }, mark, h('p', {}, problem?.sentence ?? ''), place, button || undefined)
}

function outcome({ result }: ShownRun, { problem }: PanelState, host: HeadHost): HTMLElement[] {
  const error = problem ? undefined : errorOf(result)
  const verdicts = facts(result).map(({ mark, text }) =>
    h('span', { class: mark === '✓' ? 'fact good' : mark === '✗' ? 'fact bad' : 'fact muted' }, h('span', { class: 'mark' }, mark), ` ${text}`))
  const speeds = measures(result).map(({ name, value, hint }) => h('span', { class: 'measure', title: hint }, `${name} `, h('b', {}, value)))
  const differences = (result.differences ?? []).map(difference =>
    h('div', { class: 'difference' }, h('span', { class: 'code' }, differenceText(difference)), h('span', { class: 'muted' }, differenceExtent(difference)),
      h('button', { class: 'small', onclick: () => host.reveal(difference.output, difference.index) }, 'Show It')))
  const limit = roofline(result)
  const notes = (result.notes ?? []).map(note => h('div', { class: 'muted' }, note.charAt(0).toUpperCase() + note.slice(1) + '.'))
  return [h('div', { class: 'outcome' }, h('div', { class: 'facts' }, ...verdicts), h('div', { class: 'measures' }, ...speeds)),
    ...(limit ? [h('div', { class: 'muted roof' }, limit)] : []), ...differences, ...(error ? [h('div', { class: 'bad' }, error)] : []), ...notes]
}
