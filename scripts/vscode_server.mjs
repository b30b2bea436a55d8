// Starts VS Code's server from .cache/ on a free port of 127.0.0.1, with data folders of its own.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
export const PYTHON = path.join(ROOT, '.venv', 'bin', 'python')
export const VSCODE = path.join(ROOT, '.cache', 'vscode-4.100.3')
const ENTRY = path.join(VSCODE, 'out', 'server-main.js')

/** A quiet editor: nothing that looks outside, nothing that opens by itself. */
export const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'chat.commandCenter.enabled': false,
}

function environment() {
  const env = { ...process.env, EXTENSIONS_GALLERY: '{}' } // no marketplace: no look-up leaves this machine
  for (const name of Object.keys(env)) if (name.startsWith('VSCODE_')) delete env[name]
  return env
}

function folders(home) {
  return ['--server-data-dir', path.join(home, 'data'), '--extensions-dir', path.join(home, 'extensions')]
}

/** Writes settings where the workbench reads them; `machine` ones are honoured whatever the trust. */
export function writeSettings(home, { user, machine }) {
  for (const [scope, values] of [['User', user], ['Machine', machine]]) {
    if (!values) continue
    const folder = path.join(home, 'data', 'data', scope)
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(values, null, 2))
  }
}

export function installExtension(home, vsix) {
  const result = spawnSync(process.execPath, [ENTRY, '--install-extension', vsix, '--force', ...folders(home)], {
    env: environment(),
    encoding: 'utf8',
  })
  if (result.status !== 0) throw new Error(`installing ${vsix}:\n${result.stdout}${result.stderr}`)
}

/** Runs a command whose process group ends when we do, however we end: our end of the pipe 3 is closed then. */
const WITH_ITS_PARENT = '(cat <&3; kill -TERM 0) >/dev/null 2>&1 & exec "$@" 3<&-'

/** Resolves once it listens: `{ port, process, stop() }`. */
export async function startServer(home, { port = 0, env = {} } = {}) {
  const args = ['--host', '127.0.0.1', '--port', String(port), '--without-connection-token', '--accept-server-license-terms']
  if (env.PATH) args.push('--force-disable-user-env') // else it asks a login shell, and takes that one's PATH
  const child = spawn('sh', ['-c', WITH_ITS_PARENT, 'sh', process.execPath, ENTRY, ...args, '--telemetry-level', 'off', ...folders(home)], {
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true, // a process group of its own: the extension hosts end with it
  })
  const kill = signal => {
    try {
      return process.kill(-child.pid, signal)
    } catch {
      return false // the group is gone
    }
  }
  const killNow = () => kill('SIGKILL')
  process.once('exit', killNow)
  const stop = async () => {
    for (let tries = 0; kill(tries < 30 ? 'SIGTERM' : 'SIGKILL') && tries < 60; tries++) {
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    process.removeListener('exit', killNow)
  }
  let said = ''
  const listening = new Promise((resolve, reject) => {
    const read = chunk => {
      said += chunk
      const match = /Extension host agent listening on (\d+)/.exec(said)
      if (match) resolve(Number(match[1]))
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', code => reject(new Error(`VS Code's server ended with ${code}:\n${said}`)))
  })
  return { port: await listening, process: child, stop }
}

/** The address that opens `folder` with `file` in front. */
export function addressOf(port, folder, file) {
  const remote = name => `vscode-remote://127.0.0.1:${port}${encodeURI(path.resolve(folder, name))}`
  const payload = file ? `&payload=${encodeURIComponent(JSON.stringify([['openFile', remote(file)]]))}` : ''
  return `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}${payload}`
}
