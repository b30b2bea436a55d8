// The graph as the editor knows it: one panel, that follows the edits of its file and its cursor, and is back after a reload.

import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from '../client'
import { FileFollower } from '../fileFollower'
import { Requests } from '../protocol'
import { givePage, PAGE_OPTIONS } from '../page'
import { FromGraph, GraphFile, GraphResult, ToGraph } from './messages'

export const VIEW_TYPE = 'uir.graph'
const QUIET_MS = 400 // after an edit, before the graph is asked for again

export class GraphPanel implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined
  private ready = false
  private file: GraphFile | undefined
  private readonly follower: FileFollower
  private readonly subscriptions: vscode.Disposable[]

  constructor(private readonly context: vscode.ExtensionContext, private readonly server: Server) {
    this.follower = new FileFollower(server, {
      quiet: QUIET_MS,
      uri: () => this.file?.uri,
      ready: () => this.file !== undefined && this.ready,
      ask: token => this.ask(token),
    })
    this.subscriptions = [
      this.follower,
      vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, this),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
    ]
  }

  dispose(): void {
    this.panel?.dispose()
    vscode.Disposable.from(...this.subscriptions).dispose()
  }

  async open(uri: vscode.Uri): Promise<void> {
    this.file = { uri: uri.toString(), name: path.posix.basename(uri.path) }
    if (this.panel) this.panel.reveal(this.panel.viewColumn)
    else this.take(vscode.window.createWebviewPanel(VIEW_TYPE, 'Graph', vscode.ViewColumn.Beside, PAGE_OPTIONS))
    await this.follower.now()
  }

  /** Saves the drawing that is shown. */
  export(): void {
    if (this.panel && this.ready) this.post({ type: 'export' })
    else void vscode.window.showInformationMessage('Show the graph of a .uir file first.')
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    if (this.panel) panel.dispose()
    else this.take(panel)
  }

  private take(panel: vscode.WebviewPanel): void {
    this.panel = panel
    this.ready = false
    const listeners = vscode.Disposable.from(
      panel.webview.onDidReceiveMessage((message: FromGraph) => void this.receive(message)),
      this.follower.take(panel),
    )
    panel.onDidDispose(() => {
      listeners.dispose()
      this.ready = false
      this.panel = undefined
      this.file = undefined
    })
    givePage(panel, this.context.extensionUri, 'Graph', ['panel.css', 'graph.css'], 'graph.js')
  }

  private async receive(message: FromGraph): Promise<void> {
    if (message.type === 'goto') return this.goto(message.line)
    if (message.type === 'svg') return this.save(message.text)
    this.ready = true
    this.file ??= message.file
    await this.follower.now()
  }

  private async ask(token: vscode.CancellationToken): Promise<void> {
    const { file } = this
    if (!file) return
    try {
      const graph = await this.server.request<GraphResult>(Requests.graph, { uri: file.uri }, token)
      if (token.isCancellationRequested) return
      if (this.panel) this.panel.title = `Graph: ${file.name}`
      this.post({ type: 'graph', file, graph })
      const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === file.uri)
      if (editor) this.follow(editor)
    } catch (error) {
      if (!token.isCancellationRequested) this.post({ type: 'problem', file, text: error instanceof Error ? error.message : String(error) })
    }
  }

  private post(message: ToGraph): void {
    void this.panel?.webview.postMessage(message)
  }

  /** Lights the value that the cursor is on. */
  private follow({ document, selection }: vscode.TextEditor): void {
    if (this.panel?.visible && document.uri.toString() === this.file?.uri) this.post({ type: 'cursor', line: selection.active.line })
  }

  /** Shows a line of the file, its cursor on it; the keys stay with the drawing. */
  private async goto(line: number): Promise<void> {
    if (!this.file) return
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(this.file.uri, true))
    const viewColumn = vscode.window.visibleTextEditors.find(editor => editor.document === document)?.viewColumn ?? otherColumn(this.panel)
    const place = new vscode.Position(line, 0)
    const editor = await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, selection: new vscode.Range(place, place) })
    editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport)
  }

  private async save(text: string): Promise<void> {
    if (!this.file) return
    const source = vscode.Uri.parse(this.file.uri, true)
    const name = path.posix.basename(source.path).replace(/\.uir$/, '') + '.svg'
    const defaultUri = source.with({ path: path.posix.join(path.posix.dirname(source.path), name) })
    const target = await vscode.window.showSaveDialog({ defaultUri, filters: { 'SVG drawing': ['svg'] }, title: 'Save the Graph as SVG' })
    if (!target) return
    try {
      await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text))
    } catch (error) {
      void vscode.window.showErrorMessage(`The drawing could not be saved: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** A column for the text when it is not open: any but the drawing's. */
function otherColumn(panel: vscode.WebviewPanel | undefined): vscode.ViewColumn {
  return panel?.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One
}
