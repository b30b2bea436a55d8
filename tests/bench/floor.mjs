// What VS Code itself takes from a click on a lens to a word in a web view, in an extension that does nothing else.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from '../../scripts/vscode_server.mjs'
import { clickLens } from '../vscode/rig/click.mjs'
import { Panel } from '../vscode/rig/panel.mjs'
import { Rig } from '../vscode/rig/rig.mjs'
import { sleep, until } from '../vscode/rig/until.mjs'

const FILE = 'floor.txt'
const POSTED = 10

const PAGE = `<!DOCTYPE html><html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-a'">
</head><body><script nonce="a">
const api = acquireVsCodeApi()
globalThis.seen = []
const note = () => requestAnimationFrame(() => setTimeout(() => seen.push(performance.timeOrigin + performance.now())))
addEventListener('message', ({ data }) => { document.body.textContent = data; note() })
document.body.append('open')
note()
</script></body></html>`

const MAIN = `
const vscode = require('vscode')
let panel
exports.activate = () => {
  const lens = title => new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command: 'floor.' + title })
  vscode.languages.registerCodeLensProvider('plaintext', { provideCodeLenses: () => [lens('open'), lens('post')] })
  vscode.commands.registerCommand('floor.open', () => {
    panel?.dispose()
    panel = vscode.window.createWebviewPanel('floor', 'Floor', { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableScripts: true, localResourceRoots: [] })
    panel.webview.html = ${JSON.stringify(PAGE)}
  })
  let count = 0
  vscode.commands.registerCommand('floor.post', () => panel.webview.postMessage('message ' + ++count))
}`

const ABOUT = {
  name: 'floor', publisher: 'uir', version: '0.0.1', description: 'Nothing', main: './main.js',
  engines: { vscode: '^1.100.0' }, activationEvents: ['onLanguage:plaintext'], contributes: {},
}

function packaged(folder) {
  const files = { 'package.json': JSON.stringify(ABOUT), 'main.js': MAIN, 'README.md': 'Nothing.', LICENSE: 'None.' }
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  const vsce = path.join(ROOT, 'vscode-extension', 'node_modules', '.bin', 'vsce')
  const { status, stderr } = spawnSync(vsce, ['package', '--allow-missing-repository', '--no-dependencies', '--out', 'floor.vsix'], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return path.join(folder, 'floor.vsix')
}

/** {'new panel': [ms], message: [ms]} */
export async function measureFloor(settle) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uir-floor-'))
  const usual = process.env.UIR_VSIX
  process.env.UIR_VSIX = packaged(folder)
  const rig = await Rig.start({ machine: {} })
  try {
    rig.write(FILE, 'a line\n')
    const window = await rig.open(FILE)
    await until('lenses', () => window.lenses(), all => all.includes('open'))
    await sleep(settle)
    const opened = [await timed(window, 'open', 0)] // the first of the window, as in a cold run
    const posted = []
    for (let k = 0; k < POSTED; k++) posted.push(await timed(window, 'post', k + 1))
    return { 'new panel': opened, message: posted }
  } finally {
    await rig.stop()
    fs.rmSync(folder, { recursive: true, force: true })
    if (usual === undefined) delete process.env.UIR_VSIX
    else process.env.UIR_VSIX = usual
  }
}

/** Milliseconds from a click until the page has drawn for the time `count` (from 0). */
async function timed(window, lens, count) {
  const panel = new Panel(window.page)
  await clickLens(window.page, window.editor(), lens)
  await sleep(1_000)
  const read = () => panel.body.evaluate(() => globalThis.seen ?? []).catch(() => [])
  const seen = await until('the page', read, all => all.length > count)
  return seen[count] - (await window.page.evaluate(() => globalThis.uirClick))
}
