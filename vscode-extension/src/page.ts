// What every panel of ours is given: its page and the icon of a .uir file.

import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as vscode from 'vscode'
import { pageHtml } from './resultHtml'

/** With which a panel is made: setting them later would load it twice. It reads no file. */
export const PAGE_OPTIONS: vscode.WebviewOptions = { enableScripts: true, localResourceRoots: [] }

const texts = new Map<string, string>()

/** Fills a panel, whose listeners are there already: `styles` are files of media/, `script` is a file of dist/. */
export function givePage(panel: vscode.WebviewPanel, extension: vscode.Uri, title: string, styles: readonly string[], script: string): void {
  const file = (folder: string, name: string): vscode.Uri => vscode.Uri.joinPath(extension, folder, name)
  if (!panel.webview.options.enableScripts) panel.webview.options = PAGE_OPTIONS // it is back after a reload
  const nonce = randomBytes(16).toString('base64url')
  panel.webview.html = pageHtml(title, styles.map(style => textOf(file('media', style))), textOf(file('dist', script)), nonce)
  panel.iconPath = { light: file('media', 'file-light.svg'), dark: file('media', 'file-dark.svg') }
}

function textOf({ fsPath }: vscode.Uri): string {
  const text = texts.get(fsPath) ?? fs.readFileSync(fsPath, 'utf8')
  texts.set(fsPath, text)
  return text
}
