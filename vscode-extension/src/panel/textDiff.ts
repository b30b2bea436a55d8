// Which lines of a program changed from one run to the next, few enough to be read in a list.

export interface ChangedLine {
  sign: '-' | '+'
  line: number // from 1, in the text that it is of
  text: string
}

export interface TextChange {
  lines: ChangedLine[]
  more: number // lines that are left out
}

const MOST_SHOWN = 8
const MOST_PAIRS = 1 << 18 // of lines that are compared; a larger stretch counts as replaced
const MOST_WIDTH = 160

/** The lines that were taken out and put in, in order; undefined when the texts are equal. */
export function changedLines(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined
  const [old, now] = [before, after].map(text => text.split(/\r\n|\n|\r/)) as [string[], string[]]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const found = between(old.slice(start, old.length - end), now.slice(start, now.length - end), start)
    .filter(({ text }) => text.trim() !== '')
  if (found.length === 0) return undefined
  return { lines: found.slice(0, MOST_SHOWN).map(cut), more: Math.max(0, found.length - MOST_SHOWN) }
}

function cut(one: ChangedLine): ChangedLine {
  return one.text.length > MOST_WIDTH ? { ...one, text: `${one.text.slice(0, MOST_WIDTH - 1)}…` } : one
}

/** The shortest change of one stretch into the other. */
function between(old: readonly string[], now: readonly string[], start: number): ChangedLine[] {
  const out = (k: number): ChangedLine => ({ sign: '-', line: start + k + 1, text: old[k] ?? '' })
  const put = (k: number): ChangedLine => ({ sign: '+', line: start + k + 1, text: now[k] ?? '' })
  if (old.length * now.length > MOST_PAIRS) return [...old.map((_, k) => out(k)), ...now.map((_, k) => put(k))]
  const common = commonLengths(old, now)
  const found: ChangedLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) { i++; j++ }
    else if (j >= now.length || (i < old.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) found.push(out(i++))
    else found.push(put(j++))
  }
  return found
}

/** common[i][j]: how many lines the rests old[i..] and now[j..] have in common. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i--) {
    const [row, below] = [table[i], table[i + 1]]
    if (!row || !below) continue
    for (let j = now.length - 1; j >= 0; j--) row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
  }
  return table
}
