// Where things stand on a canvas.

const LARGEST_CELL = 56
const LEAST_CELL = 14 // pixels that a cell of a thin matrix has at least across

/** The size of a heat map: square cells where they fit, a thin matrix stretched so that it can be seen. */
export function heatBox(rows: number, columns: number, width: number, height: number): { width: number; height: number } {
  if (rows === 0 || columns === 0) return { width: 0, height: 0 }
  const square = Math.min(LARGEST_CELL, width / columns, height / rows)
  const across = Math.min(width, Math.max(square * columns, Math.min(LEAST_CELL * columns, width / 3)))
  const down = Math.min(height, Math.max(square * rows, Math.min(LEAST_CELL * rows, height / 3)))
  return { width: Math.max(1, Math.round(across)), height: Math.max(1, Math.round(down)) }
}

/** About how many labels of a width fit along a length. */
export function fitting(length: number, label: number): number {
  return Math.max(1, Math.floor(length / label))
}
