// In the generated C: hover says which values a line comes from, and Go to Definition goes there.

import * as vscode from 'vscode'
import { SCHEME, Views } from './views'

export class Origins implements vscode.HoverProvider, vscode.DefinitionProvider {
  constructor(private readonly views: Views) {}

  register(): vscode.Disposable {
    const selector = { scheme: SCHEME }
    return vscode.Disposable.from(
      vscode.languages.registerHoverProvider(selector, this),
      vscode.languages.registerDefinitionProvider(selector, this),
    )
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const { source, origins } = this.at(document, position)
    if (!source || origins.length === 0) return undefined
    const links = origins.map(({ name, line }) => `[${name}](${source.with({ fragment: `L${line + 1}` }).toString()}) (line ${line + 1})`)
    return new vscode.Hover(new vscode.MarkdownString(`from ${links.join(', ')}`), document.lineAt(position.line).range)
  }

  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.Location[] {
    const { source, origins } = this.at(document, position)
    return source ? origins.map(({ line }) => new vscode.Location(source, new vscode.Position(line, 0))) : []
  }

  private at(document: vscode.TextDocument, position: vscode.Position) {
    const linked = this.views.mapOf(document.uri)
    return { source: linked && vscode.Uri.parse(linked.source, true), origins: linked?.map[position.line] ?? [] }
  }
}
