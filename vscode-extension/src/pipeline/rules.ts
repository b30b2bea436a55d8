// What the rewrite rules did: how often each applied, its law, and a few rewrites before and after.

import { h } from '../panel/dom'
import { StageRule } from '../protocol'

export function rulesTable(rules: readonly StageRule[]): HTMLElement[] {
  const total = rules.reduce((sum, { count }) => sum + count, 0)
  return [
    h('h2', {}, `What the rewrite rules did: ${total.toLocaleString('en')} rewrites by ${rules.length} rule${rules.length === 1 ? '' : 's'}`),
    h('table', {}, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Rule'), h('th', { scope: 'col', class: 'count' }, 'Times'), h('th', { scope: 'col' }, 'Law, and some of its rewrites'))),
      h('tbody', {}, ...rules.map(row))),
  ]
}

function row({ name, law, count, examples }: StageRule): HTMLElement {
  return h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'count' }, count.toLocaleString('en')),
    h('td', {}, h('div', { class: 'law' }, law), ...examples.map(({ before, after }) =>
      h('div', { class: 'example' }, h('span', { class: 'before' }, before), h('span', { class: 'arrow', 'aria-label': 'becomes' }, ' → '), h('span', { class: 'after' }, after)))))
}
