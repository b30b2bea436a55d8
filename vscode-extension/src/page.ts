// What every panel of ours is given: its page, the folders it may read, the icon of a .uir file.

import { randomBytes } from 'node:crypto'
import * as vscode from 'vscode'
import { pageHtml } from './resultHtml'

/** Fills a panel, whose listeners are there already: `styles` are files of media/, `script` is a file of dist/. */
export function givePage(panel: vscode.WebviewPanel, extension: vscode.Uri, title: string, styles: readonly string[], script: string): void {
  const dist = vscode.Uri.joinPath(extension, 'dist')
  const media = vscode.Uri.joinPath(extension, 'media')
  const address = (folder: vscode.Uri, name: string): string => panel.webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString()
  panel.webview.options = { enableScripts: true, localResourceRoots: [dist, media] }
  panel.iconPath = { light: vscode.Uri.joinPath(media, 'file-light.svg'), dark: vscode.Uri.joinPath(media, 'file-dark.svg') }
  const nonce = randomBytes(16).toString('base64url')
  panel.webview.html = pageHtml(title, styles.map(style => address(media, style)), address(dist, script), panel.webview.cspSource, nonce)
}
