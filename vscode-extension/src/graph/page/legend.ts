// What the shapes and colours of the boxes mean: those that are in the drawing.

import { h } from '../../panel/dom'
import { Role } from '../messages'
import { Box, marks, outline, Scene } from '../scene'
import { ROLES } from '../words'
import { Ink } from './paint'

export function legend(scene: Scene, ink: Ink): HTMLElement {
  const roles = (Object.keys(ROLES) as Role[]).filter(role => scene.boxes.some(box => box.kind === 'value' && box.role === role))
  const output = scene.boxes.some(box => box.output)
  return h('div', { class: 'legend', 'aria-label': 'Legend' }, ...roles.map(role => entry(role, ROLES[role], false, ink)), output && entry('compute', 'thick: output', true, ink))
}

function entry(role: Role, word: string, output: boolean, ink: Ink): HTMLElement {
  const canvas = h('canvas', { 'aria-hidden': 'true' })
  canvas.width = 30 * devicePixelRatio
  canvas.height = 16 * devicePixelRatio
  const context = canvas.getContext('2d')!
  context.scale(devicePixelRatio, devicePixelRatio)
  const box: Box = { key: '', kind: 'value', node: 0, kernel: null, role, output, title: '', detail: '', below: '', from: '', to: '', x: 15, y: 8, width: 27, height: 13 }
  context.beginPath()
  for (const { x, y } of outline(box)) context.lineTo(x, y)
  context.closePath()
  context.globalAlpha = 0.2
  context.fillStyle = output ? ink.background : ink.roles[role]
  context.fill()
  context.globalAlpha = 1
  for (const [from, to] of marks(box)) {
    context.moveTo(from.x, from.y)
    context.lineTo(to.x, to.y)
  }
  context.strokeStyle = output ? ink.text : ink.roles[role]
  context.lineWidth = output ? 2.5 : 1.2
  context.stroke()
  return h('span', {}, canvas, word)
}
