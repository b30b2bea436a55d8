// The Run command: asks the server, shows the numbers in the panel and the verdict beside the value's lenses.

import { randomUUID } from 'node:crypto'
import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from './client'
import { withPatience } from './progress'
import { Requests, RunParams, RunResult } from './protocol'
import { explain, report, verdict } from './result'

const REFUSAL = 'Programs do not run in Restricted Mode, because this folder is not trusted.'

export class Runner implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly output = vscode.window.createOutputChannel('UIR Results', 'uir-result')
  /** The last result of each file, until its next edit. */
  private readonly results = new Map<string, RunResult>()
  private readonly changed = new vscode.EventEmitter<void>()
  readonly onDidChangeCodeLenses = this.changed.event
  private readonly subscriptions = [
    vscode.languages.registerCodeLensProvider({ language: 'uir' }, this),
    vscode.workspace.onDidChangeTextDocument(event => this.forget(event.document)),
    vscode.workspace.onDidCloseTextDocument(document => this.forget(document)),
  ]

  constructor(private readonly server: Server) {}

  dispose(): void {
    vscode.Disposable.from(this.output, this.changed, ...this.subscriptions).dispose()
  }

  async run(uri: vscode.Uri, value: string | undefined): Promise<void> {
    if (!vscode.workspace.isTrusted) return refuse() // the server checks again
    const name = path.basename(uri.path)
    let result: RunResult
    try {
      result = await withPatience(`Running ${name}`, (token, say) => this.ask(uri, value, token, say))
    } catch (error) {
      if (error instanceof vscode.CancellationError || isCancelled(error)) {
        vscode.window.setStatusBarMessage(`Run of ${name} cancelled`, 4_000)
        return
      }
      result = { ok: false, error: error instanceof Error ? error.message : String(error) }
    }
    await this.show(uri, name, result)
  }

  private async ask(uri: vscode.Uri, value: string | undefined, token: vscode.CancellationToken, say: (stage: string) => void): Promise<RunResult> {
    const settings = vscode.workspace.getConfiguration('uir.run', uri)
    const params: RunParams = {
      uri: uri.toString(),
      options: { noVerify: !settings.get<boolean>('verify', true), timeout: settings.get<number>('timeout', 10) },
      workDoneToken: randomUUID(),
    }
    if (value !== undefined) params.value = value
    const listening = this.server.onProgress(params.workDoneToken ?? '', say)
    try {
      return await this.server.request<RunResult>(Requests.run, params, token)
    } finally {
      listening.dispose()
    }
  }

  private async show(uri: vscode.Uri, name: string, result: RunResult): Promise<void> {
    this.output.append(report(`${name} · ${new Date().toLocaleTimeString('en-GB')}`, result) + '\n')
    if (result.outputs?.length) this.output.show(true)
    this.results.set(uri.toString(), result)
    this.changed.fire()
    if (!result.ok) await this.complain(uri, result)
  }

  /** One sentence and one button. */
  private async complain(uri: vscode.Uri, result: RunResult): Promise<void> {
    if (result.restricted) return refuse()
    const { sentence, mend } = explain(result.error ?? 'the run failed')
    const line = result.line ?? firstError(uri)
    const button = mend?.button ?? (line === undefined ? 'Show Result' : 'Go to Line')
    if ((await vscode.window.showErrorMessage(sentence, button)) !== button) return
    if (mend?.setting) await vscode.commands.executeCommand('workbench.action.openSettings', mend.setting)
    else if (mend?.command) await vscode.commands.executeCommand(mend.command)
    else if (line === undefined) this.output.show(true)
    else await vscode.window.showTextDocument(uri, { selection: new vscode.Range(line, 0, line, 0) })
  }

  /** Beside the lenses of each output: how it went, and a click to the numbers. */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const result = this.results.get(document.uri.toString())
    if (!result) return []
    const command = { title: verdict(result), command: 'uir.showResults' }
    const lines = (result.outputs ?? []).flatMap(({ name }) => definition(document, name))
    return lines.map(range => new vscode.CodeLens(range, command))
  }

  showResults(): void {
    this.output.show(true)
  }

  private forget(document: vscode.TextDocument): void {
    if (this.results.delete(document.uri.toString())) this.changed.fire()
  }
}

async function refuse(): Promise<void> {
  const button = 'Manage Trust'
  const pressed = await vscode.window.showWarningMessage(REFUSAL, button)
  if (pressed === button) await vscode.commands.executeCommand('workbench.trust.manage')
}

function firstError(uri: vscode.Uri): number | undefined {
  const errors = vscode.languages.getDiagnostics(uri).filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error)
  return errors.length > 0 ? Math.min(...errors.map(({ range }) => range.start.line)) : undefined
}

function isCancelled(error: unknown): boolean {
  const REQUEST_CANCELLED = -32800
  return typeof error === 'object' && error !== null && 'code' in error && error.code === REQUEST_CANCELLED
}

function definition(document: vscode.TextDocument, name: string): vscode.Range[] {
  for (let line = document.lineCount - 1; line >= 0; line--) {
    const { text, range } = document.lineAt(line)
    if (text.trimStart().startsWith(name) && /^\s*=/.test(text.trimStart().slice(name.length))) return [range]
  }
  return []
}
