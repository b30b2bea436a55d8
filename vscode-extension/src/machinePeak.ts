// What this machine can do is measured once, when nothing else is going on after a run: a second's work that nobody waits for.

import * as vscode from 'vscode'
import { Server } from './client'
import { Requests, RunResult, Speed, SpeedResult } from './protocol'

const QUIET_MS = 1_500

export class MachinePeak implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined
  private asked: vscode.CancellationTokenSource | undefined
  private tries = 0

  constructor(private readonly server: Server) {}

  dispose(): void {
    this.hold()
  }

  /** A run begins: it must not be measured beside something else. */
  hold(): void {
    clearTimeout(this.timer)
    this.asked?.cancel()
    this.asked = undefined
  }

  /** After a run: measures unless that was done before, and tells how fast the run was against it. */
  later(uri: vscode.Uri, result: RunResult, tell: (speed: Speed) => void): void {
    this.hold()
    if (result.ok && isAsked(result.speed) && this.tries < 3) this.timer = setTimeout(() => void this.measure(uri, result, tell), QUIET_MS)
  }

  private async measure(uri: vscode.Uri, result: RunResult, tell: (speed: Speed) => void): Promise<void> {
    const asked = (this.asked = new vscode.CancellationTokenSource())
    const { operations, memory_bytes, kernel_ms, outputs } = result
    try {
      const params = { uri: uri.toString(), operations: operations ?? 0, memory_bytes: memory_bytes ?? 0, kernel_ms: kernel_ms ?? 0, dtype: outputs?.[0]?.dtype ?? 'f32' }
      const answer = await this.server.request<SpeedResult>(Requests.speed, params, asked.token)
      if (asked.token.isCancellationRequested) return
      this.tries++
      if ('speed' in answer) tell(answer.speed)
      else this.server.log.info(`the peak of this machine: ${answer.error}`)
    } catch (error) {
      if (!asked.token.isCancellationRequested) this.tries++
      this.server.log.debug(`the peak of this machine: ${String(error)}`)
    } finally {
      asked.dispose()
    }
  }
}

/** Whether a run's speed has no peak yet, or one that it went past: then that was measured on a busy machine. */
function isAsked(speed: Speed | null | undefined): boolean {
  const rates = [speed?.compute, speed?.memory].filter(rate => rate !== undefined && rate !== null)
  return rates.length > 0 && (!speed?.words || rates.some(({ rate, peak }) => peak !== null && rate > 1.1 * peak))
}
