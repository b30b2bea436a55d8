// UIR: Select Python Interpreter, Install Language Server, Install C Compiler.

import { execFile } from 'node:child_process'
import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import { promisify } from 'node:util'
import * as vscode from 'vscode'
import { Server } from './client'
import { Candidate, isNewEnough, OLDEST } from './interpreter'
import { candidates, installedPython, pathPythons, probe, pythonOptions } from './pythons'

const run = promisify(execFile)

export async function selectInterpreter(context: vscode.ExtensionContext): Promise<void> {
  const browse: vscode.QuickPickItem = { label: '$(folder-opened) Browse…', detail: 'Choose an interpreter on the disk' }
  const picked = await vscode.window.showQuickPick(listed(context, browse), {
    title: 'Python interpreter for the UIR language server',
    placeHolder: `Python ${OLDEST.join('.')} or newer with the package uir[lsp]`,
  })
  if (!picked) return
  const python = picked === browse ? await browseForPython() : picked.detail
  if (!python) return
  await vscode.workspace.getConfiguration('uir').update('interpreter', python, vscode.ConfigurationTarget.Global)
}

async function listed(context: vscode.ExtensionContext, browse: vscode.QuickPickItem): Promise<vscode.QuickPickItem[]> {
  const known = await candidates(context)
  const items = await Promise.all(known.map(candidate => describe(context, candidate)))
  const distinct = new Map(items.flatMap(item => (item?.detail ? [[item.detail, item] as const] : [])))
  return [browse, ...distinct.values()]
}

async function describe(context: vscode.ExtensionContext, { path: python, origin }: Candidate): Promise<vscode.QuickPickItem | undefined> {
  const found = await probe(context, python)
  if (!found) return undefined
  const fit = !isNewEnough(found.version) ? 'too old' : found.missing.length > 0 ? 'no language server' : 'ready'
  return { label: `Python ${found.version.join('.')}`, description: `${fit} · ${origin}`, detail: found.executable }
}

async function browseForPython(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({ canSelectMany: false, title: 'Python interpreter', openLabel: 'Use' })
  return chosen?.[0]?.fsPath
}

/** Makes a venv in the extension's own storage and installs the server that came with the extension into it. */
export async function installServer(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const base = await basePython(context)
  const wheel = await bundledWheel(context)
  if (!base || !wheel) {
    const reason = wheel ? `No Python ${OLDEST.join('.')} or newer was found.` : 'This build of the extension carries no language server.'
    if (await vscode.window.showErrorMessage(reason, 'Select Interpreter')) await selectInterpreter(context)
    return
  }
  try {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: 'UIR: installing the language server' }, () =>
      install(context, base, wheel),
    )
  } catch (error) {
    server.log.error(String(error))
    if (await vscode.window.showErrorMessage('The language server could not be installed.', 'Show Log')) server.log.show()
    return
  }
  await server.restart()
}

/** Installs a C compiler, the wheel `ziglang`, beside the language server. */
export async function installCompiler(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const { health } = server
  if (health.state !== 'running') return
  const options = pythonOptions(context)
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'ziglang']
  try {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: 'UIR: installing a C compiler' }, () =>
      run(health.python, pip, options),
    )
    void vscode.window.showInformationMessage('A C compiler is installed; run the program again.')
  } catch (error) {
    server.log.error(String(error))
    if (await vscode.window.showErrorMessage('The C compiler could not be installed.', 'Show Log')) server.log.show()
  }
}

async function install(context: vscode.ExtensionContext, base: string, wheel: string): Promise<void> {
  const options = pythonOptions(context)
  const python = installedPython(context)
  const venv = path.dirname(path.dirname(python))
  await fs.mkdir(path.dirname(venv), { recursive: true })
  await run(base, ['-m', 'venv', '--clear', venv], options)
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${wheel}[lsp]`], options)
}

async function basePython(context: vscode.ExtensionContext): Promise<string | undefined> {
  for (const name of pathPythons()) {
    const found = await probe(context, name)
    if (found && isNewEnough(found.version)) return found.executable
  }
  return undefined
}

async function bundledWheel(context: vscode.ExtensionContext): Promise<string | undefined> {
  const folder = path.join(context.extensionPath, 'dist')
  const name = (await fs.readdir(folder)).find(file => file.endsWith('.whl'))
  return name && path.join(folder, name)
}
