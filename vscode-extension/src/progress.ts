// Nothing is shown of work that is done at once; what takes longer says what it does and can be cancelled.

import * as vscode from 'vscode'

const PATIENCE_MS = 500

export async function withPatience<Result>(
  title: string,
  work: (token: vscode.CancellationToken, say: (stage: string) => void) => Promise<Result>,
): Promise<Result> {
  const source = new vscode.CancellationTokenSource()
  let stage = ''
  let say = (text: string): void => void (stage = text)
  const done = work(source.token, text => say(text))
  const settled = done.then(() => undefined, () => undefined)
  const patience = new Promise(resolve => setTimeout(resolve, PATIENCE_MS, 'late'))
  if ((await Promise.race([settled, patience])) === 'late') {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true }
    void vscode.window.withProgress(options, async (progress, token) => {
      token.onCancellationRequested(() => source.cancel())
      say = text => progress.report({ message: text })
      if (stage) say(stage)
      await settled
    })
  }
  return done.finally(() => source.dispose())
}
