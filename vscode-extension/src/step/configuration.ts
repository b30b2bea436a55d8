// Launch configurations: F5 needs none, and what runs a program asks for trust.

import * as vscode from 'vscode'

export const TYPE = 'uir'

const NAME = 'Step through'

export interface StepConfiguration extends vscode.DebugConfiguration {
  program: string
  value?: string
  text?: string
  stopOnEntry?: boolean
  view?: boolean
}

export class Configurations implements vscode.DebugConfigurationProvider {
  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    return [{ type: TYPE, request: 'launch', name: 'Step through this file', program: '${file}' }]
  }

  /** An empty configuration is F5 without a launch.json. */
  resolveDebugConfiguration(_: vscode.WorkspaceFolder | undefined, asked: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
    if (asked.type || asked.request || asked.name) return { program: '${file}', ...asked }
    const document = vscode.window.activeTextEditor?.document
    if (document?.languageId !== 'uir') {
      void vscode.window.showInformationMessage('Open a .uir file first.')
      return undefined
    }
    return { type: TYPE, request: 'launch', name: NAME, program: addressOf(document) }
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    _: vscode.WorkspaceFolder | undefined,
    asked: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (!(await trusted())) return undefined
    const document = vscode.workspace.textDocuments.find(one => one.languageId === 'uir' && addressOf(one) === asked['program'])
    if (asked.noDebug) { // "Run Without Debugging"
      if (document) await vscode.commands.executeCommand('uir.run', document.uri)
      return undefined
    }
    return { internalConsoleOptions: 'neverOpen', ...asked, view: true, ...(document ? { text: document.getText() } : {}) } // as it is in the editor, saved or not
  }
}

/** Starts a session for a file, or for one value of it. */
export async function stepThrough(uri: vscode.Uri, value?: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri)
  const name = value ? `${NAME} to ${value}` : NAME
  const configuration: StepConfiguration = { type: TYPE, request: 'launch', name, program: addressOf(document), ...(value ? { value } : {}) }
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), configuration)
}

function addressOf(document: vscode.TextDocument): string {
  return document.isUntitled ? document.uri.path : document.uri.fsPath
}

/** Stepping executes the program, as a run does. */
async function trusted(): Promise<boolean> {
  if (vscode.workspace.isTrusted) return true
  const manage = 'Manage Trust'
  const text = 'Programs are not stepped through in Restricted Mode, because this folder is not trusted.'
  if ((await vscode.window.showWarningMessage(text, manage)) === manage) await vscode.commands.executeCommand('workbench.trust.manage')
  return false
}
