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

/** Whether a line of the text defines a value. */
export function defines(text: string, name: string): boolean {
  return text.split(/\r\n|\n|\r/).some(line => valueAt(line, -1) === name)
}
