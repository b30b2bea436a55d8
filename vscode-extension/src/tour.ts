// The commands of the walkthrough page: each shows one thing on a program, and opens one first if none is there.

import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import * as vscode from 'vscode'
import { SCHEME } from './views'

const FIRST = 'view_chain.uir'
const ATTEMPTS = 20
const RETRY_MS = 500
const INTERESTING = /^%w\b/ // the value of that example that went through every step

export function registerTour(context: vscode.ExtensionContext): void {
  const examples = path.join(context.extensionPath, 'examples')
  const on = (work: (editor: vscode.TextEditor) => unknown) => async () => work(await programEditor(examples))
  const commands: Record<string, () => unknown> = {
    'uir.openExample': () => openExample(examples),
    'uir.openWalkthrough': () => openWalkthrough(`${context.extension.id}#start`),
    'uir.tourHover': on(showHover),
    'uir.tourC': on(({ document }) => vscode.commands.executeCommand('uir.showGeneratedC', { uri: document.uri.toString() })),
    'uir.tourRun': on(({ document }) => vscode.commands.executeCommand('uir.run', { uri: document.uri.toString() })),
  }
  for (const [name, work] of Object.entries(commands)) context.subscriptions.push(vscode.commands.registerCommand(name, work))
}

let asked = false // for the walkthrough, in this window

/** VS Code reads the walkthroughs of extensions only when its page is first opened, and takes some seconds for it (five
 * where it asks its experiments in vain). Until then the page shows a walkthrough of VS Code's own, and a page that is at
 * a step of one stays there. No answer says any of this, so it is asked again; once ours is shown that changes nothing. */
async function openWalkthrough(id: string): Promise<void> {
  const [open, leave] = ['workbench.action.openWalkthrough', 'welcome.goBack']
  const active = () => vscode.window.tabGroups.activeTabGroup.activeTab
  await vscode.commands.executeCommand(leave)
  await vscode.commands.executeCommand(open, id)
  if (asked) return
  asked = true
  let page: vscode.Tab | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    page ??= active()
    if (page?.input !== undefined || active() !== page) return // the person went on to something else
    if (attempt === 0) await vscode.commands.executeCommand(leave)
    await vscode.commands.executeCommand(open, id)
  }
}

/** A copy without a file: it can be changed and run, and saved anywhere. */
async function openExample(examples: string, name?: string): Promise<vscode.TextEditor | undefined> {
  const chosen = name ?? (await vscode.window.showQuickPick(listed(examples), { title: 'Open an example', matchOnDetail: true }))?.label
  if (!chosen) return undefined
  const content = await fs.readFile(path.join(examples, path.basename(chosen)), 'utf8')
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'uir', content }), { preview: false })
}

/** The examples by name, with the sentence that each begins with; the first one first. */
async function listed(examples: string): Promise<vscode.QuickPickItem[]> {
  const names = (await fs.readdir(examples)).filter(name => name.endsWith('.uir')).sort()
  names.sort((a, b) => Number(b === FIRST) - Number(a === FIRST))
  return Promise.all(names.map(async label => {
    const text = await fs.readFile(path.join(examples, label), 'utf8')
    const comment = /^(?:# uop .*\n)?((?:# (?!uir:).*\n)+)/.exec(text)?.[1] ?? ''
    const about = comment.replace(/^# /gm, '').replace(/\s+/g, ' ')
    return { label, detail: /^.*?[.:;](?= |$)/.exec(about)?.[0].replace(/[:;]$/, '.') ?? about }
  }))
}

/** The program that is open, in front; the first example when there is none. */
async function programEditor(examples: string): Promise<vscode.TextEditor> {
  const isProgram = (document: vscode.TextDocument): boolean => document.languageId === 'uir' && document.uri.scheme !== SCHEME && !document.isClosed
  const shown = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors].find(editor => editor && isProgram(editor.document))
  if (shown) return vscode.window.showTextDocument(shown.document, { viewColumn: shown.viewColumn ?? vscode.ViewColumn.One, preview: false })
  const document = vscode.workspace.textDocuments.find(isProgram)
  const editor = document ? await vscode.window.showTextDocument(document, { preview: false }) : await openExample(examples, FIRST)
  if (!editor) throw new Error('no program is open')
  return editor
}

async function showHover(editor: vscode.TextEditor): Promise<void> {
  const lines = editor.document.getText().split(/\r\n|\r|\n/)
  const definitions = lines.flatMap((text, line) => (/^\s*%\S+\s*=/.test(text) ? [line] : []))
  const line = definitions.find(line => INTERESTING.test(lines[line]?.trim() ?? '')) ?? definitions.pop() ?? 0
  const place = new vscode.Position(line, (lines[line]?.indexOf('%') ?? 0) + 1)
  editor.selection = new vscode.Selection(place, place)
  editor.revealRange(new vscode.Range(place, place))
  await vscode.commands.executeCommand('editor.action.showHover')
}
