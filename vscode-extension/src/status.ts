// What a person sees of the server: an item in the status bar, and a message with one button when it is down.

import * as vscode from 'vscode'
import { Health, Server } from './client'

const MENDS = {
  select: { title: 'Select Interpreter', command: 'uir.selectInterpreter' },
  restart: { title: 'Restart', command: 'uir.restartServer' },
} as const

export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem('uir.server', [{ language: 'uir' }])
  private said = ''
  private readonly subscription: vscode.Disposable

  constructor(server: Server) {
    this.item.name = 'UIR Language Server'
    this.show(server.health)
    this.subscription = server.onHealth(health => this.show(health))
  }

  dispose(): void {
    this.subscription.dispose()
    this.item.dispose()
  }

  private show(health: Health): void {
    this.item.busy = health.state === 'starting'
    this.item.severity = vscode.LanguageStatusSeverity.Information
    if (health.state === 'starting') {
      this.item.text = 'UIR: starting'
    } else if (health.state === 'running') {
      this.said = ''
      this.item.text = `UIR ${health.server}`.trim()
      this.item.detail = `Python ${health.version}${health.numpy ? '' : ' without NumPy: no runs'} · ${health.python}`
      this.item.command = health.numpy ? { title: 'Restart', command: 'uir.restartServer' } : { title: 'Install NumPy', command: 'uir.installNumPy' }
      if (!health.numpy) this.item.severity = vscode.LanguageStatusSeverity.Warning
    } else {
      const mend = MENDS[health.mend ?? 'restart']
      this.item.severity = vscode.LanguageStatusSeverity.Error
      this.item.text = 'UIR: not running'
      this.item.detail = health.reason
      this.item.command = { title: mend.title, command: mend.command }
      void this.say(health.reason, mend)
    }
  }

  /** Once for each reason: a message that returns at every retry is noise. */
  private async say(reason: string, mend: { title: string; command: string }): Promise<void> {
    if (reason === this.said) return
    this.said = reason
    const pressed = await vscode.window.showErrorMessage(reason, mend.title)
    if (pressed) await vscode.commands.executeCommand(mend.command)
  }
}
