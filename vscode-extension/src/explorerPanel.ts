// The index map explorer as the editor knows it: one panel, that follows the edits of its file and is back after a reload.

import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from './client'
import { Explored, FromExplorer, ToExplorer } from './explorer/messages'
import { IndexMapResult } from './explorer/model'
import { Requests } from './protocol'
import { givePage } from './page'

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
  private waiting = false // something changed that is not asked for yet
  private timer: NodeJS.Timeout | undefined
  private request: vscode.CancellationTokenSource | undefined
  private readonly subscriptions: vscode.Disposable[]

  constructor(private readonly context: vscode.ExtensionContext, private readonly server: Server) {
    this.subscriptions = [
      vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, this),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document.uri.toString() === this.target?.uri.toString()) this.later()
      }),
      server.onHealth(({ state }) => {
        if (state === 'running') this.later()
      }),
    ]
  }

  dispose(): void {
    clearTimeout(this.timer)
    this.request?.cancel()
    this.panel?.dispose()
    vscode.Disposable.from(...this.subscriptions).dispose()
  }

  /** Shows a value's maps, or those of the file's first output. */
  async open(uri: vscode.Uri, value: string | undefined): Promise<void> {
    this.target = { uri, value }
    if (this.panel) this.panel.reveal(this.panel.viewColumn)
    else this.take(vscode.window.createWebviewPanel(VIEW_TYPE, 'Index Maps', vscode.ViewColumn.Beside))
    if (this.ready) await this.refresh()
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
      panel.onDidChangeViewState(() => this.waiting && panel.visible && this.later()),
    )
    panel.onDidDispose(() => {
      listeners.dispose()
      clearTimeout(this.timer)
      this.request?.cancel()
      this.panel = undefined
      this.target = undefined
    })
    givePage(panel, this.context.extensionUri, 'Index Maps', ['panel.css', 'explorer.css'], 'explorer.js')
  }

  private async receive(message: FromExplorer): Promise<void> {
    if (message.type === 'goto') return this.goto(message.name)
    if (message.type === 'explore') {
      if (this.target) this.target.value = message.value
      return this.refresh()
    }
    this.ready = true
    const { explored } = message
    if (!this.target && explored) this.target = { uri: vscode.Uri.parse(explored.file.uri, true), value: explored.value }
    await this.refresh()
  }

  private later(): void {
    clearTimeout(this.timer)
    this.waiting = true
    this.timer = setTimeout(() => this.panel?.visible && void this.refresh(), QUIET_MS)
  }

  private async refresh(): Promise<void> {
    const { target } = this
    if (!target || !this.panel || !this.ready) return
    this.request?.cancel()
    const request = new vscode.CancellationTokenSource()
    this.request = request
    this.waiting = false
    const { uri, value } = target
    try {
      const result = await this.server.request<IndexMapResult>(Requests.indexMap, { uri: uri.toString(), ...(value === undefined ? {} : { value }) }, request.token)
      if (request.token.isCancellationRequested) return
      if (result.nodes && target === this.target) target.value = result.value
      this.show(uri, target.value, result)
    } catch (error) {
      if (!request.token.isCancellationRequested) this.post({ type: 'stale', message: error instanceof Error ? error.message : String(error) })
    } finally {
      request.dispose()
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
