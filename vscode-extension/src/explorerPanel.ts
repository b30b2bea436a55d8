// The index map explorer as the editor knows it: one panel, that follows the edits of its file and is back after a reload.

import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from './client'
import { FileFollower } from './fileFollower'
import { Explored, FromExplorer, ToExplorer } from './explorer/messages'
import { IndexMapResult } from './explorer/model'
import { Requests } from './protocol'
import { givePage, PAGE_OPTIONS } from './page'

export const VIEW_TYPE = 'uir.indexMap'
const QUIET_MS = 200 // after an edit, before the maps are asked for again

interface Target {
  uri: vscode.Uri
  value: string | undefined // undefined: the first output; once it is shown, that value
}

export class ExplorerPanel implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined
  private ready = false
  private target: Target | undefined
  private readonly follower: FileFollower
  private readonly subscriptions: vscode.Disposable[]

  constructor(private readonly context: vscode.ExtensionContext, private readonly server: Server) {
    this.follower = new FileFollower(server, {
      quiet: QUIET_MS,
      uri: () => this.target?.uri.toString(),
      ready: () => this.target !== undefined && this.ready,
      ask: token => this.ask(token),
    })
    this.subscriptions = [this.follower, vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, this)]
  }

  dispose(): void {
    this.panel?.dispose()
    vscode.Disposable.from(...this.subscriptions).dispose()
  }

  /** Shows a value's maps, or those of the file's first output. */
  async open(uri: vscode.Uri, value: string | undefined): Promise<void> {
    this.target = { uri, value }
    if (this.panel) this.panel.reveal(this.panel.viewColumn)
    else this.take(vscode.window.createWebviewPanel(VIEW_TYPE, 'Index Maps', vscode.ViewColumn.Beside, PAGE_OPTIONS))
    await this.follower.now()
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    if (this.panel) panel.dispose()
    else this.take(panel)
  }

  private take(panel: vscode.WebviewPanel): void {
    this.panel = panel
    this.ready = false
    const listeners = vscode.Disposable.from(
      panel.webview.onDidReceiveMessage((message: FromExplorer) => void this.receive(message)),
      this.follower.take(panel),
    )
    panel.onDidDispose(() => {
      listeners.dispose()
      this.ready = false
      this.panel = undefined
      this.target = undefined
    })
    givePage(panel, this.context.extensionUri, 'Index Maps', ['panel.css', 'explorer.css'], 'explorer.js')
  }

  private async receive(message: FromExplorer): Promise<void> {
    if (message.type === 'goto') return this.goto(message.name)
    if (message.type === 'explore') {
      if (this.target) this.target.value = message.value
      return this.follower.now()
    }
    this.ready = true
    const { explored } = message
    if (!this.target && explored) this.target = { uri: vscode.Uri.parse(explored.file.uri, true), value: explored.value }
    await this.follower.now()
  }

  private async ask(token: vscode.CancellationToken): Promise<void> {
    const { target } = this
    if (!target) return
    const { uri, value } = target
    try {
      const result = await this.server.request<IndexMapResult>(Requests.indexMap, { uri: uri.toString(), ...(value === undefined ? {} : { value }) }, token)
      if (token.isCancellationRequested) return
      if (result.nodes && target === this.target) target.value = result.value
      this.show(uri, target.value, result)
    } catch (error) {
      if (!token.isCancellationRequested) this.post({ type: 'stale', message: error instanceof Error ? error.message : String(error) })
    }
  }

  private show(uri: vscode.Uri, value: string | undefined, result: IndexMapResult): void {
    const explored: Explored = { file: { uri: uri.toString(), name: path.posix.basename(uri.path) }, value, result }
    if (this.panel) this.panel.title = `Index Maps: ${result.value ?? explored.file.name}`
    this.post({ type: 'show', explored })
  }

  private post(message: ToExplorer): void {
    void this.panel?.webview.postMessage(message)
  }

  /** Puts the cursor on the line that defines a value. */
  private async goto(name: string): Promise<void> {
    if (!this.target) return
    const document = await vscode.workspace.openTextDocument(this.target.uri)
    const line = document.getText().split(/\r\n|\n|\r/).findIndex(text => text.replace(/#.*/s, '').trimStart().split(/\s*=/)[0]?.trim() === name)
    const seen = vscode.window.visibleTextEditors.find(editor => editor.document === document)?.viewColumn
    const place = new vscode.Position(Math.max(0, line), 0)
    await vscode.window.showTextDocument(document, { viewColumn: seen ?? vscode.ViewColumn.One, selection: new vscode.Range(place, place) })
  }
}
