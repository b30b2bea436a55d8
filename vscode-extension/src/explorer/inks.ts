// The colours of the theme, as canvases need them.

import { themeColor } from '../panel/dom'
import { Rgb } from '../panel/colors'

export interface Inks {
  text: string
  muted: string
  line: string
  background: string
  plain: string
  plainRgb: Rgb
  lit: string
  focus: string
  hatch: CanvasPattern | string
  contrast: boolean
  font: string
  hue(leaf: number): string
  rgb(leaf: number): Rgb
}

const HUES = ['charts-blue', 'charts-green', 'charts-purple', 'charts-yellow', 'charts-red']

export function inkOf(): Inks {
  const contrast = /vscode-high-contrast/.test(document.body.className)
  const text = themeColor('foreground', 'editor-foreground')
  const muted = themeColor('descriptionForeground', 'foreground')
  const hues = HUES.map(name => themeColor(name))
  const colors = hues.map(rgbOf)
  return {
    text, muted, contrast,
    line: contrast ? themeColor('contrastBorder', 'foreground') : themeColor('panel-border', 'widget-border', 'editorIndentGuide-background'),
    background: themeColor('editor-background'),
    plain: text,
    plainRgb: rgbOf(muted),
    lit: contrast ? themeColor('contrastActiveBorder', 'charts-orange') : themeColor('charts-orange', 'editorWarning-foreground'),
    focus: text,
    hatch: hatched(muted),
    font: themeColor('editor-font-family') || 'monospace',
    hue: leaf => hues[leaf % hues.length] ?? text,
    rgb: leaf => colors[leaf % colors.length] ?? [128, 128, 128],
  }
}

function hatched(ink: string): CanvasPattern | string {
  const tile = document.createElement('canvas')
  tile.width = tile.height = 6
  const context = tile.getContext('2d')
  if (!context) return ink
  context.strokeStyle = ink
  context.globalAlpha = 0.55
  for (const shift of [-6, 0, 6]) {
    context.moveTo(shift, 6)
    context.lineTo(shift + 6, 0)
  }
  context.stroke()
  return context.createPattern(tile, 'repeat') ?? ink
}

/** A colour as its parts, whatever way it is written. */
function rgbOf(color: string): Rgb {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return [128, 128, 128]
  context.fillStyle = color
  context.fillRect(0, 0, 1, 1)
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data
  return [r, g, b]
}
