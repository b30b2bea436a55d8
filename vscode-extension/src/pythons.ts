// The interpreters of this machine, what each can do, and how one is started.

import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as vscode from 'vscode'
import { Candidate, Probe } from './interpreter'
import { isOutside, Machine, pythonIn, pythonsOnPath } from './machine'

/** Says version and NumPy without importing it; runs on any Python. */
const PROBE = `
import sys, json
def has(name):
    from importlib.util import find_spec
    return find_spec(name) is not None
def numpy():
    try:
        if has("numpy"):
            from importlib.metadata import version
            return version("numpy")
    except Exception:
        pass
print(json.dumps({"executable": sys.executable, "version": list(sys.version_info[:3]), "numpy": numpy(),
                  "venv": sys.version_info > (3,) and has("venv") and has("ensurepip")}))
`
const PROBE_MS = 15_000
const PYTHON_EXTENSION_MS = 3_000 // it may still be starting itself; ours is not to wait for that

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string }
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>
  }
}

export const MACHINE: Machine = {
  system: process.platform === 'win32' ? 'windows' : process.platform === 'darwin' ? 'mac' : 'linux',
  env: process.env,
  isFile: file => fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false,
  isFolder: folder => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false,
  realPath: file => {
    try {
      return fs.realpathSync(file)
    } catch {
      return file
    }
  },
}

/** The environment that "Install NumPy" and "Install C Compiler" make, in the extension's own storage. */
export function privateEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, 'environment')
}

/** Before every other argument: no variable of the surroundings decides which modules are imported. */
export const SAFE = ['-E']

/** How any Python of ours is started: in our own folder, which is what a `-m` or `-c` would import from. */
export function pythonOptions(context: vscode.ExtensionContext): { cwd: string; env: NodeJS.ProcessEnv } {
  return { cwd: context.extensionPath, env: { ...process.env, UIR_ENVIRONMENT: privateEnvironment(context) } }
}

/**
 * The server that came with the extension, run as it lies there. Its bytecode is kept beside it; where that may not be
 * written, in our own storage, since every start would be seconds later without.
 */
export function serverArguments(context: vscode.ExtensionContext): string[] {
  const folder = path.join(context.extensionPath, 'server')
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return [...SAFE, folder]
  } catch {
    return [...SAFE, '-X', `pycache_prefix=${path.join(context.globalStorageUri.fsPath, 'bytecode')}`, folder]
  }
}

/** In the order in which they are tried. */
export async function candidates(context: vscode.ExtensionContext): Promise<Candidate[]> {
  const found: Candidate[] = []
  const setting = vscode.workspace.getConfiguration('uir').get<string>('interpreter', '').trim()
  if (setting) found.push({ path: setting, origin: 'setting' })
  const forbidden = vscode.workspace.isTrusted ? [] : (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath)
  const chosen = await pythonExtensionChoice()
  if (chosen && isOutside(chosen, forbidden, MACHINE)) found.push({ path: chosen, origin: 'Python extension' })
  const own = pythonIn(privateEnvironment(context), MACHINE)
  if (MACHINE.isFile(own)) found.push({ path: own, origin: 'private environment' })
  return [...found, ...pythonsOnPath(MACHINE, forbidden)]
}

/** Calls `changed` when another interpreter is chosen in the Python extension. */
export async function onPythonExtensionChoice(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonExtension())?.environments?.onDidChangeActiveEnvironmentPath(changed)
}

async function pythonExtension(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python')
  if (!extension) return undefined
  try {
    return await extension.activate()
  } catch {
    return undefined // another extension's failure must not keep ours from starting
  }
}

async function pythonExtensionChoice(): Promise<string | undefined> {
  const asked = pythonExtension().then(async api => {
    const active = api?.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri)
    const resolved = active && (await api?.environments?.resolveEnvironment(active))
    return resolved?.executable.uri?.fsPath
  })
  const late = new Promise<undefined>(resolve => setTimeout(resolve, PYTHON_EXTENSION_MS, undefined))
  return Promise.race([asked.catch(() => undefined), late])
}

/** Runs the interpreter once; `undefined` when it cannot be run or is no Python. */
export function probe(context: vscode.ExtensionContext, { path: python, args = [] }: Candidate): Promise<Probe | undefined> {
  return new Promise(resolve => {
    execFile(python, [...args, ...SAFE, '-c', PROBE], { ...pythonOptions(context), timeout: PROBE_MS }, (error, stdout) => {
      if (error) return resolve(undefined)
      try {
        resolve(JSON.parse(stdout) as Probe)
      } catch {
        resolve(undefined)
      }
    })
  })
}
