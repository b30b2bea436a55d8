// The language client's life: one at a time, a new one at each start, starts and stops one after another.

import * as vscode from 'vscode'
import { CloseAction, ErrorAction, LanguageClient, LanguageClientOptions, ProgressType, State } from 'vscode-languageclient/node'
import { Choice, choose, hasNumPy } from './interpreter'
import { InitializationOptions, Notifications } from './protocol'
import { candidates, probe, pythonOptions, serverArguments } from './pythons'

export type Health =
  | { state: 'starting' }
  | { state: 'running'; python: string; version: string; numpy: boolean; server: string }
  | { state: 'stopped'; reason: string; mend?: 'select' | 'restart' }

/** So many crashes in so many milliseconds are answered by a new start; then a person is asked. */
const CRASHES = 3
const CRASH_WINDOW_MS = 180_000
const SETTLE_MS = 250 // in which VS Code tells what else changed with trust

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined
  private queue: Promise<void> = Promise.resolve()
  private crashes: number[] = []
  private readonly changed = new vscode.EventEmitter<Health>()
  readonly onHealth = this.changed.event
  health: Health = { state: 'starting' }

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
  ) {}

  /** Stops what runs and starts anew. Calls that come while one is at work wait for it. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow()
      await this.startNow()
    })
  }

  /** Stops what runs, does something that a running server would be in the way of, and starts anew. */
  restartAround(work: () => Promise<void>): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow()
      await work().catch((error: unknown) => this.log.error(String(error)))
      await this.startNow()
    })
  }

  /** Sends a request of ours. Rejects when the server is not running, or with the server's error. */
  async request<Result>(method: string, params: object, token?: vscode.CancellationToken): Promise<Result> {
    await this.queue
    const client = this.client
    if (!client?.isRunning()) throw new Error('The UIR language server is not running.')
    return token ? client.sendRequest<Result>(method, params, token) : client.sendRequest<Result>(method, params) // undefined would be sent
  }

  /** Calls `listener` with the messages of the work-done progress `token` until disposed. */
  onProgress(token: string, listener: (message: string) => void): vscode.Disposable {
    return this.listen<{ message?: string; title?: string }>(token, value => {
      const text = value.message ?? value.title
      if (text) listener(text)
    })
  }

  /** Calls `listener` with what comes early of the answer to the request with that token, until disposed. */
  onPartialResult<Result>(token: string, listener: (result: Result) => void): vscode.Disposable {
    return this.listen(token, listener)
  }

  /** One listener a token; a second one of the notification itself would take the place of the first. */
  private listen<Value>(token: string, listener: (value: Value) => void): vscode.Disposable {
    return this.client?.onProgress(new ProgressType<Value>(), token, listener) ?? new vscode.Disposable(() => undefined)
  }

  /** The folder is trusted now. Settings that it makes may count from now on, and restart the server: that comes first. */
  async trust(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, SETTLE_MS))
    await this.enqueue(() => this.notify(Notifications.trust, { trusted: true }))
  }

  /** Sends a notification of ours, if the server is running. */
  async notify(method: string, params: object): Promise<void> {
    if (this.client?.isRunning()) await this.client.sendNotification(method, params)
  }

  async dispose(): Promise<void> {
    await this.enqueue(() => this.stopNow())
    this.changed.dispose()
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch((error: unknown) => this.log.error(String(error)))
    return this.queue
  }

  private set(health: Health): void {
    this.health = health
    this.changed.fire(health)
  }

  private async startNow(): Promise<void> {
    this.set({ state: 'starting' })
    const choice = await choose(await candidates(this.context), candidate => probe(this.context, candidate))
    if (!choice.ok) {
      this.log.warn(choice.reason)
      this.set({ state: 'stopped', reason: choice.reason, mend: 'select' })
      return
    }
    const { executable, version, numpy } = choice.probe
    this.log.info(`Python ${version.join('.')} (${choice.candidate.origin}), NumPy ${numpy ?? 'missing'}: ${executable}`)
    const client = this.createClient(choice)
    this.client = client
    try {
      await client.start()
      this.set({
        state: 'running',
        python: executable,
        version: version.join('.'),
        numpy: hasNumPy(choice.probe),
        server: client.initializeResult?.serverInfo?.version ?? '',
      })
    } catch (error) {
      this.log.error(String(error))
      this.set({ state: 'stopped', reason: 'The UIR language server did not start.', mend: 'restart' })
    }
  }

  /** A client that failed to start cannot be stopped; it is let go of all the same. */
  private async stopNow(): Promise<void> {
    const client = this.client
    this.client = undefined
    if (!client) return
    try {
      if (client.needsStop()) await client.stop(3_000)
    } catch (error) {
      this.log.warn(`stopping: ${String(error)}`)
    }
  }

  private createClient(choice: Choice & { ok: true }): LanguageClient {
    const compiler = vscode.workspace.getConfiguration('uir').get<string>('compiler', '').trim()
    const initializationOptions: InitializationOptions = { clientCommands: true, trusted: vscode.workspace.isTrusted }
    if (compiler) initializationOptions.compiler = compiler
    if (vscode.workspace.getConfiguration('uir').get<boolean>('build.ahead', false)) initializationOptions.buildAhead = true
    initializationOptions.allow = vscode.workspace.getConfiguration('uir').get<string[]>('diagnostics.allow', [])
    const options: LanguageClientOptions = {
      documentSelector: [{ language: 'uir', scheme: 'file' }, { language: 'uir', scheme: 'untitled' }],
      initializationOptions,
      outputChannel: this.log,
      markdown: { isTrusted: { enabledCommands: ['uir.run', 'uir.showGeneratedC', 'uir.exploreIndexMap', 'uir.showDocumentation'] } }, // the links of a hover
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => {
          this.closed(client)
          return { action: CloseAction.DoNotRestart, handled: true }
        },
      },
      initializationFailedHandler: () => false,
    }
    const executable = { command: choice.probe.executable, args: serverArguments(this.context), options: pythonOptions(this.context) }
    const client = new LanguageClient('uir', 'UIR Language Server', executable, options)
    return client
  }

  /** The server's end, unasked: start again, unless it keeps dying. */
  private closed(client: LanguageClient): void {
    if (client !== this.client || client.state === State.Starting) return
    this.client = undefined
    const now = Date.now()
    this.crashes = [...this.crashes.filter(time => now - time < CRASH_WINDOW_MS), now]
    if (this.crashes.length > CRASHES) {
      this.set({ state: 'stopped', reason: 'The UIR language server stopped several times.', mend: 'restart' })
      return
    }
    this.log.warn('the server stopped; starting it again')
    void this.enqueue(async () => {
      if (!this.client) await this.startNow()
    })
  }
}
