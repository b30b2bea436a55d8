// The line that a run died in, or was stopped in: what happened stands at its end until the next edit or run.

import * as vscode from 'vscode'

export class FaultMark implements vscode.Disposable {
  private readonly style = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 1.5em', color: new vscode.ThemeColor('errorForeground') },
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.errorForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Right,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  })
  private readonly subscription = vscode.window.onDidChangeVisibleTextEditors(() => this.draw())
  private fault: { uri: string; line: number; text: string } | undefined

  dispose(): void {
    vscode.Disposable.from(this.style, this.subscription).dispose()
  }

  /** `sentence` may begin with the place, which the mark itself shows. */
  show(uri: vscode.Uri, line: number, sentence: string): void {
    this.fault = { uri: uri.toString(), line, text: `✗ ${sentence.replace(/^Line \d+: (%\S+: )?/, '').replace(/\.$/, '')}` }
    this.draw()
  }

  hide(): void {
    if (!this.fault) return
    this.fault = undefined
    this.draw()
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.style, this.of(editor.document))
  }

  private of(document: vscode.TextDocument): vscode.DecorationOptions[] {
    const { fault } = this
    if (fault?.uri !== document.uri.toString() || fault.line >= document.lineCount) return []
    const { end } = document.lineAt(fault.line).range
    return [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText: fault.text } } }]
  }
}
