// UIR: Select Python Interpreter.

import * as vscode from 'vscode'
import { Candidate, hasNumPy, isNewEnough, OLDEST } from './interpreter'
import { candidates, probe } from './pythons'

const BROWSE: vscode.QuickPickItem = { label: '$(folder-opened) Browse…', detail: 'Choose an interpreter on the disk' }
const AUTOMATIC: vscode.QuickPickItem = { label: '$(search) Find One Automatically', detail: 'Empties the setting uir.interpreter' }

export async function selectInterpreter(context: vscode.ExtensionContext): Promise<void> {
  const picked = await vscode.window.showQuickPick(listed(context), {
    title: 'Python interpreter for UIR',
    placeHolder: `Python ${OLDEST.join('.')} or newer; with NumPy, programs can be run`,
  })
  if (!picked) return
  const python = picked === AUTOMATIC ? '' : picked === BROWSE ? await browseForPython() : picked.detail
  if (python === undefined) return
  await vscode.workspace.getConfiguration('uir').update('interpreter', python || undefined, vscode.ConfigurationTarget.Global)
}

async function listed(context: vscode.ExtensionContext): Promise<vscode.QuickPickItem[]> {
  const known = await candidates(context)
  const items = await Promise.all(known.map(candidate => describe(context, candidate)))
  const distinct = new Map(items.flatMap(item => (item?.detail ? [[item.detail, item] as const] : [])))
  const automatic = known[0]?.origin === 'setting' ? [AUTOMATIC] : []
  return [...distinct.values(), BROWSE, ...automatic]
}

async function describe(context: vscode.ExtensionContext, candidate: Candidate): Promise<vscode.QuickPickItem | undefined> {
  const found = await probe(context, candidate)
  if (!found) return undefined
  const fit = !isNewEnough(found.version) ? 'too old' : hasNumPy(found) ? `NumPy ${found.numpy}` : 'no NumPy'
  return { label: `Python ${found.version.join('.')}`, description: `${fit} · ${candidate.origin}`, detail: found.executable }
}

async function browseForPython(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({ canSelectMany: false, title: 'Python interpreter', openLabel: 'Use' })
  return chosen?.[0]?.fsPath
}
