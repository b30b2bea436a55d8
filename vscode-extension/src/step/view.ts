// What VS Code's own debugger does not show: the loop program beside the file, the lines of the file that are computed,
// and what each line gave at its end.

import * as vscode from 'vscode'
import { TYPE } from './configuration'
import { LISTING, ListingEvent, MOMENT, Moment, SHOWN } from './moment'

export class StepView implements vscode.InlineValuesProvider, vscode.EvaluatableExpressionProvider, vscode.Disposable {
  private readonly computed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('uir.linkedLineBackground'),
    borderColor: new vscode.ThemeColor('uir.linkedLineBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    overviewRulerColor: new vscode.ThemeColor('uir.linkedLineBorder'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  })
  private readonly moments = new Map<string, Moment>()
  private readonly listings = new Map<string, vscode.Uri>()
  private readonly moved = new vscode.EventEmitter<void>()
  readonly onDidChangeInlineValues = this.moved.event
  private readonly subscriptions: vscode.Disposable[]

  constructor() {
    this.subscriptions = [
      vscode.debug.onDidReceiveDebugSessionCustomEvent(event => this.received(event)),
      vscode.debug.onDidTerminateDebugSession(session => void this.ended(session)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.light()),
      vscode.languages.registerInlineValuesProvider({ language: 'uir' }, this),
      vscode.languages.registerEvaluatableExpressionProvider({ language: 'uir' }, this),
    ]
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.computed, this.moved).dispose()
  }

  provideInlineValues(document: vscode.TextDocument, range: vscode.Range): vscode.InlineValue[] {
    const session = vscode.debug.activeDebugSession
    const moment = session && this.moments.get(session.id)
    if (!session || !moment || document.uri.toString() !== this.shownBy(session, moment)) return []
    return moment.notes
      .filter(({ line }) => range.start.line <= line && line <= range.end.line && line < document.lineCount)
      .map(({ line, text }) => new vscode.InlineValueText(document.lineAt(line).range, text))
  }

  /** Names with their %, so that a hover asks for the whole of it; in the file they mean the file's values. */
  provideEvaluatableExpression(document: vscode.TextDocument, position: vscode.Position): vscode.EvaluatableExpression | undefined {
    const range = document.getWordRangeAtPosition(position, /%[A-Za-z_0-9.]+/)
    if (!range) return undefined
    const name = document.getText(range)
    return new vscode.EvaluatableExpression(range, document.uri.scheme === 'debug' ? name : `file:${name}`)
  }

  private received({ session, event, body }: vscode.DebugSessionCustomEvent): void {
    if (session.type !== TYPE) return
    if (event === LISTING) void this.show(session, body as ListingEvent)
    if (event !== MOMENT) return
    this.moments.set(session.id, body as Moment)
    this.light(true)
    this.moved.fire()
  }

  /** Opens the loop program beside the file; only then does the program stop at its first line, in that editor. */
  private async show(session: vscode.DebugSession, { source }: ListingEvent): Promise<void> {
    try {
      if (source.sourceReference) {
        const uri = vscode.debug.asDebugSourceUri(source, session)
        this.listings.set(session.id, uri)
        const document = await vscode.workspace.openTextDocument(uri)
        if (document.languageId !== 'uir') await vscode.languages.setTextDocumentLanguage(document, 'uir')
        await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false })
      }
    } finally {
      await session.customRequest(SHOWN)
    }
  }

  private async ended(session: vscode.DebugSession): Promise<void> {
    const uri = this.listings.get(session.id)?.toString()
    this.moments.delete(session.id)
    this.listings.delete(session.id)
    this.light()
    const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs)
    const left = tabs.filter(tab => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri)
    if (left.length > 0) await vscode.window.tabGroups.close(left) // its text went with the session
  }

  private shownBy(session: vscode.DebugSession, moment: Moment): string {
    return (this.listings.get(session.id) ?? vscode.Uri.file(moment.path)).toString()
  }

  private light(reveal = false): void {
    const moments = [...this.moments.values()]
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.languageId !== 'uir' || editor.document.uri.scheme === 'debug') continue
      const lines = moments.filter(moment => vscode.Uri.file(moment.path).toString() === editor.document.uri.toString()).flatMap(moment => moment.lines)
      const ranges = lines.filter(line => line < editor.document.lineCount).map(line => editor.document.lineAt(line).range)
      editor.setDecorations(this.computed, ranges)
      const last = ranges.at(-1)
      if (reveal && last) editor.revealRange(last, vscode.TextEditorRevealType.InCenterIfOutsideViewport)
    }
  }
}
