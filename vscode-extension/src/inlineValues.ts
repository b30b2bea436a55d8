// After a run, the first elements of each value at the end of its line, until the next edit.

import * as vscode from 'vscode'
import { Server } from './client'
import { fitting } from './lineText'
import { LineValue, Requests, RunResult } from './protocol'

const SETTING = 'inlineValues'

export class InlineValues implements vscode.Disposable {
  private readonly style = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 1.5em', color: new vscode.ThemeColor('uir.inlineValueForeground'), fontStyle: 'normal' },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  })
  private readonly values = new Map<string, LineValue[]>()
  private readonly subscriptions = [
    vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration(`uir.${SETTING}`)) this.draw()
    }),
  ]

  constructor(private readonly server: Server) {}

  dispose(): void {
    vscode.Disposable.from(this.style, ...this.subscriptions).dispose()
  }

  /** Asks for the values of a file that just ran; its outputs are those of the run. */
  async show(uri: vscode.Uri, version: number, { outputs = [] }: RunResult): Promise<void> {
    if (!enabled()) return
    const { values } = await this.server.request<{ values: LineValue[] }>(Requests.lineValues, { uri: uri.toString() })
    const document = vscode.workspace.textDocuments.find(one => one.uri.toString() === uri.toString())
    if (!document || document.version !== version) return
    const ran = new Map(outputs.map(output => [output.name, output]))
    this.values.set(uri.toString(), values.map(value => {
      const { text = value.text, whole = value.whole } = ran.get(value.name) ?? value
      return { ...value, text, ...(whole === undefined ? {} : { whole }) }
    }))
    this.draw()
  }

  hide(uri: vscode.Uri): void {
    if (this.values.delete(uri.toString())) this.draw()
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.languageId !== 'uir') continue
      const values = enabled() ? (this.values.get(editor.document.uri.toString()) ?? []) : []
      editor.setDecorations(this.style, values.map(value => decoration(editor.document, value)))
    }
  }
}

function enabled(): boolean {
  return vscode.workspace.getConfiguration('uir').get<boolean>(SETTING, true)
}

export async function toggleInlineValues(): Promise<void> {
  await vscode.workspace.getConfiguration('uir').update(SETTING, !enabled(), vscode.ConfigurationTarget.Global)
}

function decoration(document: vscode.TextDocument, { line, name, type, text, whole }: LineValue): vscode.DecorationOptions {
  const { text: before, range: { end } } = document.lineAt(Math.min(line, document.lineCount - 1))
  const hover = new vscode.MarkdownString(`\`${name}\` in the last run · [Hide these values](command:uir.toggleInlineValues)`)
  hover.appendCodeblock(whole ?? text)
  hover.isTrusted = { enabledCommands: ['uir.toggleInlineValues'] }
  return { range: new vscode.Range(end, end), hoverMessage: hover, renderOptions: { after: { contentText: fitting(text, before, type ?? '') } } }
}
