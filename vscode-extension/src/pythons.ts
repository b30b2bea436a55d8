// The interpreters of this machine, and what each can do.

import { execFile } from 'node:child_process'
import * as path from 'node:path'
import * as vscode from 'vscode'
import { Candidate, Probe, isOutside } from './interpreter'

/** Says version and what is missing, without importing anything heavy; runs on any Python 3. */
const PROBE = `
import sys, json, importlib.util as u
need = ("uir_lsp", "uopc", "pygls", "lsprotocol", "numpy")
print(json.dumps({"executable": sys.executable, "version": list(sys.version_info[:3]), "missing": [n for n in need if u.find_spec(n) is None]}))
`

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string }
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>
  }
}

/** Python must not import modules of the opened folder: a start in our own folder, and no unsafe path. */
export function pythonOptions(context: vscode.ExtensionContext): { cwd: string; env: NodeJS.ProcessEnv } {
  return { cwd: context.extensionPath, env: { ...process.env, PYTHONSAFEPATH: '1', PYTHONDONTWRITEBYTECODE: '1' } }
}

/** The venv that "Install Language Server" makes, in the extension's own storage. */
export function installedPython(context: vscode.ExtensionContext): string {
  const venv = path.join(context.globalStorageUri.fsPath, 'server')
  return process.platform === 'win32' ? path.join(venv, 'Scripts', 'python.exe') : path.join(venv, 'bin', 'python')
}

export function pathPythons(): string[] {
  return process.platform === 'win32' ? ['py', 'python'] : ['python3', 'python']
}

/** In the order in which they are tried. */
export async function candidates(context: vscode.ExtensionContext): Promise<Candidate[]> {
  const found: Candidate[] = []
  const setting = vscode.workspace.getConfiguration('uir').get<string>('interpreter', '').trim()
  if (setting) found.push({ path: setting, origin: 'setting' })
  const chosen = await pythonExtensionChoice()
  const folders = (vscode.workspace.workspaceFolders ?? []).map(folder => folder.uri.fsPath)
  if (chosen && (vscode.workspace.isTrusted || isOutside(chosen, folders, path.sep))) {
    found.push({ path: chosen, origin: 'python extension' })
  }
  found.push({ path: installedPython(context), origin: 'installed by UIR' })
  for (const name of pathPythons()) found.push({ path: name, origin: 'PATH' })
  return found
}

async function pythonExtensionChoice(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python')
  if (!extension) return undefined
  try {
    const { environments } = await extension.activate()
    const active = environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri)
    const resolved = active && (await environments?.resolveEnvironment(active))
    return resolved?.executable.uri?.fsPath
  } catch {
    return undefined // another extension's failure must not keep ours from starting
  }
}

/** Runs the interpreter once; `undefined` when it cannot be run or is no Python 3. */
export function probe(context: vscode.ExtensionContext, python: string): Promise<Probe | undefined> {
  return new Promise(resolve => {
    execFile(python, ['-c', PROBE], { ...pythonOptions(context), timeout: 15_000 }, (error, stdout) => {
      if (error) return resolve(undefined)
      try {
        resolve(JSON.parse(stdout) as Probe)
      } catch {
        resolve(undefined)
      }
    })
  })
}
