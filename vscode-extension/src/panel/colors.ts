// Colours of values: a scale that is even to the eye, dark to light, or two-sided around zero.

export type Rgb = readonly [number, number, number]

/** viridis, sampled; lightness rises evenly. */
const SEQUENTIAL = ['#440154', '#482475', '#414487', '#355f8d', '#2a788e', '#21918c', '#22a884', '#44bf70', '#7ad151', '#bddf26', '#fde725'].map(rgb)
/** Blue over white to red: as far below zero as above it is as dark. */
const DIVERGING = ['#053061', '#2166ac', '#4393c3', '#92c5de', '#d1e5f0', '#f7f7f7', '#fddbc7', '#f4a582', '#d6604d', '#b2182b', '#67001f'].map(rgb)

const STEPS = 256

export interface Scale {
  low: number
  high: number
  diverging: boolean
  colors: readonly Rgb[] // STEPS of them, low to high
}

/** A scale for values between `low` and `high`; two-sided when zero lies well inside. */
export function scaleFor(low: number, high: number): Scale {
  const reach = Math.max(-low, high)
  const diverging = low < 0 && high > 0 && Math.min(-low, high) > reach / 8
  const stops = diverging ? DIVERGING : SEQUENTIAL
  const colors = Array.from({ length: STEPS }, (_, k) => between(stops, k / (STEPS - 1)))
  return diverging ? { low: -reach, high: reach, diverging, colors } : { low, high, diverging, colors }
}

/** The colour of a value; outside the scale, of its end. Not for NaN. */
export function colorOf(scale: Scale, value: number): Rgb {
  return scale.colors[stepOf(scale, value)] ?? [0, 0, 0]
}

function stepOf({ low, high }: Scale, value: number): number {
  if (value <= low) return high > low ? 0 : STEPS >> 1
  if (value >= high) return STEPS - 1
  return Math.min(STEPS - 1, Math.floor(((value - low) / (high - low)) * STEPS))
}

/** Black or white, whichever is read better on a colour. */
export function inkOn([red, green, blue]: Rgb): string {
  const [r, g, b] = [red, green, blue].map(part => ((part / 255 + 0.055) / 1.055) ** 2.4)
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0) > 0.18 ? '#000' : '#fff'
}

export function css([red, green, blue]: Rgb): string {
  return `rgb(${red}, ${green}, ${blue})`
}

function between(stops: readonly Rgb[], place: number): Rgb {
  const at = place * (stops.length - 1)
  const left = Math.min(stops.length - 2, Math.floor(at))
  const [a, b] = [stops[left], stops[left + 1]]
  if (!a || !b) return [0, 0, 0]
  const mix = (axis: 0 | 1 | 2) => Math.round(a[axis] + (b[axis] - a[axis]) * (at - left))
  return [mix(0), mix(1), mix(2)]
}

export function rgb(hex: string): Rgb {
  const number = parseInt(hex.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}
