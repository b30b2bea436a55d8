// A stage as a document of its own, so that VS Code's diff editor can compare two of them: words, folding, next change.

import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from './client'
import { Requests, StageTextResult } from './protocol'

export const STAGE_SCHEME = 'uir-stage'

/** What the address of such a document says: everything needed to make it again. */
export interface StageTarget {
  source: string
  value?: string | undefined
  plain: boolean
  stage: string
  form: string
}

export class StageDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>()
  readonly onDidChange = this.changed.event
  private readonly provider = vscode.workspace.registerTextDocumentContentProvider(STAGE_SCHEME, this)

  constructor(private readonly server: Server) {}

  dispose(): void {
    vscode.Disposable.from(this.provider, this.changed).dispose()
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { source, value, plain, stage, form } = JSON.parse(uri.query) as StageTarget
    const params = { uri: source, options: { plain, stage, form }, ...(value === undefined ? {} : { value }) }
    const { text, message } = await this.server.request<StageTextResult>(Requests.stageText, params)
    return message ? `# ${message}\n${text}` : text
  }

  /** The stage before at the left, the stage at the right. */
  async compare(before: StageTarget, after: StageTarget, titles: [string, string]): Promise<void> {
    const name = path.posix.basename(vscode.Uri.parse(after.source, true).path)
    await vscode.commands.executeCommand('vscode.diff', addressOf(before), addressOf(after), `${name}: ${titles[0]} ↔ ${titles[1]}`, { preview: true })
  }

  /** The source has changed: so have the documents that are open. */
  follow(source: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === STAGE_SCHEME && (JSON.parse(uri.query) as StageTarget).source === source) this.changed.fire(uri)
    }
  }
}

function addressOf(target: StageTarget): vscode.Uri {
  const source = vscode.Uri.parse(target.source, true)
  const name = `${path.posix.basename(source.path, '.uir')} ${target.stage}.${target.form === 'c' ? 'c' : 'uir-stage'}`
  return vscode.Uri.from({ scheme: STAGE_SCHEME, path: path.posix.join(path.posix.dirname(source.path), name), query: JSON.stringify(target) })
}
