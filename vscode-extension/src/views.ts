// Read-only documents made by the server from a .uir file: its generated C, its loops, its assembly. They follow the edits.

import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from './client'
import { linesBehind, linesFrom, linesMade, linesMadeFor, underBanner } from './linkedLines'
import { Origin, Requests, ShowAssemblyResult, ShowCResult, ShowLoopsResult } from './protocol'

export const SCHEME = 'uir-c'
const ASSEMBLY = 'uir-asm' // the language of assembly
const DEBOUNCE_MS = 120
const EMPTY: Content = { text: '', map: [], stale: false, above: 0, c: [] }

export type Kind = 'textbook' | 'fast' | 'loops'

/** What the address of such a document says: everything needed to make it again. */
interface Target {
  source: string
  value?: string
  loops?: boolean
  assembly?: boolean
}

/** The text, and where each of its lines comes from. `above`: lines of ours on top; `c`: lines of the C behind each line of assembly. */
interface Content {
  text: string
  map: Origin[][]
  stale: boolean
  above: number
  c: number[][]
}

interface View extends Content {
  target: Target
  kind: Kind
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
      vscode.languages.registerCodeLensProvider([{ scheme: SCHEME, language: 'c' }, { scheme: SCHEME, language: ASSEMBLY }], this),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.again()),
      vscode.workspace.onDidChangeTextDocument(event => this.follow(event.document)),
      vscode.workspace.onDidCloseTextDocument(document => this.forget(document.uri)),
      server.onHealth(health => {
        if (health.state === 'running') this.again()
      }),
    ]
  }

  dispose(): void {
    for (const view of this.views.values()) cancel(view)
    vscode.Disposable.from(...this.subscriptions, this.changed, this.otherKind).dispose()
  }

  async open(source: vscode.Uri, value: string | undefined, kind: Kind): Promise<void> {
    await this.openTarget({ source: source.toString(), ...(value === undefined ? {} : { value }), ...(kind === 'loops' ? { loops: true } : {}) }, kind)
  }

  /** The assembly of the program whose C is shown, else of the one that is run. */
  async openAssembly(source: vscode.Uri, value: string | undefined): Promise<void> {
    const target = { source: source.toString(), ...(value === undefined ? {} : { value }) }
    const kind = this.views.get(addressOf(target).toString())?.kind ?? 'fast'
    await this.openTarget({ ...target, assembly: true }, kind)
  }

  private async openTarget(target: Target, kind: Kind): Promise<void> {
    const uri = addressOf(target)
    const known = this.views.get(uri.toString())
    if (!known) this.views.set(uri.toString(), { target, kind, ...EMPTY })
    this.tellMenus()
    const document = await vscode.workspace.openTextDocument(uri)
    const language = target.assembly ? ASSEMBLY : target.loops ? 'uir' : 'c'
    if (document.languageId !== language) await vscode.languages.setTextDocumentLanguage(document, language)
    await vscode.window.showTextDocument(document, {
      viewColumn: columnOf(uri) ?? this.besideC(target) ?? vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
    })
  }

  /** Assembly stands beside the C that it is made of, where that is seen: three texts side by side. */
  private besideC({ source, assembly }: Target): vscode.ViewColumn | undefined {
    if (!assembly) return undefined
    const c = vscode.window.visibleTextEditors.find(({ document }) => document.languageId === 'c' && this.mapOf(document.uri)?.source === source)
    return c?.viewColumn && c.viewColumn + 1
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

  /** Lines of `other` that belong to lines `first`..`last` of `uri`, both generated from one source. */
  linesBetween(uri: vscode.Uri, first: number, last: number, other: vscode.Uri): number[] {
    const [from, to] = [this.views.get(uri.toString()), this.views.get(other.toString())]
    if (!from || !to) return []
    if (from.kind === to.kind && from.target.value === to.target.value) {
      if (to.c.length > 0 && !from.target.assembly) return linesMadeFor(to.c, first - from.above, last - from.above)
      if (from.c.length > 0 && !to.target.assembly) return linesMade(from.c, first, last).map(line => line + to.above)
    }
    const lines = linesBehind(from.map, first, last).flatMap(line => linesFrom(to.map, line))
    return [...new Set(lines)].sort((a, b) => a - b)
  }

  private again(): void {
    for (const key of this.views.keys()) this.later(vscode.Uri.parse(key, true))
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
      view = { target, kind: target.loops ? 'loops' : target.assembly ? 'fast' : preferredKind(), ...EMPTY }
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
      if (!view.text) view.text = comment(view.target.loops || view.target.assembly ? '#' : '//', error instanceof Error ? error.message : String(error)) + '\n'
    } finally {
      request.dispose()
    }
    this.changed.fire(uri)
  }

  private async fetch({ target, kind }: View, token: vscode.CancellationToken): Promise<Content> {
    const params = { uri: target.source, options: { plain: kind === 'textbook' }, ...(target.value === undefined ? {} : { value: target.value }) }
    if (target.loops) {
      const { loops, map, stale, message } = await this.server.request<ShowLoopsResult>(Requests.showLoops, { uri: target.source }, token)
      return withBanner('#', loops, map, stale, message)
    }
    if (target.assembly) {
      const { asm, map, lines, stale, restricted, message } = await this.server.request<ShowAssemblyResult>(Requests.showAssembly, params, token)
      return withBanner('#', asm, map, stale || restricted === true, message, lines)
    }
    const { c, map, stale, message } = await this.server.request<ShowCResult>(Requests.showC, params, token)
    return withBanner('//', c, map, stale, message)
  }
}

export function preferredKind(): Kind {
  return vscode.workspace.getConfiguration('uir').get<Kind>('generatedC.program', 'textbook')
}

function withBanner(mark: string, text: string, map: Origin[][], stale: boolean, message?: string, c: number[][] = []): Content {
  if (!stale && text) return { text, map, stale, above: 0, c }
  const banner = comment(mark, text ? `The last good program: ${lower(message ?? 'the file has errors now.')}` : (message ?? 'The file has errors.'))
  if (!text) return { ...EMPTY, text: `${banner}\n`, map: [[]], stale }
  return { ...underBanner(banner, text, map), stale, above: 1, c: c.length > 0 ? [[], ...c] : c }
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

function comment(mark: string, text: string): string {
  return `${mark} ${text.replace(/\s+/g, ' ')}`
}

function addressOf(target: Target): vscode.Uri {
  const source = vscode.Uri.parse(target.source, true)
  const name = path.posix.basename(source.path, '.uir') + (target.value ? ` ${target.value}` : '')
  const ending = target.loops ? '.loops.uir' : target.assembly ? '.uir-asm' : '.c'
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
