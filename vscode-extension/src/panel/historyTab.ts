// The runs of this file, the newest first.

import { h } from './dom'
import { explain } from '../result'
import { clock } from './format'
import { changes, HistoryEntry, outcome, timesOf } from './history'

export function historyTable(history: readonly HistoryEntry[]): HTMLElement {
  if (history.length === 0) return h('p', { class: 'muted' }, 'This file has not run yet.')
  const some = history.some(({ value }) => value !== undefined)
  const head = h('tr', {}, ...['time', ...(some ? ['run to'] : []), 'outcome', 'build', 'kernel', 'change'].map(text => h('th', { scope: 'col', class: text === 'build' || text === 'kernel' ? `number ${text}` : '' }, text)))
  const rows = history.flatMap((entry, k) => [row(entry, some, changes(history, k)), ...edits(entry, some ? 6 : 5)])
  return h('div', { class: 'history' }, h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows)))
}

/** The lines of the program that changed since the run before it. */
function edits({ edits: changed }: HistoryEntry, columns: number): HTMLElement[] {
  if (!changed) return []
  const lines = changed.lines.map(({ sign, line, text }) =>
    h('div', { class: sign === '+' ? 'put' : 'out' }, h('span', { class: 'sign', 'aria-label': sign === '+' ? 'added' : 'removed' }, sign === '-' ? '−' : '+'), h('span', { class: 'at' }, String(line)), text))
  const more = changed.more > 0 && h('div', { class: 'muted' }, `and ${changed.more} more ${changed.more === 1 ? 'line' : 'lines'}`)
  return [h('tr', { class: 'edits' }, h('td', { colspan: columns }, h('div', { class: 'code' }, ...lines), more))]
}

function row(entry: HistoryEntry, upTo: boolean, changed: readonly string[]): HTMLElement {
  const { build, kernel } = timesOf(entry)
  const good = entry.ok && entry.expect !== false && entry.verified !== false
  const verdict = h('td', { class: good ? 'good' : 'bad', title: entry.error ?? '' }, `${good ? '✓' : '✗'} ${outcome(entry)}`)
  return h('tr', {}, h('td', {}, clock(entry.time)), upTo && h('td', { class: 'code' }, entry.value ?? 'all'), verdict,
    h('td', { class: 'number build' }, build), h('td', { class: 'number' }, kernel), h('td', { class: changed.includes('results changed') ? 'changed' : 'change' }, entry.digest || !entry.error ? changed.join(' · ') : explain(entry.error).sentence))
}
