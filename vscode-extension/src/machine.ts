// What depends on the operating system: names and places of interpreters. Everything comes in through `Machine`, so
// that a test can be any of the three.

import * as path from 'node:path'
import { Candidate } from './interpreter'

export interface Machine {
  system: 'windows' | 'mac' | 'linux'
  env: Record<string, string | undefined>
  isFile(path: string): boolean
  isFolder(path: string): boolean
  realPath(path: string): string // the path itself where there is no such file
}

const NEWEST = 14
const OLDEST = 10
const MAC_PLACES = ['/opt/homebrew/bin', '/usr/local/bin', '/Library/Frameworks/Python.framework/Versions/Current/bin']
const MAC_TOOLS = ['/Library/Developer/CommandLineTools/usr/bin', '/Applications/Xcode.app/Contents/Developer/usr/bin']

/** The paths of that system, whatever the one is that this runs on. */
function pathsOf(machine: Machine): path.PlatformPath {
  return machine.system === 'windows' ? path.win32 : path.posix
}

/** The interpreter of a virtual environment. */
export function pythonIn(environment: string, machine: Machine): string {
  const paths = pathsOf(machine)
  return machine.system === 'windows' ? paths.join(environment, 'Scripts', 'python.exe') : paths.join(environment, 'bin', 'python')
}

/**
 * The interpreters on the PATH, best first. None whose place is not absolute, and none inside `forbidden`, the folders
 * that are open and not trusted: what lies there must not be started.
 */
export function pythonsOnPath(machine: Machine, forbidden: readonly string[] = []): Candidate[] {
  const paths = pathsOf(machine)
  const found = new Map<string, Candidate>()
  for (const [name, ...args] of names(machine)) {
    for (const folder of places(machine)) {
      const file = paths.join(folder, name)
      if (!machine.isFile(file) || isStandIn(folder, machine) || !isOutside(file, forbidden, machine)) continue
      const same = [machine.realPath(file), ...args].join('\0')
      if (!found.has(same)) found.set(same, { path: file, args, origin: 'PATH' })
      break
    }
  }
  return [...found.values()]
}

/** Program and arguments. `py` is the launcher of python.org's installer, which finds what is not on the PATH. */
function names(machine: Machine): [string, ...string[]][] {
  if (machine.system === 'windows') return [['python.exe'], ['py.exe', '-3'], ['python3.exe']]
  const numbered: [string][] = []
  for (let minor = NEWEST; minor >= OLDEST; minor--) numbered.push([`python3.${minor}`])
  return [['python3'], ...numbered, ['python']]
}

function places(machine: Machine): string[] {
  const paths = pathsOf(machine)
  const PATH = machine.env['PATH'] ?? machine.env['Path'] ?? ''
  const folders = PATH.split(paths.delimiter).map(folder => folder.replace(/^"(.*)"$/, '$1'))
  // An application that is started from the Dock knows little of the PATH that a terminal has.
  return [...folders, ...(machine.system === 'mac' ? MAC_PLACES : [])].filter(folder => paths.isAbsolute(folder))
}

/** Without developer tools, the `python3` that comes with a Mac is none: it opens a dialog that offers them. */
function isStandIn(folder: string, machine: Machine): boolean {
  return machine.system === 'mac' && folder === '/usr/bin' && !MAC_TOOLS.some(tools => machine.isFolder(tools))
}

/** May this be started in folders that are not trusted? Not when it lies in one of them, or leads there. */
export function isOutside(file: string, folders: readonly string[], machine: Machine): boolean {
  const paths = pathsOf(machine)
  const plain = (text: string): string => (machine.system === 'linux' ? text : text.toLowerCase())
  const within = (inner: string, outer: string): boolean => {
    const way = paths.relative(plain(outer), plain(inner))
    return way === '' || (!way.startsWith('..') && !paths.isAbsolute(way))
  }
  // The folder that it is in may be a link as well as the program: a virtual environment's python is one.
  const ends = [file, machine.realPath(file), paths.join(machine.realPath(paths.dirname(file)), paths.basename(file))]
  return folders.every(folder => [folder, machine.realPath(folder)].every(outer => ends.every(inner => !within(inner, outer))))
}
