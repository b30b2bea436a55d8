// Which lines belong together: pure functions over the map that uir/showC returns.

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
