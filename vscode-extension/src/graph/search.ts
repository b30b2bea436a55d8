// Finding values: by name `%x`, operation, dtype or shape. Several words must all fit.

import { Flow, FlowNode } from './messages'

/** The values that fit, in the order of the file; nothing fits an empty question. */
export function search(flow: Flow, seen: readonly boolean[], question: string): number[] {
  const tests = wordsOf(question).map(test)
  if (tests.length === 0) return []
  return [...flow.nodes.keys()].filter(n => seen[n] && tests.every(fits => fits(flow.nodes[n]!)))
}

function wordsOf(question: string): string[] {
  const close = question.toLowerCase().replace(/\s*([,([])\s*/g, '$1').replace(/\s+([\])])/g, '$1')
  return close.split(/\s+/).filter(Boolean)
}

type Test = (node: FlowNode) => boolean

function test(word: string): Test {
  if (word.startsWith('%')) return ({ name }) => name.toLowerCase().startsWith(word)
  const whole = /^([a-z]+\d*)?[[(]([\d,]*)[\])]$/.exec(word) // f32[3, 4], [3, 4] or (3, 4)
  if (whole) {
    const sizes = (whole[2] ?? '').replace(/,$/, '')
    return ({ dtype, shape }) => shape.join(',') === sizes && (!whole[1] || dtype === whole[1])
  }
  if (/^[\d,]+$/.test(word)) { // sizes side by side, a whole one each
    const sizes = `,${word.replace(/^,|,$/g, '')},`
    return ({ shape }) => `,${shape.join(',')},`.includes(sizes)
  }
  return ({ name, op, dtype }) => op.startsWith(word) || dtype === word || name.toLowerCase().includes(word)
}
