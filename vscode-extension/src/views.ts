// Read-only documents made by the server from a .uir file: its generated C, its loops. They follow the edits.

import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from './client'
import { underBanner } from './linkedLines'
import { Origin, Requests, ShowCResult, ShowLoopsResult } from './protocol'

export const SCHEME = 'uir-c'
const DEBOUNCE_MS = 120

export type Kind = 'textbook' | 'fast' | 'loops'

/** What the address of such a document says: everything needed to make it again. */
interface Target {
  source: string
  value?: string
  loops?: boolean
}

interface View {
  target: Target
  kind: Kind
  text: string
  map: Origin[][]
  stale: boolean
  timer?: NodeJS.Timeout | undefined
  request?: vscode.CancellationTokenSource | undefined
}

export class Views implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable {
  private readonly views = new Map<string, View>()
  private readonly changed = new vscode.EventEmitter<vscode.Uri>()
  readonly onDidChange = this.changed.event
  private readonly otherKind = new vscode.EventEmitter<void>()
  readonly onDidChangeCodeLenses = this.otherKind.event
  private readonly subscriptions: vscode.Disposable[]

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME, language: 'c' }, this),
      vscode.workspace.onDidChangeTextDocument(event => this.follow(event.document)),
      vscode.workspace.onDidCloseTextDocument(document => this.forget(document.uri)),
      server.onHealth(health => {
        if (health.state === 'running') for (const key of this.views.keys()) this.later(vscode.Uri.parse(key, true))
      }),
    ]
  }

  dispose(): void {
    for (const view of this.views.values()) cancel(view)
    vscode.Disposable.from(...this.subscriptions, this.changed, this.otherKind).dispose()
  }

  async open(source: vscode.Uri, value: string | undefined, kind: Kind): Promise<void> {
    const target: Target = { source: source.toString() }
    if (value !== undefined) target.value = value
    if (kind === 'loops') target.loops = true
    const uri = addressOf(target)
    const known = this.views.get(uri.toString())
    if (!known) this.views.set(uri.toString(), { target, kind, text: '', map: [], stale: false })
    this.tellMenus()
    const document = await vscode.workspace.openTextDocument(uri)
    const language = kind === 'loops' ? 'uir' : 'c'
    if (document.languageId !== language) await vscode.languages.setTextDocumentLanguage(document, language)
    await vscode.window.showTextDocument(document, {
      viewColumn: columnOf(uri) ?? vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
    })
  }

  /** Shows the other of the two programs in the same place. */
  async change(uri: vscode.Uri, kind: Kind): Promise<void> {
    const view = this.views.get(uri.toString())
    if (!view) return
    view.kind = kind
    this.tellMenus()
    this.otherKind.fire()
    await this.refresh(uri)
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const view = this.viewOf(uri)
    if (!view.text) await this.refresh(uri)
    return view.text
  }

  /** Above the C: which program this is, and a click to the other. */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const fast = this.views.get(document.uri.toString())?.kind === 'fast'
    const [title, command] = fast
      ? ['the program as run · show the textbook program', 'uir.showTextbookC']
      : ['the textbook program · show it as run', 'uir.showFastC']
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command, arguments: [document.uri] })]
  }

  isStale(uri: vscode.Uri): boolean {
    return this.views.get(uri.toString())?.stale ?? false
  }

  /** The source's address and the map of a generated document. */
  mapOf(uri: vscode.Uri): { source: string; map: Origin[][] } | undefined {
    const view = this.views.get(uri.toString())
    return view && { source: view.target.source, map: view.map }
  }

  /** The title's button offers the program that is not shown, also while the cursor is elsewhere. */
  private tellMenus(): void {
    const fast = [...this.views].filter(([, view]) => view.kind === 'fast').map(([key]) => key)
    void vscode.commands.executeCommand('setContext', 'uir.showingFast', fast)
  }

  private viewOf(uri: vscode.Uri): View {
    let view = this.views.get(uri.toString())
    if (!view) {
      const target = JSON.parse(uri.query) as Target
      view = { target, kind: target.loops ? 'loops' : preferredKind(), text: '', map: [], stale: false }
      this.views.set(uri.toString(), view)
    }
    return view
  }

  private follow(document: vscode.TextDocument): void {
    if (document.languageId !== 'uir') return
    const source = document.uri.toString()
    for (const [key, view] of this.views) {
      if (view.target.source === source) this.later(vscode.Uri.parse(key, true))
    }
  }

  private later(uri: vscode.Uri): void {
    const view = this.views.get(uri.toString())
    if (!view) return
    clearTimeout(view.timer)
    view.timer = setTimeout(() => void this.refresh(uri), DEBOUNCE_MS)
  }

  private forget(uri: vscode.Uri): void {
    const view = uri.scheme === SCHEME && this.views.get(uri.toString())
    if (!view) return
    cancel(view)
    this.views.delete(uri.toString())
  }

  private async refresh(uri: vscode.Uri): Promise<void> {
    const view = this.views.get(uri.toString())
    if (!view) return
    cancel(view)
    const request = new vscode.CancellationTokenSource()
    view.request = request
    try {
      const fresh = await this.fetch(view, request.token)
      if (!request.token.isCancellationRequested) Object.assign(view, fresh)
    } catch (error) {
      if (request.token.isCancellationRequested) return
      if (!view.text) view.text = comment(view.kind, error instanceof Error ? error.message : String(error)) + '\n'
    } finally {
      request.dispose()
    }
    this.changed.fire(uri)
  }

  private async fetch(view: View, token: vscode.CancellationToken): Promise<Pick<View, 'text' | 'map' | 'stale'>> {
    const { source, value } = view.target
    if (view.kind === 'loops') {
      const { loops, stale, message } = await this.server.request<ShowLoopsResult>(Requests.showLoops, { uri: source }, token)
      return withBanner(view.kind, loops, [], stale, message)
    }
    const params = { uri: source, options: { plain: view.kind === 'textbook' }, ...(value === undefined ? {} : { value }) }
    const { c, map, stale, message } = await this.server.request<ShowCResult>(Requests.showC, params, token)
    return withBanner(view.kind, c, map, stale, message)
  }
}

