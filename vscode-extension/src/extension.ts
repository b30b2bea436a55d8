// The extension's parts, put together.

import * as vscode from 'vscode'
import { Server } from './client'
import { showDocumentation } from './documentation'
import { PrivateEnvironment } from './environment'
import { registerExplorer } from './exploreIndexMap'
import { registerGraph } from './graph/register'
import { Lights } from './lights'
import { Origins } from './origins'
import { toggleInlineValues } from './inlineValues'
import { Pipeline } from './pipeline'
import { onPythonExtensionChoice } from './pythons'
import { Runner } from './run'
import { registerRunToHere } from './runToHere'
import { selectInterpreter } from './selectInterpreter'
import { Status } from './status'
import { stepThrough } from './step/configuration'
import { registerStepping } from './step/register'
import { registerTour } from './tour'
import { Kind, SCHEME, Views, preferredKind } from './views'

let server: Server | undefined

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('UIR Language Server', { log: true })
  server = new Server(context, log)
  const views = new Views(server)
  const runner = new Runner(context, server)
  const pipeline = new Pipeline(context, server)
  context.subscriptions.push(log, new Status(server), views, runner, pipeline, new Lights(views), new Origins(views).register(), registerRunToHere(runner))
  context.subscriptions.push(registerStepping(context, server), registerExplorer(context, server), registerGraph(context, server))
  registerCommands(context, server, views, runner, pipeline)
  registerTour(context)
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server?.trust().then(() => runner.trusted())),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (['uir.interpreter', 'uir.compiler', 'uir.build.ahead', 'uir.diagnostics.allow'].some(setting => event.affectsConfiguration(setting))) void server?.restart()
    }),
  )
  void server.restart()
  void followPythonExtension(context, server)
}

export async function deactivate(): Promise<void> {
  await server?.dispose()
}

/** Another interpreter chosen in the Python extension is taken at once, unless the setting names one. */
async function followPythonExtension(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const following = await onPythonExtensionChoice(() => {
    if (!vscode.workspace.getConfiguration('uir').get<string>('interpreter', '')) void server.restart()
  })
  if (following) context.subscriptions.push(following)
}

function registerCommands(context: vscode.ExtensionContext, server: Server, views: Views, runner: Runner, pipeline: Pipeline): void {
  const onSource = (work: (uri: vscode.Uri, value?: string) => Promise<void>) => async (where?: unknown) => {
    const { uri, value } = targetOf(where)
    if (uri) await work(uri, value)
    else void vscode.window.showInformationMessage('Open a .uir file first.')
  }
  const changeTo = (kind: Kind) => async (uri?: vscode.Uri) => {
    if (uri?.scheme === SCHEME) await views.change(uri, kind)
  }
  const environment = new PrivateEnvironment(context, server.log)
  const restarting = async (done: Promise<boolean>) => {
    const ok = await done
    if (ok) await server.restart()
    return ok
  }
  const commands: Record<string, (...args: never[]) => unknown> = {
    'uir.run': onSource((uri, value) => runner.run(uri, value)),
    'uir.step': onSource((uri, value) => stepThrough(uri, value)),
    'uir.showGeneratedC': onSource((uri, value) => views.open(uri, value, preferredKind())),
    'uir.showLoops': onSource(uri => views.open(uri, undefined, 'loops')),
    'uir.showAssembly': onSource((uri, value) => views.openAssembly(uri, value)),
    'uir.showPipeline': onSource((uri, value) => pipeline.show(uri, value)),
    'uir.showTextbookC': changeTo('textbook'),
    'uir.showFastC': changeTo('fast'),
    'uir.restartServer': () => server.restart(),
    'uir.selectInterpreter': () => selectInterpreter(context),
    'uir.installNumPy': () => restarting(environment.installNumPy()),
    'uir.installCompiler': () => environment.installCompiler(),
    'uir.removeEnvironment': () => server.restartAround(() => environment.remove()),
    'uir.showResults': () => runner.showResults(),
    'uir.toggleInlineValues': () => toggleInlineValues(),
    'uir.showLog': () => server.log.show(),
    'uir.showDocumentation': showDocumentation,
  }
  for (const [name, work] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, work))
  }
}

/** What a command is about: a lens says file and perhaps value, a title bar the file; else it is the active editor's. */
function targetOf(where: unknown): { uri?: vscode.Uri; value?: string } {
  if (where instanceof vscode.Uri && where.scheme !== SCHEME) return { uri: where }
  if (isLensTarget(where)) {
    const uri = vscode.Uri.parse(where.uri, true)
    return typeof where.value === 'string' ? { uri, value: where.value } : { uri }
  }
  const document = vscode.window.activeTextEditor?.document
  return document?.languageId === 'uir' && document.uri.scheme !== SCHEME ? { uri: document.uri } : {}
}

function isLensTarget(where: unknown): where is { uri: string; value?: unknown } {
  return typeof where === 'object' && where !== null && 'uri' in where && typeof where.uri === 'string'
}
