// The page about a diagnostic, which its code leads to: the server says where the page is and which section it is.

import * as vscode from 'vscode'

/** Shows a Markdown file beside the program, as a rendered page, at the heading of that name. */
export async function showDocumentation(file: unknown, heading: unknown): Promise<void> {
  if (typeof file !== 'string' || !file.endsWith('.md') || typeof heading !== 'string') return
  await vscode.commands.executeCommand('markdown.showPreviewToSide', vscode.Uri.file(file).with({ fragment: heading }))
}