export function preferredKind(): Kind {
  return vscode.workspace.getConfiguration('uir').get<Kind>('generatedC.program', 'textbook')
}

function withBanner(kind: Kind, text: string, map: Origin[][], stale: boolean, message?: string): Pick<View, 'text' | 'map' | 'stale'> {
  if (!stale && text) return { text, map, stale }
  const banner = comment(kind, text ? `The last good program: ${lower(message ?? 'the file has errors now.')}` : (message ?? 'The file has errors.'))
  return text ? { ...underBanner(banner, text, map), stale } : { text: `${banner}\n`, map: [[]], stale }
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

function comment(kind: Kind, text: string): string {
  return `${kind === 'loops' ? '#' : '//'} ${text.replace(/\s+/g, ' ')}`
}

function addressOf(target: Target): vscode.Uri {
  const source = vscode.Uri.parse(target.source, true)
  const name = path.posix.basename(source.path, '.uir') + (target.value ? ` ${target.value}` : '')
  const ending = target.loops ? '.loops.uir' : '.c'
  return vscode.Uri.from({
    scheme: SCHEME,
    path: path.posix.join(path.posix.dirname(source.path), name + ending),
    query: JSON.stringify(target),
  })
}

function columnOf(uri: vscode.Uri): vscode.ViewColumn | undefined {
  return vscode.window.visibleTextEditors.find(editor => editor.document.uri.toString() === uri.toString())?.viewColumn
}

function cancel(view: View): void {
  clearTimeout(view.timer)
  view.timer = undefined
  view.request?.cancel()
  view.request = undefined
}
