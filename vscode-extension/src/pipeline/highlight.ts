// Colours for the lines of a stage: a few regular expressions a language, so that only the lines that are seen cost anything.

export interface Token {
  text: string
  kind?: string
}

const RULES: Record<string, [kind: string, pattern: RegExp][]> = {
  uir: [
    ['comment', /#.*/y],
    ['name', /%[\w.]+/y],
    ['keyword', /(?<== )[a-z]\w*/y],
    ['number', /-?\b\d[\w.]*\b/y],
    ['attribute', /\b\w+(?==)/y],
  ],
  loops: [
    ['comment', /#.*/y],
    ['note', /(?<=\S {2,})\S.*/y], // what stands apart from the line
    ['name', /%[\w.]+(?:\(\d+\))?/y],
    ['keyword', /\b(?:for|step|store|keep|pack|kernel|at|of|as|in)\b/y],
    ['accumulator', /\b(?:acc|t)\d*\b/y],
    ['function', /\b[a-z]\w*(?=\()/y],
    ['number', /\b\d[\w.]*\b/y],
  ],
  c: [
    ['comment', /\/\/.*/y],
    ['directive', /#\s*\w+.*/y],
    ['string', /"(?:[^"\\]|\\.)*"/y],
    ['keyword', /\b(?:for|if|else|return|static|const|inline|restrict|struct|typedef|while|do|sizeof|union)\b/y],
    ['type', /\b(?:void|float|double|int|long|short|char|bool|size_t|u?int\d+_t|[fiu]\d+x\d+u?|unsigned|_Float16)\b/y],
    ['function', /\b\w+(?=\()/y],
    ['number', /\b\d[\w.]*\b/y],
  ],
  asm: [
    ['comment', /^\s*#.*/y],
    ['function', /^[\w.$@]+:/y],
    ['keyword', /(?<=^\s+)\.?[a-z][\w.]*/y],
    ['type', /\b(?:BYTE|[DQXYZ]?M?M?WORD) PTR\b/y],
    ['name', /%?\b(?:[er]?[abcd]x|[er]?[sd]i|[er]?[sb]p|r(?:[89]|1[0-5])[bwd]?|[xyz]mm\d+|rip|[xwvsdqbh]\d{1,2}|sp)\b/y],
    ['number', /[-#$]?\b\d[\w.]*\b/y],
  ],
}

/** A line as pieces, each with what it is. */
export function tokens(line: string, language: string): Token[] {
  const rules = RULES[language] ?? []
  const found: Token[] = []
  let plain = ''
  for (let at = 0; at < line.length; ) {
    const hit = rules.map(([kind, pattern]) => ({ kind, text: match(pattern, line, at) })).find(({ text }) => text)
    if (!hit?.text) {
      // A word is one piece: what begins inside it is not looked for.
      const word = match(/\w+|./y, line, at) || line.slice(at, at + 1)
      plain += word
      at += word.length
      continue
    }
    if (plain) found.push({ text: plain })
    plain = ''
    found.push({ text: hit.text, kind: hit.kind })
    at += hit.text.length
  }
  if (plain) found.push({ text: plain })
  return found
}

function match(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(line)?.[0] ?? ''
}
