// The Run command: asks the server, and tells the panel, the lenses and the ends of the lines how it went.

import { randomUUID } from 'node:crypto'
import * as vscode from 'vscode'
import { Server } from './client'
import { FaultMark } from './faultMark'
import { InlineValues } from './inlineValues'
import { MachinePeak } from './machinePeak'
import { Elements, EMPTY, FromPanel, PanelState, Problem, ShownRun } from './panel/messages'
import { Slice } from './panel/slicing'
import { InputAbout, InputEditResult, Notifications, Requests, RunParams, RunResult, ValuesResult } from './protocol'
import { explain, Mend, verdict } from './result'
import { arraysIn, chooseArrays, saveOutput } from './resultFiles'
import { PanelOwner, ResultPanel } from './resultPanel'
import { Results } from './results'

const RESTRICTED: Problem = {
  kind: 'restricted',
  sentence: 'Programs do not run in Restricted Mode, because this folder is not trusted.',
  button: 'Manage Trust',
}
const QUIET_MS = 300 // after an edit, before the inputs are asked for again

interface Running {
  uri: vscode.Uri
  cancel: vscode.CancellationTokenSource
}

export class Runner implements vscode.CodeLensProvider, PanelOwner, vscode.Disposable {
  private readonly panel: ResultPanel
  private readonly results: Results
  private readonly inline: InlineValues
  private readonly fault = new FaultMark()
  private readonly peak: MachinePeak
  private readonly changed = new vscode.EventEmitter<void>()
  readonly onDidChangeCodeLenses = this.changed.event
  private readonly subscriptions: vscode.Disposable[]
  private current: vscode.Uri | undefined
  private running: Running | undefined
  private readonly looks = new Map<string, Record<string, Slice[]>>() // by the file and the output, what the panel shows of it
  private elements: { uri: string; time: number; elements: Elements[] } | undefined
  private mendNow: (() => unknown) | undefined
  private wanted: { uri: vscode.Uri; value: string | undefined } | undefined // when the folder is trusted
  private quiet: NodeJS.Timeout | undefined

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.panel = new ResultPanel(context, this)
    this.results = new Results(context.workspaceState)
    this.inline = new InlineValues(server)
    this.peak = new MachinePeak(server)
    this.subscriptions = [
      vscode.languages.registerCodeLensProvider({ language: 'uir' }, this),
      vscode.workspace.onDidChangeTextDocument(event => event.contentChanges.length > 0 && this.edited(event.document)),
      vscode.workspace.onDidCloseTextDocument(document => this.closedDocument(document)),
      vscode.window.onDidChangeActiveTextEditor(editor => this.follow(editor?.document)),
    ]
  }

  dispose(): void {
    clearTimeout(this.quiet)
    this.running?.cancel.cancel()
    vscode.Disposable.from(this.panel, this.inline, this.fault, this.peak, this.changed, ...this.subscriptions).dispose()
  }

  // -- running -----------------------------------------------------------------------------------------------------
  async run(uri: vscode.Uri, value: string | undefined): Promise<void> {
    const began = Date.now()
    this.running?.cancel.cancel()
    this.peak.hold()
    this.fault.hide()
    this.current = uri
    Object.assign(this.results.of(uri), { problem: undefined, line: undefined })
    if (!vscode.workspace.isTrusted) {
      void this.panel.show()
      void this.askInputs(uri)
      return this.refuse(uri, value) // the server checks again
    }
    const running = (this.running = { uri, cancel: new vscode.CancellationTokenSource() })
    const shown: ShownRun = { time: 0, value, result: { ok: false } }
    const arrived = (result: RunResult) => {
      shown.time ||= Date.now()
      shown.result = { ...result, times: { ...result.times, began, answered: shown.time } }
    }
    const asking = this.outcome(uri, value, running.cancel.token, early => {
      if (this.running !== running || !early.outputs?.length) return
      arrived(early)
      this.show(uri, shown)
    })
    const opening = this.panel.show() // while the server is at work
    this.panel.update()
    const text = documentOf(uri)?.getText()
    const result = (await asking) ?? unverified(shown)
    if (this.running === running) this.running = undefined
    running.cancel.dispose()
    if (result) {
      arrived(result)
      await this.take(uri, shown, text)
    }
    this.panel.update()
    await opening
    void this.askInputs(uri)
  }

  /** The result of a run; undefined when it was cancelled. `early` takes it before it is verified, if that takes long. */
  private async outcome(uri: vscode.Uri, value: string | undefined, token: vscode.CancellationToken, early: (result: RunResult) => void): Promise<RunResult | undefined> {
    try {
      return await this.ask(uri, value, token, early)
    } catch (error) {
      if (token.isCancellationRequested || error instanceof vscode.CancellationError || isCancelled(error)) return undefined
      return { ok: false, error: error instanceof Error ? error.message : String(error) }
    }
  }

  private async ask(uri: vscode.Uri, value: string | undefined, token: vscode.CancellationToken, early: (result: RunResult) => void): Promise<RunResult> {
    const settings = vscode.workspace.getConfiguration('uir.run', uri)
    const [workDoneToken, partialResultToken] = [randomUUID(), randomUUID()]
    const limits = { timeout: settings.get<number>('timeout', 10), memory: settings.get<number>('memory', 4096), operations: settings.get<number>('operations', 1000) * 1e9 }
    const params: RunParams = {
      uri: uri.toString(),
      options: { noVerify: !settings.get<boolean>('verify', true), ...limits, keep: true, look: this.looks.get(uri.toString()) ?? {} },
      workDoneToken,
      partialResultToken,
    }
    if (value !== undefined) params.value = value
    const listening = vscode.Disposable.from(
      this.server.onProgress(workDoneToken, text => this.panel.post({ type: 'stage', text })),
      this.server.onPartialResult(partialResultToken, early),
    )
    try {
      return await this.server.request<RunResult>(Requests.run, params, token)
    } finally {
      listening.dispose()
    }
  }

  /** The result first; once it is seen, what follows from it. */
  private async take(uri: vscode.Uri, run: ShownRun, text: string | undefined): Promise<void> {
    if (run.result.restricted) return this.refuse(uri, run.value)
    if (run.result.error === 'cancelled') return
    if (run.result.outputs?.length) {
      this.show(uri, run)
      await this.panel.untilSeen(run.time)
      void this.results.remember(uri, run, text)
      const { result } = run
      this.peak.later(uri, result, speed => {
        result.speed = speed
        this.panel.update()
      })
      const document = documentOf(uri)
      if (document) void this.inline.show(uri, document.version, result).catch(() => undefined) // only an extra
    } else {
      this.complain(uri, run.value, run.result)
      if (typeof run.result.build_ms === 'number') void this.results.remember(uri, run, text) // it was more than a fault in the file
    }
    this.changed.fire()
  }

  /** What a run gave is seen; what came of its elements goes to the panel alone. */
  private show(uri: vscode.Uri, run: ShownRun): void {
    const { elements, result } = withoutElements(run.result)
    run.result = result
    if (elements.length > 0) this.elements = { uri: uri.toString(), time: run.time, elements }
    this.results.set(uri, { ...run })
    this.panel.update()
  }

  private refuse(uri: vscode.Uri, value: string | undefined): void {
    this.results.of(uri).problem = RESTRICTED
    this.mendNow = () => {
      this.wanted = { uri, value }
      return vscode.commands.executeCommand('workbench.trust.manage')
    }
    this.panel.update()
  }

  /** The folder is trusted now, and the server knows it: what was asked for, and refused, goes on. */
  trusted(): void {
    const { current, wanted } = this
    this.wanted = undefined
    if (!current || this.results.of(current).problem !== RESTRICTED) return
    this.results.of(current).problem = undefined
    this.panel.update()
    if (wanted?.uri.toString() === current.toString()) void this.run(current, wanted.value)
  }

  /** One sentence and one button. */
  private complain(uri: vscode.Uri, value: string | undefined, result: RunResult): void {
    const { sentence, mend } = explain((result.error ?? 'the run failed').replace(/ \[[a-z][a-z-]*\]/, '')) // its code says nothing more
    const line = result.line ?? firstError(uri)
    const button = mend?.button ?? (line === undefined ? 'Show Log' : `Go to Line ${line + 1}`)
    const place = mend && line !== undefined ? { line: line + 1 } : {}
    Object.assign(this.results.of(uri), { problem: { kind: 'error', sentence, button, ...place }, run: undefined })
    if (result.line !== undefined && result.line !== null && firstError(uri) === undefined) this.fault.show(uri, result.line, sentence)
    this.mendNow = async () => {
      if (await mended(uri, mend, line)) await this.run(uri, value) // what was missing is there now
    }
  }

  // -- the panel ---------------------------------------------------------------------------------------------------
  async showResults(): Promise<void> {
    this.follow(vscode.window.activeTextEditor?.document)
    await this.panel.show(true)
    if (this.current) void this.askInputs(this.current)
    this.panel.update()
  }

  /** The elements of the run that is shown, if they came with it. */
  elementsOf(state: PanelState): Elements[] | undefined {
    const { elements } = this
    return elements?.time === state.run?.time && elements?.uri === state.file?.uri ? elements?.elements : undefined
  }

  state(): PanelState {
    return this.current ? this.results.state(this.current, this.running?.uri.toString() === this.current.toString()) : EMPTY
  }

  /** The web view remembers what it showed; a window that ended at once may not have kept that, the last run is. */
  restored(before: PanelState | undefined): void {
    const last = this.results.last()
    const newer = (before?.run?.time ?? 0) < (last?.run.time ?? 0)
    const uri = newer ? last?.uri : before?.file?.uri
    const run = newer ? last?.run : before?.run
    if (!uri || !run) return
    this.current = vscode.Uri.parse(uri, true)
    Object.assign(this.results.of(this.current), { run: { ...run, result: { ...run.result, run: null } } })
    void this.askInputs(this.current)
  }

  closed(): void {
    this.elements = undefined
    for (const document of vscode.workspace.textDocuments) if (document.languageId === 'uir') this.forget(document.uri)
    if (this.current) this.forget(this.current)
  }

  receive(message: FromPanel): void {
    const uri = this.current
    if (message.type === 'run') this.again(uri)
    else if (message.type === 'cancel') this.running?.cancel.cancel()
    else if (message.type === 'mend') void this.mendNow?.()
    else if (message.type === 'copy') void vscode.env.clipboard.writeText(message.text)
    else if (!uri) return message.type === 'values' ? this.panel.post({ type: 'gone', request: message.request, reason: 'the values of this run are no longer kept: run again' }) : undefined
    else if (message.type === 'look') this.looks.set(uri.toString(), { ...this.looks.get(uri.toString()), [message.output]: message.slice })
    else if (message.type === 'values') void this.fetch(uri, message)
    else if (message.type === 'input') void this.setInput(uri, message.slot, message.source)
    else if (message.type === 'browse') void this.browse(uri, message.slot)
    else if (message.type === 'arrays') void arraysIn(this.server, uri, message.slot, message.path).then(answer => this.panel.post(answer))
    else if (message.type === 'save') void saveOutput(this.server, uri, message.run, message.output)
    else if (message.type === 'showFile') void reveal(uri)
    else if (message.type === 'goto') void goTo(uri, message.name)
    else if (message.type === 'gotoLine') void reveal(uri, new vscode.Range(message.line - 1, 0, message.line - 1, 0))
  }

  /** The same again; with nothing shown yet, the program that is open. */
  private again(uri: vscode.Uri | undefined): void {
    const open = vscode.window.visibleTextEditors.map(({ document }) => document).find(({ languageId, uri: { scheme } }) => languageId === 'uir' && scheme !== 'uir-c')
    const target = uri ?? open?.uri
    if (target) void this.run(target, this.results.of(target).run?.value)
    else void vscode.window.showInformationMessage('Open a .uir file first.')
  }

  private async fetch(uri: vscode.Uri, { request, run, output, slice }: Extract<FromPanel, { type: 'values' }>): Promise<void> {
    try {
      const answer = await this.server.request<ValuesResult>(Requests.values, { uri: uri.toString(), run, output, slice })
      if ('gone' in answer) return this.panel.post({ type: 'gone', request, reason: answer.gone })
      const { dtype, shape, data } = answer
      this.panel.post({ type: 'values', request, dtype, shape, bytes: new Uint8Array(Buffer.from(data, 'base64')) })
    } catch (error) {
      this.panel.post({ type: 'gone', request, reason: error instanceof Error ? error.message : String(error) })
    }
  }

  // -- inputs ------------------------------------------------------------------------------------------------------
  private async askInputs(uri: vscode.Uri): Promise<void> {
    try {
      const { inputs } = await this.server.request<{ inputs: InputAbout[] }>(Requests.inputs, { uri: uri.toString() })
      this.results.of(uri).inputs = inputs
      if (this.current?.toString() === uri.toString()) this.panel.update()
    } catch (error) {
      this.server.log.debug(`inputs: ${String(error)}`)
    }
  }

  private async setInput(uri: vscode.Uri, slot: number, source: string): Promise<void> {
    const answer = await this.server.request<InputEditResult>(Requests.inputEdit, { uri: uri.toString(), slot, source })
    if ('error' in answer) return this.panel.post({ type: 'inputError', slot, error: answer.error })
    const edit = new vscode.WorkspaceEdit()
    for (const { range: { start, end }, newText } of answer.edits) {
      edit.replace(uri, new vscode.Range(start.line, start.character, end.line, end.character), newText)
    }
    await vscode.workspace.applyEdit(edit)
  }

  private async browse(uri: vscode.Uri, slot: number): Promise<void> {
    const path = await chooseArrays(uri)
    if (path) this.panel.post({ type: 'path', slot, path })
  }

  // -- documents ---------------------------------------------------------------------------------------------------
  private edited(document: vscode.TextDocument): void {
    if (document.languageId !== 'uir' || !this.results.has(document.uri)) return
    const known = this.results.of(document.uri)
    this.inline.hide(document.uri)
    this.fault.hide()
    this.changed.fire()
    if (!known.edited || known.problem) {
      known.edited = true
      if (known.problem?.kind === 'error') known.problem = undefined // it may be mended
      if (this.current?.toString() === document.uri.toString()) this.panel.update()
    }
    clearTimeout(this.quiet)
    this.quiet = setTimeout(() => void this.askInputs(document.uri), QUIET_MS)
  }

  private closedDocument(document: vscode.TextDocument): void {
    if (this.current?.toString() !== document.uri.toString()) this.forget(document.uri)
  }

  /** The panel shows the file that has the cursor, if it has run. */
  private follow(document: vscode.TextDocument | undefined): void {
    if (document?.languageId !== 'uir' || document.uri.scheme === 'uir-c') return
    if (!this.results.has(document.uri) && this.current) return
    this.current = document.uri
    if (this.panel.isOpen) {
      void this.askInputs(document.uri)
      this.panel.update()
    }
  }

  private forget(uri: vscode.Uri): void {
    if (this.results.has(uri)) void this.server.notify(Notifications.forget, { uri: uri.toString() })
  }

  /** Beside the lenses of each output: how it went, and a click to the numbers. */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const { run, edited } = this.results.has(document.uri) ? this.results.of(document.uri) : { edited: true }
    if (!run || edited) return []
    const command = { title: verdict(run.result), command: 'uir.showResults' }
    return (run.result.outputs ?? []).flatMap(({ name }) => definition(document, name)).map(range => new vscode.CodeLens(range, command))
  }
}

