// *Show Graph* and *Save the Graph as SVG*.

import * as vscode from 'vscode'
import { Server } from '../client'
import { GraphPanel } from './panel'

export function registerGraph(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  const panel = new GraphPanel(context, server)
  return vscode.Disposable.from(
    panel,
    vscode.commands.registerCommand('uir.exportGraph', () => panel.export()),
    vscode.commands.registerCommand('uir.showGraph', async (where?: unknown) => {
      const document = vscode.window.activeTextEditor?.document
      const uri = where instanceof vscode.Uri ? where : document?.languageId === 'uir' ? document.uri : undefined
      if (uri && uri.scheme !== 'uir-c') await panel.open(uri)
      else void vscode.window.showInformationMessage('Open a .uir file first.')
    }),
  )
}
