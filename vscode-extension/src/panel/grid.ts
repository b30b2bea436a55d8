// A table of any size: which rows and columns are seen, and where they stand. Browsers end at some tens of millions of pixels.

const MOST_PIXELS = 8_000_000

export interface Line {
  first: number
  end: number
  offset: number // pixels from the scrolled area's begin to the first of them
}

/** Pixels that a scrolled axis takes. */
export function length(items: number, size: number): number {
  return Math.min(items * size, MOST_PIXELS)
}

/** The items that are seen when an axis is scrolled to `scroll` and shows `view` pixels. */
export function visible(items: number, size: number, scroll: number, view: number): Line {
  const full = items * size
  const drawn = length(items, size)
  const ratio = full > drawn && drawn > view ? (full - view) / (drawn - view) : 1
  const at = Math.min(scroll * ratio, Math.max(0, full - view))
  const first = Math.max(0, Math.floor(at / size))
  const end = Math.min(items, Math.ceil((at + view) / size))
  return { first, end: Math.max(first, end), offset: scroll - (at - first * size) }
}

/** Where to scroll so that an item is seen; undefined when it is. */
export function scrollTo(items: number, size: number, scroll: number, view: number, item: number): number | undefined {
  const full = items * size
  const drawn = length(items, size)
  const ratio = full > drawn && drawn > view ? (full - view) / (drawn - view) : 1
  const at = scroll * ratio
  if (item * size < at) return (item * size) / ratio
  if ((item + 1) * size > at + view) return Math.max(0, ((item + 1) * size - view) / ratio)
  return undefined
}

/** A vector as rows of so many elements that fit, a power of two. */
export function wrap(count: number, fitting: number): { rows: number; columns: number } {
  const columns = Math.min(count, Math.max(1, 2 ** Math.floor(Math.log2(Math.max(1, Math.min(16, fitting))))))
  return { rows: columns > 0 ? Math.ceil(count / columns) : 0, columns }
}

/** An arrow key's move in a table of rows x columns. */
export function moved(row: number, column: number, rows: number, columns: number, key: string, page: number): [number, number] | undefined {
  const moves: Record<string, [number, number]> = {
    ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
    PageUp: [row - page, column], PageDown: [row + page, column], Home: [row, 0], End: [row, columns - 1],
    'ctrl+Home': [0, 0], 'ctrl+End': [rows - 1, columns - 1],
  }
  const to = moves[key]
  return to && [Math.min(rows - 1, Math.max(0, to[0])), Math.min(columns - 1, Math.max(0, to[1]))]
}
