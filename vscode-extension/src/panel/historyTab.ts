// The runs of this file, the newest first.

import { h } from './dom'
import { clock } from './format'
import { changes, HistoryEntry, outcome, timesOf } from './history'

export function historyTable(history: readonly HistoryEntry[]): HTMLElement {
  if (history.length === 0) return h('p', { class: 'muted' }, 'This file has not run yet.')
  const head = h('tr', {}, ...['time', 'run to', 'outcome', 'build', 'kernel', 'since the run before'].map(text => h('th', { scope: 'col' }, text)))
  const rows = history.map((entry, k) => row(entry, changes(history, k)))
  return h('div', { class: 'history' }, h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows)))
}

function row(entry: HistoryEntry, changed: readonly string[]): HTMLElement {
  const { build, kernel } = timesOf(entry)
  const good = entry.ok && entry.expect !== false && entry.verified !== false
  const verdict = h('td', { class: good ? 'good' : 'bad', title: entry.error ?? '' }, `${good ? '✓' : '✗'} ${outcome(entry)}`)
  return h('tr', {}, h('td', {}, clock(entry.time)), h('td', { class: 'code' }, entry.value ?? 'the end'), verdict,
    h('td', { class: 'number' }, build), h('td', { class: 'number' }, kernel), h('td', { class: changed.includes('results changed') ? 'changed' : '' }, changed.join(' · ')))
}
