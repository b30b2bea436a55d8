// Lights up the lines that belong together: of the .uir file, its C, its loops and its assembly, from whichever has the cursor.

import * as vscode from 'vscode'
import { linesBehind, linesFrom } from './linkedLines'
import { SCHEME, Views } from './views'

export class Lights implements vscode.Disposable {
  private readonly lit = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('uir.linkedLineBackground'),
    borderColor: new vscode.ThemeColor('uir.linkedLineBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    overviewRulerColor: new vscode.ThemeColor('uir.linkedLineBorder'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  })
  private readonly muted = vscode.window.createTextEditorDecorationType({ isWholeLine: true, opacity: '0.55', fontStyle: 'italic' })
  private readonly subscriptions: vscode.Disposable[]

  constructor(private readonly views: Views) {
    this.subscriptions = [
      vscode.window.onDidChangeTextEditorSelection(event => this.from(event.textEditor)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.all()),
      vscode.window.onDidChangeActiveTextEditor(() => this.all()),
      vscode.workspace.onDidChangeTextDocument(event => {
        if (event.document.uri.scheme === SCHEME) this.all()
      }),
    ]
    this.all()
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.lit, this.muted).dispose()
  }

  /** Everything anew, from the editor that has the cursor. */
  private all(): void {
    const editors = vscode.window.visibleTextEditors
    for (const editor of editors) {
      if (editor.document.uri.scheme === SCHEME) {
        editor.setDecorations(this.muted, this.views.isStale(editor.document.uri) ? [editor.document.lineAt(0).range] : [])
      } else if (editor.document.languageId === 'uir' && this.generated(editor).length === 0) {
        editor.setDecorations(this.lit, [])
      }
    }
    const active = vscode.window.activeTextEditor
    if (active && editors.includes(active)) this.from(active)
  }

  private from(editor: vscode.TextEditor): void {
    if (editor.document.uri.scheme === SCHEME) this.fromGenerated(editor)
    else if (editor.document.languageId === 'uir') this.fromSource(editor)
  }

  private fromSource(editor: vscode.TextEditor): void {
    const line = editor.selection.active.line
    let any = false
    for (const other of this.generated(editor)) {
      const lines = linesFrom(this.views.mapOf(other.document.uri)?.map ?? [], line)
      this.light(other, lines)
      any ||= lines.length > 0
    }
    this.light(editor, any ? [line] : [], false)
  }

  private fromGenerated(editor: vscode.TextEditor): void {
    const linked = this.views.mapOf(editor.document.uri)
    if (!linked) return
    const { start, end } = editor.selection
    const behind = linesBehind(linked.map, start.line, end.line)
    const sources = vscode.window.visibleTextEditors.filter(other => other.document.uri.toString() === linked.source)
    for (const source of sources) this.light(source, behind)
    const others = vscode.window.visibleTextEditors.filter(other => other !== editor && this.views.mapOf(other.document.uri)?.source === linked.source)
    for (const other of others) this.light(other, this.views.linesBetween(editor.document.uri, start.line, end.line, other.document.uri))
    const here = behind.length > 0 ? Array.from({ length: end.line - start.line + 1 }, (_, k) => start.line + k) : []
    this.light(editor, here, false)
  }

  private light(editor: vscode.TextEditor, lines: number[], reveal = true): void {
    const ranges = lines.filter(line => line < editor.document.lineCount).map(line => editor.document.lineAt(line).range)
    editor.setDecorations(this.lit, ranges)
    if (reveal) show(editor, ranges)
  }

  /** The visible generated documents of a source. */
  private generated(source: vscode.TextEditor): vscode.TextEditor[] {
    const address = source.document.uri.toString()
    return vscode.window.visibleTextEditors.filter(editor => this.views.mapOf(editor.document.uri)?.source === address)
  }
}

/** Scrolls no more than needed: all of the lines where they fit, else to the first, and not at all while one is seen. */
function show(editor: vscode.TextEditor, ranges: readonly vscode.Range[]): void {
  const [first, last] = [ranges[0], ranges.at(-1)]
  const window = editor.visibleRanges[0]
  if (!first || !last || !window) return
  const seen = ranges.filter(range => window.contains(range.start)).length
  const fits = last.end.line - first.start.line <= window.end.line - window.start.line - 2
  if (fits && seen < ranges.length) editor.revealRange(first.union(last), vscode.TextEditorRevealType.InCenter)
  else if (seen === 0) editor.revealRange(first, vscode.TextEditorRevealType.InCenter)
}
