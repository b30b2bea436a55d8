// Serves VS Code with the extension on 127.0.0.1 and prints the address. PORT names the port; Ctrl-C ends it.

import fs from 'node:fs'
import path from 'node:path'
import { PYTHON, QUIET, ROOT, addressOf, installExtension, startServer, writeSettings } from './vscode_server.mjs'

const home = path.join(ROOT, '.cache', 'served')
const firstTime = !fs.existsSync(path.join(home, 'data'))
writeSettings(home, {
  machine: { 'uir.interpreter': PYTHON },
  // the examples are this project's own: no question about trust; settings that a person changes later stay
  ...(firstTime ? { user: { ...QUIET, 'security.workspace.trust.enabled': false } } : {}),
})
installExtension(home, path.join(ROOT, 'vscode-extension', 'uir.vsix'))
const server = await startServer(home, { port: Number(process.env.PORT ?? 0) })
console.log('VS Code with the UIR extension is served at\n')
console.log(`  ${addressOf(server.port, path.join(ROOT, 'examples'), 'gemm_256x256.uir')}\n`)
console.log('Open it in a browser. Ctrl-C ends it.')
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0))
server.process.once('exit', code => process.exit(code ?? 1))
