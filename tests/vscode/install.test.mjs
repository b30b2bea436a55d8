// A stranger's machine: VS Code as it comes, the .vsix, and a bare Python. Nothing of this project is installed there.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PYTHON } from '../../scripts/vscode_server.mjs'
import { Panel } from './rig/panel.mjs'
import { Rig } from './rig/rig.mjs'
import { until } from './rig/workbench.mjs'

const MAKE = fileURLToPath(new URL('rig/make_machine.py', import.meta.url))
const FIRST_START_MS = 60_000 // nothing is compiled to bytecode yet
const SHOTS = process.env.UIR_SHOTS // a folder for pictures

/** A folder with a Python and tools. */
function makeMachine(...wanted) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uir machine '))
  const made = spawnSync(PYTHON, [MAKE, folder, ...wanted], { encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
  return folder
}

/** The environment of VS Code on that machine: nothing of this one's Python or pip, or of a chosen compiler. */
function surroundings(machine, { compilers = false, ...more } = {}) {
  const PATH = [path.join(machine, 'python', 'bin'), path.join(machine, 'tools'), ...(compilers ? ['/usr/bin'] : [])].join(':')
  return { PATH, UIR_CC: '', UIR_CACHE_DIR: path.join(machine, 'cache'), PIP_CONFIG_FILE: '/dev/null', ...more }
}

async function shot(window, name) {
  if (SHOTS) await window.screenshot(path.join(SHOTS, `${name}.png`))
}

/** What works without running anything. */
async function reading(rig) {
  rig.write('wrong.uir', '%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (5, 2)\n')
  const wrong = await rig.open('wrong.uir')
  await until('a squiggle', () => wrong.squiggles(), Boolean, FIRST_START_MS)
  assert.match((await wrong.problems()).join('\n'), /12 elements cannot become 10/)
  await wrong.close()
  const window = await rig.open('row_sum.uir')
  await window.untilLine(/%y = reduce.*f32\[3\]/, undefined, FIRST_START_MS)
  await window.focus()
  await window.goto(await window.lineOf('%y ='), 2)
  assert.match(await window.hover(/%y/), /f32\[3\]/)
  await window.page.keyboard.press('Escape')
  await window.clickLens(/generated C/)
  await window.untilLine(/void |int /, window.generated(), FIRST_START_MS)
  return window
}

/** The result of examples/row_sum.uir: the sums of 0..3, 4..7 and 8..11. */
async function seesSums(panel) {
  await panel.until(/as expected/)
  await panel.untilCells(rows => rows.flat().map(Number).join() === '6,22,38')
}

/** The command lines of the server's processes, from the system. */
function serversOf(rig) {
  return fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
    try {
      const line = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return line.some(word => word.startsWith(rig.home) && word.endsWith('/server')) ? [line] : []
    } catch {
      return [] // it has just ended
    }
  })
}

function storage(rig) {
  return path.join(rig.home, 'data', 'data', 'User', 'globalStorage', 'uir.uir')
}

describe('a bare Python with NumPy', () => {
  let machine, rig
  before(async () => {
    machine = makeMachine('numpy')
    rig = await Rig.start({ machine: {}, env: surroundings(machine, { compilers: true, PYTHONPATH: '/no/such/place' }) })
  })
  after(async () => {
    await rig?.stop()
    fs.rmSync(machine, { recursive: true, force: true })
  })

  test('does everything, with nothing installed and nothing asked', async () => {
    const window = await reading(rig)
    await window.clickLens(/Run/)
    await seesSums(new Panel(window.page))
    assert.deepEqual(await window.toasts(), [])
    await shot(window, 'bare-python')
    const [[python, ...args]] = serversOf(rig)
    assert.equal(python, path.join(machine, 'python', 'bin', 'python3'))
    assert.equal(args[0], '-E')
    const packages = path.join(machine, 'python', 'lib')
    const installed = fs.readdirSync(path.join(packages, fs.readdirSync(packages)[0], 'site-packages')).filter(name => !name.startsWith('numpy'))
    assert.deepEqual(installed, [])
    assert.ok(!fs.existsSync(path.join(storage(rig), 'environment')))
    await window.close()
  })
})

