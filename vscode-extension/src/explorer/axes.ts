// The letters of axes, as the language's equations have them.

const LETTERS = 'ijklmn'

export function axisLetter(k: number): string {
  return LETTERS[k] ?? `i${k}`
}
