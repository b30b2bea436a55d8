// What the rewrite rules did: how often each applied, its law, and a few rewrites before and after.

import { h } from '../panel/dom'
import { StageRule } from '../protocol'
import { time } from './words'

/** `whole`: milliseconds of the stage; what no rule took of them is looking where nothing was to be done. */
export function rulesTable(rules: readonly StageRule[], whole: number | null): HTMLElement[] {
  const total = rules.reduce((sum, { count }) => sum + count, 0)
  const took = rules.reduce((sum, { ms }) => sum + ms, 0)
  const of = whole === null ? '' : ` of ${time(whole)}`
  return [
    h('h2', {}, `What the rewrite rules did: ${total.toLocaleString('en')} rewrite${total === 1 ? '' : 's'} by ${rules.length} rule${rules.length === 1 ? '' : 's'} in ${time(took)}${of}`),
    h('table', {}, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Rule'), h('th', { scope: 'col', class: 'count' }, 'Times'), h('th', { scope: 'col', class: 'count' }, 'Time'), h('th', { scope: 'col' }, 'Law, and some of its rewrites'))),
      h('tbody', {}, ...rules.map(row))),
  ]
}

function row({ name, law, count, ms, examples }: StageRule): HTMLElement {
  return h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'count' }, count.toLocaleString('en')), h('td', { class: 'count', title: 'With trying the rules before it' }, fine(ms)),
    h('td', {}, h('div', { class: 'law' }, law), ...examples.map(({ before, after }) =>
      h('div', { class: 'example' }, h('span', { class: 'before' }, before), h('span', { class: 'arrow', 'aria-label': 'becomes' }, ' → '), h('span', { class: 'after' }, after)))))
}

/** Microseconds, where a rule is that fast. */
function fine(ms: number): string {
  return ms >= 1 ? time(ms) : `${Math.max(1, Math.round(1000 * ms)).toLocaleString('en')} µs`
}
