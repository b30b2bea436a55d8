// *Run to Here*: the program up to one value, from the context menu, a key, or the list of code actions.

import * as vscode from 'vscode'
import { Runner } from './run'
import { defines, valueAt } from './valueAtCursor'

export function registerRunToHere(runner: Runner): vscode.Disposable {
  const actions: vscode.CodeActionProvider = {
    provideCodeActions(document, range, context) {
      if (context.triggerKind !== vscode.CodeActionTriggerKind.Invoke) return [] // no light bulb on every line
      const value = valueAt(document.lineAt(range.start.line).text, range.start.character)
      if (!value || !defines(document.getText(), value)) return []
      const action = new vscode.CodeAction(`Run to ${value}`, vscode.CodeActionKind.Empty)
      action.command = { command: 'uir.run', title: action.title, arguments: [{ uri: document.uri.toString(), value }] }
      return [action]
    },
  }
  return vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider({ language: 'uir' }, actions),
    vscode.commands.registerCommand('uir.runToHere', () => here(runner)),
  )
}

async function here(runner: Runner): Promise<void> {
  const editor = vscode.window.activeTextEditor
  if (editor?.document.languageId !== 'uir') return void vscode.window.showInformationMessage('Open a .uir file first.')
  const { line, character } = editor.selection.active
  const value = valueAt(editor.document.lineAt(line).text, character)
  if (value) await runner.run(editor.document.uri, value)
  else void vscode.window.showInformationMessage('Put the cursor on a value to run to.')
}
