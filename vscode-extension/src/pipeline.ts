// The pipeline view: asks the server for the stages of a program, follows its edits, and opens diffs of neighbours.

import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from './client'
import { FileFollower } from './fileFollower'
import { FromPipeline, Look, StageText, ToPipeline } from './pipeline/messages'
import { Requests, ShowAssemblyResult, StageAbout, StagesResult, StageTextResult } from './protocol'
import { givePage, PAGE_OPTIONS } from './page'
import { StageDocuments, StageTarget } from './stageDocuments'
import { preferredKind } from './views'

export const PIPELINE_VIEW = 'uir.pipeline'
const LOOK_KEY = 'uir.pipeline.look'
const QUIET_MS = 250 // after an edit
const ASSEMBLY: StageAbout = {
  name: 'assembly', title: 'Assembly', about: 'What the C compiler makes of it: instructions, labels and constants.',
  ms: null, nodes: null, lines: 0, changed: null, added: null, removed: null, rules: [], forms: ['asm'],
}

export class Pipeline implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined
  private look: Look = { plain: preferredKind() === 'textbook', forms: {}, changes: true, hide: true }
  private stages: StageAbout[] = []
  private assembly: StageAbout = ASSEMBLY
  private readonly follower: FileFollower
  private lit = -1 // the line that the page was told to light last
  private textRequest: vscode.CancellationTokenSource | undefined
  private readonly documents: StageDocuments
  private readonly subscriptions: vscode.Disposable[]

  constructor(private readonly context: vscode.ExtensionContext, private readonly server: Server) {
    this.documents = new StageDocuments(server)
    this.follower = new FileFollower(server, {
      quiet: QUIET_MS,
      uri: () => this.look.uri,
      ready: () => this.panel !== undefined && this.look.uri !== undefined,
      ask: token => this.ask(token),
    })
    this.subscriptions = [
      this.follower,
      this.documents,
      vscode.window.registerWebviewPanelSerializer(PIPELINE_VIEW, this),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => contentChanges.length > 0 && document.uri.toString() === this.look.uri && this.documents.follow(this.look.uri)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        if (selections[0]?.active.line !== this.lit) this.point(textEditor.document, selections[0]) // typing stays on its line
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.follower.later()),
    ]
  }

  dispose(): void {
    this.textRequest?.cancel()
    this.panel?.dispose()
    vscode.Disposable.from(...this.subscriptions).dispose()
  }

  /** Shows the stages of a file, or of a value of it. */
  async show(uri: vscode.Uri, value?: string): Promise<void> {
    this.look = { ...this.look, uri: uri.toString() }
    delete this.look.value
    if (value !== undefined) this.look.value = value
    await this.keepLook()
    if (this.panel) this.panel.reveal(undefined, true)
    else this.take(vscode.window.createWebviewPanel(PIPELINE_VIEW, 'Pipeline', { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { ...PAGE_OPTIONS, enableFindWidget: false }))
    await this.follower.now()
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    if (this.panel) return panel.dispose()
    this.take(panel)
  }

  private take(panel: vscode.WebviewPanel): void {
    this.panel = panel
    const listeners = vscode.Disposable.from(panel.webview.onDidReceiveMessage((message: FromPipeline) => void this.receive(message)), this.follower.take(panel))
    panel.onDidDispose(() => {
      listeners.dispose()
      this.textRequest?.cancel()
      this.panel = undefined
    })
    givePage(panel, this.context.extensionUri, 'Pipeline', ['pipeline.css'], 'pipeline.js')
  }

  private post(message: ToPipeline): void {
    void this.panel?.webview.postMessage(message)
  }

  private async receive(message: FromPipeline): Promise<void> {
    if (message.type === 'ready') {
      // Back after a reload. A window that ended at once may not have kept the page's own state.
      if (!this.look.uri) this.look = this.context.workspaceState.get<Look>(LOOK_KEY) ?? message.look ?? this.look
      await this.follower.now()
    } else if (message.type === 'look') {
      const other = message.look.plain !== this.look.plain
      this.look = message.look
      await this.keepLook()
      if (other) await this.follower.now()
    } else if (message.type === 'text') await this.sendText(message.stage, message.form)
    else if (message.type === 'diff') await this.openDiff(message.stage, message.form)
    else if (message.type === 'goto') await this.goto(message.line)
    else await vscode.commands.executeCommand('workbench.trust.manage')
  }

  private async keepLook(): Promise<void> {
    await this.context.workspaceState.update(LOOK_KEY, this.look)
  }

  // -- asking ------------------------------------------------------------------------------------------------------
  private params(options: object = {}): object {
    const { uri, value, plain } = this.look
    return { uri, options: { plain, ...options }, ...(value === undefined ? {} : { value }) }
  }

  private async ask(token: vscode.CancellationToken): Promise<void> {
    const { uri } = this.look
    if (!uri) return
    this.post({ type: 'busy', what: 'stages' })
    try {
      const found = await this.server.request<StagesResult>(Requests.stages, this.params(), token)
      if (token.isCancellationRequested) return
      this.stages = found.stages
      this.assembly = ASSEMBLY
      this.tell(uri, found)
    } catch (error) {
      if (!token.isCancellationRequested) this.tell(uri, { program: null, total_ms: 0, stages: [], stale: true, message: error instanceof Error ? error.message : String(error) })
    } finally {
      this.post({ type: 'busy', what: '' })
    }
  }

  private tell(uri: string, { program, total_ms, stages, message }: StagesResult): void {
    const file = path.posix.basename(vscode.Uri.parse(uri, true).path)
    if (this.panel) this.panel.title = `Pipeline: ${file}`
    const all = stages.length > 0 ? [...stages, this.assembly] : []
    this.post({ type: 'stages', look: this.look, stages: { file, value: this.look.value, program, total: total_ms, stages: all, message, restricted: !vscode.workspace.isTrusted } })
  }

  private async sendText(stage: string, form: string): Promise<void> {
    this.textRequest?.cancel()
    const request = (this.textRequest = new vscode.CancellationTokenSource())
    const nothing: StageText = { stage, form, language: form, lines: [], map: [], difference: null, before: null }
    this.post({ type: 'busy', what: stage })
    try {
      const text = stage === 'assembly' ? await this.assemblyText(nothing, request.token) : await this.stageText(nothing, request.token)
      if (!request.token.isCancellationRequested) this.post({ type: 'text', text })
    } catch (error) {
      if (!request.token.isCancellationRequested) this.post({ type: 'text', text: { ...nothing, message: error instanceof Error ? error.message : String(error) } })
    } finally {
      if (this.textRequest === request) this.post({ type: 'busy', what: '' })
      request.dispose()
    }
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.look.uri)
    if (editor) this.point(editor.document, editor.selection)
  }

  private async stageText(nothing: StageText, token: vscode.CancellationToken): Promise<StageText> {
    const { stage, form } = nothing
    const { language, text, map, difference, before, message } = await this.server.request<StageTextResult>(Requests.stageText, this.params({ stage, form }), token)
    return { ...nothing, language, lines: linesOf(text), map, difference, before, message }
  }

  private async assemblyText(nothing: StageText, token: vscode.CancellationToken): Promise<StageText> {
    const { asm, map, message } = await this.server.request<ShowAssemblyResult>(Requests.showAssembly, this.params(), token)
    return { ...nothing, lines: linesOf(asm), map, message }
  }

  // -- the editor --------------------------------------------------------------------------------------------------
  /** The cursor's line lights its lines of the stage. */
  private point(document: vscode.TextDocument, selection: vscode.Selection | undefined): void {
    if (!selection || document.uri.toString() !== this.look.uri) return
    this.lit = selection.active.line
    this.post({ type: 'lit', line: this.lit })
  }

  private async goto(line: number): Promise<void> {
    if (!this.look.uri) return
    const uri = vscode.Uri.parse(this.look.uri, true)
    const open = vscode.window.visibleTextEditors.find(editor => editor.document.uri.toString() === this.look.uri)
    const at = new vscode.Range(line, 0, line, 0)
    await vscode.window.showTextDocument(uri, { viewColumn: open?.viewColumn ?? vscode.ViewColumn.One, selection: at })
  }

  private async openDiff(stage: string, form: string): Promise<void> {
    const at = this.stages.findIndex(({ name }) => name === stage)
    const [before, after] = [this.stages[at - 1], this.stages[at]]
    if (!this.look.uri || !before || !after) return
    const target: StageTarget = { source: this.look.uri, value: this.look.value, plain: this.look.plain, stage, form }
    await this.documents.compare({ ...target, stage: before.name }, target, [before.title, after.title])
  }
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}
