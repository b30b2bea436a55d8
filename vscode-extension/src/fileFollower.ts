// What a panel shows of a file, asked for again when the file changes or the server is back: after a moment of quiet,
// while the panel is seen, one question at a time.

import * as vscode from 'vscode'
import { Server } from './client'

export interface Follower {
  quiet: number // milliseconds after an edit
  /** The file that is shown. */
  uri(): string | undefined
  /** Whether there is a panel, ready to show an answer. */
  ready(): boolean
  /** Asks and shows; never throws. */
  ask(token: vscode.CancellationToken): Promise<void>
}

export class FileFollower implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined
  private timer: NodeJS.Timeout | undefined
  private request: vscode.CancellationTokenSource | undefined
  private waiting = false // something changed that is not asked for yet
  private readonly subscriptions: vscode.Disposable[]

  constructor(server: Server, private readonly follower: Follower) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document.uri.toString() === follower.uri()) this.later()
      }),
      server.onHealth(({ state }) => {
        if (state === 'running') this.later()
      }),
    ]
  }

  dispose(): void {
    this.stop()
    vscode.Disposable.from(...this.subscriptions).dispose()
  }

  /** The panel that is to be seen; what is disposed with the result are its listeners. */
  take(panel: vscode.WebviewPanel): vscode.Disposable {
    this.panel = panel
    const listener = panel.onDidChangeViewState(() => this.waiting && this.later())
    return new vscode.Disposable(() => {
      listener.dispose()
      this.panel = undefined
      this.stop()
    })
  }

  private stop(): void {
    clearTimeout(this.timer)
    this.waiting = false
    this.request?.cancel()
  }

  /** Something changed: it is asked for when nothing more has changed for a moment, or when the panel is seen again. */
  later(): void {
    this.waiting = true
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.panel?.visible && void this.run(), this.follower.quiet)
  }

  /** Something else is wanted: what is being asked is of no use any more. */
  async now(): Promise<void> {
    clearTimeout(this.timer)
    this.waiting = true
    this.request?.cancel()
    await this.run()
  }

  /** What changes while a question is answered is asked for afterwards: nothing is made in vain. */
  private async run(): Promise<void> {
    if (this.request) return
    while (this.waiting && this.follower.ready()) {
      this.waiting = false
      this.request = new vscode.CancellationTokenSource()
      await this.follower.ask(this.request.token)
      this.request.dispose()
      this.request = undefined
    }
  }
}
