// Why an installation did not work, as a sentence and what a person can do. No editor here, so that it can be tested.

import { Probe } from './interpreter'

export interface Fault {
  sentence: string
  button: 'Try Again' | 'Copy Command' | 'Show Log'
  command?: string // to copy: what mends it, in a terminal
}

/** An interpreter that has no way to make an environment: Debian and Ubuntu leave that to a package of its own. */
export function cannotMake({ executable, version }: Probe): Fault {
  const name = `Python ${version.slice(0, 2).join('.')}`
  if (!executable.startsWith('/usr/bin/')) return { sentence: `${name} (${executable}) comes without venv or pip, so it cannot make an environment.`, button: 'Show Log' }
  const command = `sudo apt install python${version.slice(0, 2).join('.')}-venv`
  return { sentence: `${name} of this system cannot make an environment until a package is installed: ${command}`, button: 'Copy Command', command }
}

const NO_NETWORK = /NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionResetError|Failed to establish a new connection|name resolution|getaddrinfo|Network is unreachable|ProxyError|Retrying \(Retry|Could not fetch URL/i
const NO_CERTIFICATE = /CERTIFICATE_VERIFY_FAILED|SSLError|SSLCertVerificationError/i

/** What went wrong, from what venv and pip wrote. `what`: what was being installed. */
export function explainInstall(what: string, output: string, base: Probe): Fault {
  if (/ensurepip is\s+not\s+available|No module named '?(venv|ensurepip)|ensurepip', '--upgrade'/.test(output)) return cannotMake(base)
  if (/No space left|not enough space|disk full|Errno 28/i.test(output)) return { sentence: `${what} does not fit: there is no space left on the disk.`, button: 'Try Again' }
  if (NO_CERTIFICATE.test(output)) {
    return { sentence: `${what} could not be fetched: the certificate of the package index is not known here. A company's proxy is the usual reason (set PIP_CERT).`, button: 'Show Log' }
  }
  if (NO_NETWORK.test(output)) return { sentence: `${what} could not be fetched: the package index cannot be reached. Is there a network, and a proxy to name in the setting http.proxy?`, button: 'Try Again' }
  if (/No matching distribution|Could not find a version/.test(output)) {
    return { sentence: `There is no ready-made ${what} for Python ${base.version.slice(0, 2).join('.')} on this machine. Select another Python.`, button: 'Show Log' }
  }
  if (/Permission denied|Access is denied|Errno 13/.test(output)) return { sentence: `${what} could not be installed: the folder of the extension may not be written to.`, button: 'Show Log' }
  return { sentence: `${what} could not be installed.`, button: 'Show Log' }
}

/** What pip is doing, from a line that it wrote; undefined where that is nothing for a person. */
export function stageOf(line: string): string | undefined {
  const downloading = /^\s*Downloading (\S+?)-\d\S* \(([\d.]+) ([kM]B)\)/.exec(line)
  if (downloading) return `downloading ${downloading[1]?.split('/').pop()} (${Math.round(Number(downloading[2]))} ${downloading[3]})`
  return /^Installing collected packages/.test(line) ? 'unpacking' : undefined
}
