// How much of a text fits at the end of a line. No editor here, so that it can be tested by itself.

const COLUMNS = 68 // about half a window of 1,360 pixels: longer lines get a scroll bar below them
const LEAST = 12
const BETWEEN = 4 // columns between the line, its type and the text

/** The beginning of `text`, a list of elements, that fits behind a line with its type. */
export function fitting(text: string, line: string, type: string): string {
  const room = Math.max(LEAST, COLUMNS - line.length - type.length - BETWEEN)
  if (text.length <= room) return text
  const end = text.lastIndexOf(', ', room - 3)
  return end > 0 ? `${text.slice(0, end)}, …` : text.length > 2 * LEAST ? `${text.slice(0, room - 1)}…` : text
}
