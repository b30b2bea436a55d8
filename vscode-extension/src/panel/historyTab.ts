// The runs of this file, the newest first.

import { h } from './dom'
import { clock } from './format'
import { changes, HistoryEntry, outcome, timesOf } from './history'

export function historyTable(history: readonly HistoryEntry[]): HTMLElement {
  if (history.length === 0) return h('p', { class: 'muted' }, 'This file has not run yet.')
  const some = history.some(({ value }) => value !== undefined)
  const head = h('tr', {}, ...['time', ...(some ? ['run to'] : []), 'outcome', 'build', 'kernel', 'change'].map(text => h('th', { scope: 'col', class: text === 'build' || text === 'kernel' ? `number ${text}` : '' }, text)))
  const rows = history.map((entry, k) => row(entry, some, changes(history, k)))
  return h('div', { class: 'history' }, h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows)))
}

function row(entry: HistoryEntry, upTo: boolean, changed: readonly string[]): HTMLElement {
  const { build, kernel } = timesOf(entry)
  const good = entry.ok && entry.expect !== false && entry.verified !== false
  const verdict = h('td', { class: good ? 'good' : 'bad', title: entry.error ?? '' }, `${good ? '✓' : '✗'} ${outcome(entry)}`)
  return h('tr', {}, h('td', {}, clock(entry.time)), upTo && h('td', { class: 'code' }, entry.value ?? 'all'), verdict,
    h('td', { class: 'number build' }, build), h('td', { class: 'number' }, kernel), h('td', { class: changed.includes('results changed') ? 'changed' : '' }, changed.join(' · ')))
}
