// One VS Code with the packaged extension, and a browser to look at it. Each has folders of its own, so rigs run side by side.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { PYTHON, QUIET, ROOT, addressOf, installExtension, startServer, writeSettings } from '../../../scripts/vscode_server.mjs'
import { Workbench } from './workbench.mjs'

const STEADY = {
  ...QUIET,
  'workbench.reduceMotion': 'on',
  'editor.minimap.enabled': false,
  'editor.cursorBlinking': 'solid',
  'editor.wordBasedSuggestions': 'off',
  'files.hotExit': 'off',
  'files.autoSave': 'off',
  'security.workspace.trust.enabled': false,
}

/** In Restricted Mode, with no dialog that asks. */
export const RESTRICTED = {
  'security.workspace.trust.enabled': true,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'always',
}

function findChromium() {
  for (const name of [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean)) {
    const found = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' }).stdout.trim()
    if (found) return found
  }
  throw new Error('no Chromium: install it (apt-get install chromium) or name it in CHROMIUM')
}

export class Rig {
  /** `settings`: on top of the steady ones; `machine`: as set by the person on this machine; `env`: of the extension host. */
  static async start({ settings = {}, machine = { 'uir.interpreter': PYTHON }, env = {}, extensions = true } = {}) {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'uir rig '))
    writeSettings(home, { user: { ...STEADY, ...settings }, machine })
    if (extensions) installExtension(home, process.env.UIR_VSIX ?? path.join(ROOT, 'vscode-extension', 'uir.vsix'))
    const workspace = path.join(home, 'examples')
    fs.cpSync(path.join(ROOT, 'examples'), workspace, { recursive: true })
    const server = await startServer(home, { env })
    const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
    return new Rig(home, workspace, server, browser)
  }

  outside = [] // requests that would have left this machine

  constructor(home, workspace, server, browser) {
    Object.assign(this, { home, workspace, server, browser })
  }

  /** Writes a file into the workspace. */
  write(name, text) {
    fs.writeFileSync(path.join(this.workspace, name), text)
    return name
  }

  /** A copy of an example, for a test that edits: what a closed window leaves unsaved, the next one finds. */
  copy(example, name) {
    return this.write(name, fs.readFileSync(path.join(this.workspace, example), 'utf8'))
  }

  /** A fresh window (own storage, so trust starts anew) with `file` open. */
  async open(file, { size = { width: 1280, height: 800 }, scale = 1 } = {}) {
    const context = await this.browser.newContext({ viewport: size, deviceScaleFactor: scale, permissions: ['clipboard-read', 'clipboard-write'] })
    await context.route(url => url.hostname !== '127.0.0.1', route => {
      this.outside.push(route.request().url())
      return route.abort()
    })
    const page = await context.newPage()
    await page.goto(addressOf(this.server.port, this.workspace, file))
    const workbench = new Workbench(page, file)
    await workbench.ready()
    return workbench
  }

  async stop() {
    await this.browser.close()
    await this.server.stop()
    if (process.env.KEEP_RIG) console.error(`kept: ${this.home}`)
    else fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
