// The value that a place in the text is about.

const NAME = /%[A-Za-z0-9_.]+/g

/** The name under the column, else the one that the line defines. */
export function valueAt(line: string, column: number): string | undefined {
  const code = line.replace(/#.*/s, '')
  for (const match of code.matchAll(NAME)) {
    if (match.index <= column && column <= match.index + match[0].length) return match[0]
  }
  return /^\s*(%[A-Za-z0-9_.]+)\s*=/.exec(code)?.[1]
}
