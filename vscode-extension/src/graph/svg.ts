// The drawing as an SVG file.

import { Point } from './layout'
import { Role } from './messages'
import { Box, Frame, Line, LINE_HEIGHT, marks, outline, Scene, TITLE } from './scene'

/** Colours of a theme, as CSS writes them. */
export interface Colors {
  background: string
  text: string
  muted: string
  line: string
  roles: Record<Role, string>
}

const MARGIN = 16
const FONT = 12

/** The whole scene as an SVG document; `font` is a family of equal widths, `title` says what it shows. */
export function svgOf(scene: Scene, colors: Colors, font: string, title: string): string {
  const [width, height] = [scene.width + 2 * MARGIN, scene.height + 2 * MARGIN + LINE_HEIGHT]
  const view = `${-MARGIN} ${-MARGIN} ${fixed(width)} ${fixed(height)}`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${fixed(width)}" height="${fixed(height)}" viewBox="${view}" font-family="${escaped(font)}" font-size="${FONT}">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${fixed(width)}" height="${fixed(height)}" fill="${escaped(colors.background)}"/>`,
    ...scene.frames.map(frame => frameOf(frame, colors)),
    `<g fill="none" stroke="${escaped(colors.line)}">`,
    ...scene.lines.map(lineOf),
    '</g>',
    ...scene.boxes.map(box => boxOf(box, colors)),
    '</svg>',
    '',
  ].join('\n')
}

function frameOf({ x, y, width, height, title }: Frame, colors: Colors): string {
  const rect = `<rect x="${fixed(x)}" y="${fixed(y)}" width="${fixed(width)}" height="${fixed(height)}" rx="4" fill="none" stroke="${escaped(colors.muted)}"/>`
  return rect + text(title.slice(2), x + 10, y + TITLE - 8, colors.muted, 'start')
}

function lineOf({ points }: Line): string {
  const end = points[points.length - 1]!
  const head = `M${pair({ x: end.x - 3.5, y: end.y - 6 })} L${pair(end)} L${pair({ x: end.x + 3.5, y: end.y - 6 })}`
  const way = points.slice(1).map((point, k) => curve(points[k]!, point))
  return `<path d="M${pair(points[0]!)} ${way.join(' ')} ${head}"/>`
}

function curve(from: Point, to: Point): string {
  if (Math.abs(to.x - from.x) < 1) return `L${pair(to)}`
  const bend = (to.y - from.y) / 2
  return `C${pair({ x: from.x, y: from.y + bend })} ${pair({ x: to.x, y: to.y - bend })} ${pair(to)}`
}

function boxOf(box: Box, colors: Colors): string {
  const color = escaped(colors.roles[box.role])
  const dashes = box.kind === 'port' ? ' stroke-dasharray="3 2"' : ''
  const shape = `<polygon points="${outline(box).map(pair).join(' ')}" fill="${color}" fill-opacity="0.14" stroke="${color}" stroke-width="${box.output ? 2.5 : 1.2}"${dashes}/>`
  const inner = marks(box).map(([a, b]) => `<path d="M${pair(a)} L${pair(b)}" stroke="${color}"/>`)
  const [top, bottom] = [box.y - box.height / 2, box.y + box.height / 2]
  const parts = [text(box.title, box.x, top + 17 - (box.kind === 'port' ? 3 : 0), colors.text)]
  if (box.detail) parts.push(text(box.detail, box.x, top + 17 + LINE_HEIGHT, colors.muted))
  if (box.below) parts.push(text(box.below, box.x + 5, bottom + 13, colors.muted, 'start'))
  if (box.to) parts.push(text(box.to, box.x + 5, bottom + 13 + LINE_HEIGHT, colors.muted, 'start'))
  if (box.from) parts.push(text(box.from, box.x + 5, top - 5, colors.muted, 'start'))
  return `<g>${shape}${inner.join('')}${parts.join('')}</g>`
}

function text(content: string, x: number, y: number, color: string, anchor = 'middle'): string {
  return `<text x="${fixed(x)}" y="${fixed(y)}" fill="${escaped(color)}" text-anchor="${anchor}">${escaped(content)}</text>`
}

function pair({ x, y }: Point): string {
  return `${fixed(x)},${fixed(y)}`
}

function fixed(number: number): string {
  return String(Math.round(number * 100) / 100)
}

/** Text for an element or an attribute: what XML reads as more than text is written out, what it forbids is left out. */
export function escaped(content: string): string {
  const legal = content.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '')
  return legal.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
