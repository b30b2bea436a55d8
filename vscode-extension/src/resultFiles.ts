// Files that the result panel reads and writes: data of inputs, outputs as .npy.

import * as path from 'node:path'
import * as vscode from 'vscode'
import { Server } from './client'
import { ToPanel } from './panel/messages'
import { ArraysResult, Requests, SaveResult } from './protocol'

/** Asks for a file of arrays; its path as a directive of the program says it. */
export async function chooseArrays(uri: vscode.Uri): Promise<string | undefined> {
  const filters = { 'Array files': ['npy', 'npz', 'safetensors'], 'All files': ['*'] }
  const [file] = (await vscode.window.showOpenDialog({ defaultUri: vscode.Uri.joinPath(uri, '..'), filters, openLabel: 'Use as Input' })) ?? []
  return file && path.relative(path.dirname(uri.fsPath), file.fsPath).split(path.sep).join('/')
}

/** What is in a file of arrays, as the panel is told. */
export async function arraysIn(server: Server, uri: vscode.Uri, slot: number, file: string): Promise<ToPanel> {
  const about = { type: 'arrays', slot, path: file } as const
  try {
    const answer = await server.request<ArraysResult>(Requests.arrays, { uri: uri.toString(), path: file })
    return 'error' in answer ? { ...about, error: answer.error } : { ...about, arrays: answer.arrays }
  } catch (error) {
    return { ...about, error: error instanceof Error ? error.message : String(error) }
  }
}

/** Writes an output of a run to a .npy that the person names. */
export async function saveOutput(server: Server, uri: vscode.Uri, run: number, output: string): Promise<void> {
  const name = `${path.basename(uri.fsPath, '.uir')}.${output.replace(/\W/g, '') || 'output'}.npy`
  const target = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.joinPath(uri, '..', name), filters: { 'NumPy array': ['npy'] }, title: `Save ${output}` })
  if (!target) return
  try {
    const params = { uri: uri.toString(), run, output, path: target.fsPath }
    const answer = await server.request<SaveResult>(Requests.saveValues, params)
    if ('saved' in answer) vscode.window.setStatusBarMessage(`$(check) ${output} saved as ${path.basename(target.fsPath)}`, 5_000)
    else void vscode.window.showErrorMessage(sentence('error' in answer ? answer.error : answer.gone))
  } catch (error) {
    void vscode.window.showErrorMessage(sentence(error instanceof Error ? error.message : String(error)))
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
}
