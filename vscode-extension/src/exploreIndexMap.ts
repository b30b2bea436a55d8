// *Explore Index Maps*: from a lens, a hover, a key, the context menu, or the list of code actions.

import * as vscode from 'vscode'
import { Server } from './client'
import { ExplorerPanel } from './explorerPanel'
import { defines, valueAt } from './valueAtCursor'

const COMMAND = 'uir.exploreIndexMap'

export function registerExplorer(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  const panel = new ExplorerPanel(context, server)
  const actions: vscode.CodeActionProvider = {
    provideCodeActions(document, range, { triggerKind }) {
      if (triggerKind !== vscode.CodeActionTriggerKind.Invoke) return [] // no light bulb on every line
      const value = valueAt(document.lineAt(range.start.line).text, range.start.character)
      if (!value || !defines(document.getText(), value)) return []
      const action = new vscode.CodeAction(`Explore index map of ${value}`, vscode.CodeActionKind.Empty)
      action.command = { command: COMMAND, title: action.title, arguments: [{ uri: document.uri.toString(), value }] }
      return [action]
    },
  }
  return vscode.Disposable.from(
    panel,
    vscode.languages.registerCodeActionsProvider({ language: 'uir' }, actions),
    vscode.commands.registerCommand(COMMAND, async (where?: unknown) => {
      const { uri, value } = isTarget(where) ? { uri: vscode.Uri.parse(where.uri, true), value: where.value } : atCursor()
      if (uri) await panel.open(uri, value)
      else void vscode.window.showInformationMessage('Open a .uir file first.')
    }),
  )
}

/** The active editor's file, and the value that its cursor is on. */
function atCursor(): { uri?: vscode.Uri; value?: string | undefined } {
  const editor = vscode.window.activeTextEditor
  if (editor?.document.languageId !== 'uir') return {}
  const { line, character } = editor.selection.active
  const value = valueAt(editor.document.lineAt(line).text, character)
  return { uri: editor.document.uri, value: value && defines(editor.document.getText(), value) ? value : undefined }
}

function isTarget(where: unknown): where is { uri: string; value?: string } {
  if (typeof where !== 'object' || where === null || !('uri' in where) || typeof where.uri !== 'string') return false
  return !('value' in where) || typeof where.value === 'string'
}
