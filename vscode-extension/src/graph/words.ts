// How values are named and told: the same words in the drawing, its tooltips and for a screen reader.

import { Flow, FlowNode, Role } from './messages'

export const ROLES: Record<Role, string> = {
  input: 'buffer',
  constant: 'constant',
  view: 'view',
  compute: 'compute',
  reduce: 'reduce',
  memory: 'memory',
  order: 'order',
}

/** `f32[3, 4]`; of what has no value, nothing. */
export function typeOf({ dtype, shape, role }: FlowNode): string {
  if (dtype === 'void') return ''
  return role === 'input' || shape.length > 0 ? `${dtype}[${shape.join(', ')}]` : dtype
}

/** Everything about a value, a line each. */
export function about(flow: Flow, node: number): string {
  const one = flow.nodes[node]!
  const type = typeOf(one)
  const kernel = one.kernel === null ? undefined : flow.kernels[one.kernel]
  return [
    `${one.name} = ${one.op} ${one.detail}`.trimEnd(),
    [type, ROLES[one.role], one.output ? 'an output' : ''].filter(Boolean).join(' · '),
    ...(kernel ? [`computed in ${kernel.name}`] : []),
    `line ${one.line + 1}`,
  ].join('\n')
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`
}

export function shorten(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most - 1) + '…'
}
