// The colours of the editor's theme, for the drawing.

import { themeColor } from '../../panel/dom'
import { Ink } from './paint'

export function ink(): Ink {
  const style = getComputedStyle(document.documentElement)
  const contrast = document.body.classList.contains('vscode-high-contrast') || document.body.classList.contains('vscode-high-contrast-light')
  const text = themeColor('foreground', 'editor-foreground')
  const muted = contrast ? text : themeColor('descriptionForeground', 'foreground')
  return {
    background: themeColor('editor-background'),
    text,
    muted,
    line: contrast ? text : themeColor('editorIndentGuide-activeBackground1', 'descriptionForeground'),
    accent: contrast ? themeColor('contrastActiveBorder', 'focusBorder') : themeColor('focusBorder', 'charts-blue'),
    found: themeColor('charts-yellow', 'editorWarning-foreground'),
    font: style.getPropertyValue('--vscode-editor-font-family').trim() || 'monospace',
    roles: {
      input: themeColor('charts-blue'),
      constant: muted,
      view: themeColor('charts-purple'),
      compute: themeColor('charts-green'),
      reduce: themeColor('charts-orange'),
      memory: themeColor('charts-red'),
      order: muted,
    },
  }
}
