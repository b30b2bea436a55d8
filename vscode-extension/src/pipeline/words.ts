// How times and messages are written.

export function time(milliseconds: number): string {
  return milliseconds >= 100 ? `${Math.round(milliseconds).toLocaleString('en')} ms` : milliseconds >= 0.1 ? `${milliseconds.toFixed(1)} ms` : '< 0.1 ms'
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