/** What is left of a run that was stopped: its result, if that was there already. */
function unverified({ time, result }: ShownRun): RunResult | undefined {
  return time ? { ...result, verifying: false, notes: [...(result.notes ?? []), 'the verification was stopped'] } : undefined
}

/** A result without the elements that came with it, and those. */
function withoutElements(result: RunResult): { result: RunResult; elements: Elements[] } {
  const elements = (result.outputs ?? []).flatMap(({ name, dtype, part }) =>
    part === undefined ? [] : [{ output: name, dtype, slice: part.slice, shape: part.shape, bytes: new Uint8Array(Buffer.from(part.data, 'base64')) }])
  const outputs = result.outputs?.map(output => ({ ...output, part: undefined }))
  return { elements, result: outputs ? { ...result, outputs } : result }
}

/** Whether it is worth another try. */
async function mended(uri: vscode.Uri, mend: Mend | undefined, line: number | undefined): Promise<boolean> {
  if (mend?.command) return (await vscode.commands.executeCommand<unknown>(mend.command)) === true
  if (mend?.setting) await vscode.commands.executeCommand('workbench.action.openSettings', mend.setting)
  else if (line === undefined) await vscode.commands.executeCommand('uir.showLog')
  else await reveal(uri, new vscode.Range(line, 0, line, 0))
  return false
}

/** Shows the file where it is open already. */
async function reveal(uri: vscode.Uri, selection?: vscode.Range): Promise<void> {
  const open = vscode.window.visibleTextEditors.find(editor => editor.document.uri.toString() === uri.toString())
  await vscode.window.showTextDocument(uri, { viewColumn: open?.viewColumn ?? vscode.ViewColumn.One, ...(selection ? { selection } : {}) })
}

async function goTo(uri: vscode.Uri, name: string): Promise<void> {
  const [range] = definition(await vscode.workspace.openTextDocument(uri), name)
  await reveal(uri, range && new vscode.Range(range.start, range.start))
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(document => document.uri.toString() === uri.toString())
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