describe('a bare Python without NumPy, and no C compiler', () => {
  let machine, rig
  before(async () => {
    machine = makeMachine('wheels')
    const pip = process.env.UIR_REAL_PACKAGES ? {} : { PIP_NO_INDEX: '1', PIP_FIND_LINKS: path.join(machine, 'wheels').replaceAll(' ', '%20').replace(/^/, 'file://') }
    rig = await Rig.start({ machine: {}, env: surroundings(machine, pip) })
  })
  after(async () => {
    await rig?.stop()
    fs.rmSync(machine, { recursive: true, force: true })
  })

  test('reading works; Run offers what is missing, one thing at a time, and goes on by itself', async () => {
    const window = await reading(rig)
    assert.deepEqual(await window.toasts(), [])
    await window.clickLens(/Run/)
    const panel = new Panel(window.page)
    await panel.until(/NumPy is not installed in .*\/python\/bin\/python3/)
    await shot(window, 'no-numpy')
    await panel.press('Install NumPy')
    await window.untilToast(/installing NumPy/)
    await shot(window, 'installing-numpy')
    await panel.until(/No C compiler was found/, 180_000)
    const own = path.join(storage(rig), 'environment', 'bin', 'python')
    await until('only the server with NumPy', () => serversOf(rig).map(([python]) => python), all => all.join() === own)
    await shot(window, 'no-compiler')
    await panel.press('Install a C Compiler')
    await window.untilToast(/installing a C compiler/)
    await shot(window, 'installing-compiler')
    await panel.until(/as expected/, 180_000)
    await seesSums(panel)
    await until('no message left', () => window.toasts(), all => all.length === 0)
    await shot(window, 'all-installed')
    await window.close()
  })
})

describe('an installation that does not work', () => {
  let machine, rig, index, held
  before(async () => {
    machine = makeMachine()
    held = []
    index = net.createServer(socket => { held.push(socket) }) // takes a call and never answers
    await new Promise(resolve => index.listen(0, '127.0.0.1', resolve))
    const port = index.address().port
    rig = await Rig.start({ machine: {}, env: surroundings(machine, { PIP_INDEX_URL: `http://127.0.0.1:${port}/simple`, PIP_RETRIES: '0' }) })
  })
  after(async () => {
    await rig?.stop()
    index?.close()
    held.forEach(socket => socket.destroy())
    fs.rmSync(machine, { recursive: true, force: true })
  })

  test('can be cancelled, and says why it failed, with a button that tries again', async () => {
    const window = await rig.open('row_sum.uir')
    await window.untilLine(/%y = reduce.*f32\[3\]/, undefined, FIRST_START_MS)
    await window.clickLens(/Run/)
    const panel = new Panel(window.page)
    await panel.until(/NumPy is not installed/)
    await panel.press('Install NumPy')
    await until('pip at work', () => held.length, count => count > 0, 60_000)
    await window.page.locator('.notifications-toasts .monaco-button', { hasText: 'Cancel' }).click()
    await until('no message', () => window.toasts(), all => all.length === 0)
    await until('no pip', () => pips(rig), count => count === 0)

    held.forEach(socket => socket.destroy())
    index.removeAllListeners('connection')
    index.on('connection', socket => socket.destroy()) // now it hangs up at once
    await panel.press('Install NumPy')
    assert.match(await window.untilToast(/could not be fetched/, 60_000), /package index cannot be reached/)
    assert.deepEqual(await window.toastButtons(), ['Try Again'])
    await shot(window, 'no-network')
    await window.close()
  })

  function pips(rig) {
    return fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).filter(pid => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(storage(rig))
      } catch {
        return false
      }
    }).filter(pid => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0pip\0')).length
  }
})
