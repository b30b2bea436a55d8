// The rows of a stage's text: as it is, or with what changed since the stage before.

import { StageText } from './messages'

export interface Row {
  text: string
  mark: '' | '+' | '-'
  line: number // of the text; -1 for a line that went
}

export function plainRows(text: StageText): Row[] {
  return text.lines.map((line, k) => ({ text: line, mark: '', line: k }))
}

/** Every line of both, those that went before those that came. */
export function changedRows(text: StageText): Row[] {
  if (!text.difference) return plainRows(text)
  const rows: Row[] = []
  let [old, now] = [0, 0]
  for (const [what, count] of text.difference) {
    for (let k = 0; k < count; k++) {
      if (what === '-') rows.push({ text: text.before?.[old] ?? '', mark: '-', line: -1 })
      else rows.push({ text: text.lines[now] ?? '', mark: what === '+' ? '+' : '', line: now })
      if (what !== '+') old++
      if (what !== '-') now++
    }
  }
  return rows
}

/** Whether nothing of the stage before is left: the two side by side would say no more than each by itself. */
export function isNew({ difference }: StageText): boolean {
  return difference !== null && difference.length > 0 && difference.every(([what]) => what !== '=')
}
