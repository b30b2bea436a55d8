// Which stretch of an axis is seen. Zooming keeps what is under the pointer where it is.

export interface Extent {
  begin: number
  end: number
}

const LEAST = 2 // elements

export function all(size: number): Extent {
  return { begin: 0, end: size }
}

export function isAll({ begin, end }: Extent, size: number): boolean {
  return begin <= 0 && end >= size
}

/** `factor` > 1 shows more; `at` is the place (0..1) in the stretch that stays. */
export function zoom(extent: Extent, size: number, factor: number, at: number): Extent {
  const length = Math.min(size, Math.max(Math.min(LEAST, size), (extent.end - extent.begin) * factor))
  const fixed = extent.begin + (extent.end - extent.begin) * at
  return inside({ begin: fixed - length * at, end: fixed + length * (1 - at) }, size)
}

export function pan(extent: Extent, size: number, by: number): Extent {
  return inside({ begin: extent.begin + by, end: extent.end + by }, size)
}

/** Moved as little as it takes to show an index. */
export function reveal(extent: Extent, size: number, index: number): Extent {
  if (index < extent.begin) return pan(extent, size, index - extent.begin)
  if (index + 1 > extent.end) return pan(extent, size, index + 1 - extent.end)
  return extent
}

function inside({ begin, end }: Extent, size: number): Extent {
  if (begin < 0) return { begin: 0, end: Math.min(size, end - begin) }
  if (end > size) return { begin: Math.max(0, begin - (end - size)), end: size }
  return { begin, end }
}

/** The whole elements that a stretch touches, with a step that keeps them below `limit`. */
export function touched({ begin, end }: Extent, size: number, limit: number): [number, number, number] {
  const first = Math.max(0, Math.floor(begin))
  const last = Math.min(size, Math.ceil(end))
  const step = Math.max(1, Math.ceil((last - first) / limit))
  return [first - (first % step), last, step]
}
