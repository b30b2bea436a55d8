// Ticks at round numbers.

/** Round numbers (1, 2 or 5 times a power of ten apart) inside low..high, about `wanted` of them. */
export function ticks(low: number, high: number, wanted: number): number[] {
  if (!(high > low)) return Number.isFinite(low) ? [low] : []
  const step = niceStep((high - low) / Math.max(1, wanted))
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: Math.max(0, Math.min(1000, last - first + 1)) }, (_, k) => clean((first + k) * step))
}

/** The same for indices: whole numbers. */
export function indexTicks(begin: number, end: number, wanted: number): number[] {
  const step = Math.max(1, niceStep((end - begin) / Math.max(1, wanted)))
  const found = []
  for (let k = Math.ceil(begin / step) * step; k < end && found.length < 1000; k += step) found.push(k)
  return found
}

export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = least / power
  return clean(power * (factor <= 1 + 1e-9 ? 1 : factor <= 2 + 1e-9 ? 2 : factor <= 5 + 1e-9 ? 5 : 10))
}

function clean(value: number): number {
  return Number(value.toPrecision(12))
}
