// Which lines belong together: pure functions over the maps that uir/showC and its like return.

import { Origin } from './protocol'

/** Lines of the generated text that come from line `source` of the .uir file. */
export function linesFrom(map: readonly (readonly Origin[])[], source: number): number[] {
  return map.flatMap((origins, line) => (origins.some(origin => origin.line === source) ? [line] : []))
}

/** Lines of the .uir file behind lines `first`..`last` of the generated text, in order, each once. */
export function linesBehind(map: readonly (readonly Origin[])[], first: number, last = first): number[] {
  const lines = new Set(map.slice(first, last + 1).flatMap(origins => origins.map(origin => origin.line)))
  return [...lines].sort((a, b) => a - b)
}

/** Puts `banner` above the text; the map moves with it. */
export function underBanner(banner: string, text: string, map: Origin[][]): { text: string; map: Origin[][] } {
  return { text: `${banner}\n${text}`, map: [[], ...map] }
}

/** Lines of the assembly that were made for lines `first`..`last` of the C; `c` has the lines of the C for each of them. */
export function linesMadeFor(c: readonly (readonly number[])[], first: number, last = first): number[] {
  return c.flatMap((lines, at) => (lines.some(line => first <= line && line <= last) ? [at] : []))
}

/** Lines of the C that lines `first`..`last` of the assembly were made for, in order, each once. */
export function linesMade(c: readonly (readonly number[])[], first: number, last = first): number[] {
  return [...new Set(c.slice(first, last + 1).flat())].sort((a, b) => a - b)
}
