// Programs that are waited for, can be cancelled, and end with all that they started.

import { ChildProcess, spawn } from 'node:child_process'
import * as vscode from 'vscode'

export class Failed extends Error {
  constructor(readonly output: string) {
    super(output.trim().split('\n').pop() ?? '')
  }
}

/** Runs a program to its end; `onLine` hears what it writes. Rejects with `Failed`, or CancellationError. */
export function runToEnd(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
  token: vscode.CancellationToken,
  onLine: (line: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that it ends whole: pip and venv start others.
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32', windowsHide: true })
    let output = ''
    let last = ''
    const take = (chunk: Buffer): void => {
      output += chunk.toString()
      const lines = (last + chunk.toString()).split(/[\r\n]+/)
      last = lines.pop() ?? ''
      lines.forEach(onLine)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const cancelling = token.onCancellationRequested(() => end(child))
    child.once('error', error => reject(new Failed(`${output}\n${error.message}`)))
    child.once('close', code => {
      cancelling.dispose()
      if (token.isCancellationRequested) reject(new vscode.CancellationError())
      else if (code === 0) resolve()
      else reject(new Failed(output))
    })
    if (token.isCancellationRequested) end(child)
  })
}

function end(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') spawn('taskkill', ['/T', '/F', '/PID', String(child.pid)], { stdio: 'ignore', windowsHide: true })
  else {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // it has ended by itself
    }
  }
}
