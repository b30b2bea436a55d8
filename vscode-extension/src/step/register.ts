// Step through a program: the debug adapter is the server's Python, VS Code's own debugger is the view.

import * as vscode from 'vscode'
import { Server } from '../client'
import { pythonOptions, serverArguments } from '../pythons'
import { valueAt } from '../valueAtCursor'
import { Configurations, TYPE, stepThrough } from './configuration'
import { StepView } from './view'

export function registerStepping(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  const configurations = new Configurations()
  return vscode.Disposable.from(
    new StepView(),
    vscode.debug.registerDebugConfigurationProvider(TYPE, configurations),
    vscode.debug.registerDebugConfigurationProvider(TYPE, configurations, vscode.DebugConfigurationProviderTriggerKind.Dynamic),
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, { createDebugAdapterDescriptor: () => adapter(context, server) }),
    vscode.languages.registerCodeLensProvider([{ language: 'uir', scheme: 'file' }, { language: 'uir', scheme: 'untitled' }], { provideCodeLenses }),
    vscode.commands.registerCommand('uir.stepToHere', stepToHere),
  )
}

function adapter(context: vscode.ExtensionContext, server: Server): vscode.DebugAdapterDescriptor {
  if (server.health.state !== 'running') throw new Error('The UIR language server is not running, and stepping needs its Python.')
  if (!server.health.numpy) throw new Error('Stepping needs NumPy in the Python of the language server; Run offers to install it.')
  const { cwd, env } = pythonOptions(context)
  const known = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return new vscode.DebugAdapterExecutable(server.health.python, [...serverArguments(context), 'dap'], { cwd, env: Object.fromEntries(known) })
}

/** On the first statement, beside Run. */
function provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  for (let line = 0; line < document.lineCount; line++) {
    if (!/^\s*%[A-Za-z0-9_.]+\s*=/.test(document.lineAt(line).text)) continue
    const command = { title: 'Step through', command: 'uir.step', arguments: [{ uri: document.uri.toString() }] }
    return [new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command)]
  }
  return []
}

async function stepToHere(): Promise<void> {
  const editor = vscode.window.activeTextEditor
  if (editor?.document.languageId !== 'uir') return void vscode.window.showInformationMessage('Open a .uir file first.')
  const { line, character } = editor.selection.active
  const value = valueAt(editor.document.lineAt(line).text, character)
  if (value) await stepThrough(editor.document.uri, value)
  else void vscode.window.showInformationMessage('Put the cursor on a value to step to.')
}
