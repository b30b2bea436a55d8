// From a box to its neighbours: up to what it reads, down to what reads it, sideways in its row.

import { Links } from './model'
import { Scene } from './scene'

export type Way = 'up' | 'down' | 'left' | 'right'

/** The box that a step leads to, undefined when there is none; `came` is the box that the last step left. */
export function step(scene: Scene, links: Links, members: (box: number) => number[], box: number, way: Way, came: number): number | undefined {
  if (way === 'left' || way === 'right') return beside(scene, box, way)
  const next = way === 'up' ? links.reads : links.readers
  const found = new Set(members(box).flatMap(node => next[node]!.map(other => scene.boxOf[other]!)))
  found.delete(box)
  if (found.has(came)) return came // back the way it was walked
  const { x } = scene.boxes[box]!
  return way === 'up' ? first(found) : nearest(scene, found, x)
}

function first(boxes: Iterable<number>): number | undefined {
  for (const box of boxes) return box
  return undefined
}

function nearest(scene: Scene, boxes: Iterable<number>, x: number): number | undefined {
  let best: number | undefined
  for (const box of boxes) {
    if (best === undefined || Math.abs(scene.boxes[box]!.x - x) < Math.abs(scene.boxes[best]!.x - x)) best = box
  }
  return best
}

/** The next box of the same row of a kernel, or of the loose ones. */
function beside({ boxes, frames }: Scene, box: number, way: 'left' | 'right'): number | undefined {
  const { x, y, kernel } = boxes[box]!
  const open = frames.some(frame => frame.kernel === kernel)
  let best: number | undefined
  for (const [k, other] of boxes.entries()) {
    if (other.kind === 'port' || Math.abs(other.y - y) > 1 || (open && other.kernel !== kernel)) continue
    if (way === 'left' ? other.x >= x : other.x <= x) continue
    if (best === undefined || Math.abs(other.x - x) < Math.abs(boxes[best]!.x - x)) best = k
  }
  return best
}
