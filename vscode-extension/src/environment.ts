// The private environment: a virtual environment in the extension's own storage, for what the chosen Python lacks.

import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import * as vscode from 'vscode'
import { Candidate, chooseBase, hasNumPy, Probe } from './interpreter'
import { cannotMake, explainInstall, Fault, stageOf } from './installFaults'
import { pythonIn } from './machine'
import { Failed, runToEnd } from './processes'
import { candidates, MACHINE, privateEnvironment, probe, pythonOptions, SAFE } from './pythons'

const PIP = ['-m', 'pip', '--disable-pip-version-check', '--no-input', '--retries', '2', '--timeout', '15']
const NUMPY = { name: 'NumPy', title: 'UIR: installing NumPy', requirement: 'numpy>=1.24' }
const COMPILER = { name: 'The C compiler', title: 'UIR: installing a C compiler', requirement: 'ziglang' }
type Package = typeof NUMPY

export class PrivateEnvironment {
  private working: Promise<boolean> | undefined

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  installNumPy(): Promise<boolean> {
    return this.once(NUMPY)
  }

  installCompiler(): Promise<boolean> {
    return this.once(COMPILER)
  }

  /** Frees what it takes on the disk. */
  async remove(): Promise<void> {
    await this.working
    await fs.rm(privateEnvironment(this.context), { recursive: true, force: true, maxRetries: 3 })
  }

  /** Two clicks are one installation; a second one of something else waits for the first. */
  private async once(what: Package): Promise<boolean> {
    await this.working
    this.working = this.install(what).finally(() => (this.working = undefined))
    return this.working
  }

  /** Whether it is there now. What went wrong has been said by then. */
  private async install(what: Package): Promise<boolean> {
    const base = await this.base()
    if (!base) {
      await this.say({ sentence: 'No Python 3.10 or newer was found, so nothing can be installed with it.', button: 'Show Log' }, what)
      return false
    }
    const progress = { location: vscode.ProgressLocation.Notification, title: what.title, cancellable: true }
    try {
      await vscode.window.withProgress(progress, (report, token) => this.make(what, base, report, token))
      return true
    } catch (error) {
      if (error instanceof vscode.CancellationError) return false
      const output = error instanceof Failed ? error.output : String(error)
      this.log.error(output)
      return this.say(error instanceof CannotMake ? cannotMake(base) : explainInstall(what.name, output, base), what)
    }
  }

  private async make(what: Package, base: Probe, report: vscode.Progress<{ message: string }>, token: vscode.CancellationToken): Promise<void> {
    const folder = privateEnvironment(this.context)
    const own: Candidate = { path: pythonIn(folder, MACHINE), origin: 'private environment' }
    const there = MACHINE.isFile(own.path) ? await probe(this.context, own) : undefined
    // One whose Python is gone, or that cannot be what NumPy is wanted for, is made anew.
    if (!there || (what === NUMPY && !hasNumPy(there) && there.version.join() !== base.version.join())) {
      report.report({ message: `making an environment with Python ${base.version.join('.')}` })
      await this.create(base, folder, token)
    }
    await this.run(own.path, [...PIP, 'install', '--only-binary=:all:', '--progress-bar=off', '--upgrade', what.requirement], token, line => {
      const stage = stageOf(line)
      if (stage) report.report({ message: stage })
    })
  }

  /** What was begun and not finished is taken away: half an environment would be found and tried at each start. */
  private async create(base: Probe, folder: string, token: vscode.CancellationToken): Promise<void> {
    if (!base.venv) throw new CannotMake()
    await fs.mkdir(path.dirname(folder), { recursive: true })
    try {
      await this.run(base.executable, ['-m', 'venv', '--clear', folder], token)
    } catch (error) {
      await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 })
      throw error
    }
  }

  private run(python: string, args: readonly string[], token: vscode.CancellationToken, onLine: (line: string) => void = () => undefined): Promise<void> {
    const { cwd, env } = pythonOptions(this.context)
    const proxy = vscode.workspace.getConfiguration('http').get<string>('proxy', '')
    const around = { ...(proxy ? { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } : {}), ...env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0', PIP_NO_COLOR: '1' }
    this.log.info([python, ...args].join(' '))
    return runToEnd(python, [...SAFE, ...args], { cwd, env: around }, token, line => {
      this.log.info(line)
      onLine(line)
    })
  }

  /** The Python that the environment is made with: the one that would be chosen to run the server. */
  private async base(): Promise<Probe | undefined> {
    const known = (await candidates(this.context)).filter(({ origin }) => origin !== 'private environment')
    const [first] = known
    if (first?.origin === 'setting') return chooseBase([await probe(this.context, first)])
    return chooseBase(await Promise.all(known.map(candidate => probe(this.context, candidate))))
  }

  private async say(fault: Fault, what: Package): Promise<boolean> {
    const pressed = await vscode.window.showErrorMessage(fault.sentence, fault.button)
    if (pressed === 'Try Again') return this.install(what)
    if (pressed === 'Copy Command') await vscode.env.clipboard.writeText(fault.command ?? '')
    else if (pressed) this.log.show()
    return false
  }
}

class CannotMake extends Error {}
