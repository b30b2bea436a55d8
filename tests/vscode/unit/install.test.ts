// Finding a Python on each system, and explaining what did not work. No editor, and no machine but the one described.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cannotMake, explainInstall, stageOf } from '../../../vscode-extension/src/installFaults'
import { Candidate, Probe, choose, chooseBase, hasNumPy, isNewEnough } from '../../../vscode-extension/src/interpreter'
import { Machine, isOutside, pythonIn, pythonsOnPath } from '../../../vscode-extension/src/machine'

// -- which one -------------------------------------------------------------------------------------------------------
const python = (version: [number, number, number], numpy: string | null = '2.1.0', venv = true): Probe => ({ executable: '/real', version, numpy, venv })
const from = (origin: Candidate['origin'], path: string): Candidate => ({ origin, path })
async function pick(found: Record<string, Probe>, ...candidates: Candidate[]) {
  const asked: string[] = []
  const choice = await choose(candidates, async ({ path }) => (asked.push(path), found[path]))
  return { choice, asked, path: choice.ok ? choice.candidate.path : undefined }
}

test('the first interpreter that can do everything is taken, and no other is asked after it', async () => {
  const found = { old: python([3, 9, 1]), bare: python([3, 12, 0], null), good: python([3, 10, 0]), more: python([3, 13, 0]) }
  const { path, asked } = await pick(found, ...['none', 'old', 'bare', 'good', 'more'].map(name => from('PATH', name)))
  assert.equal(path, 'good')
  assert.deepEqual(asked, ['none', 'old', 'bare', 'good'])
})

test('without NumPy anywhere the first that is new enough runs the server', async () => {
  const found = { old: python([3, 9, 1]), bare: python([3, 12, 0], null), ancient: python([3, 12, 0], '1.19.5') }
  assert.equal((await pick(found, from('PATH', 'old'), from('PATH', 'bare'), from('PATH', 'ancient'))).path, 'bare')
})

test('an interpreter named in the settings is final: its fault is said', async () => {
  const found = { old: python([3, 9, 1]), good: python([3, 10, 0]) }
  for (const [path, words] of [['old', /Python 3\.9.*3\.10 or newer/], ['gone', /cannot be run/]] as const) {
    const { choice, asked } = await pick(found, from('setting', path), from('PATH', 'good'))
    assert.ok(!choice.ok)
    assert.match(choice.reason, words)
    assert.deepEqual(asked, [path])
  }
})

test('only the environment made for it stands in for a setting without NumPy', async () => {
  const found = { set: python([3, 12, 0], null), own: python([3, 12, 0]), other: python([3, 13, 0]) }
  const all = [from('setting', 'set'), from('Python extension', 'other'), from('private environment', 'own'), from('PATH', 'other')]
  assert.equal((await pick(found, ...all)).path, 'own')
  assert.equal((await pick({ ...found, own: python([3, 12, 0], null) }, ...all)).path, 'set')
})

test('without any Python it is said', async () => {
  const { choice } = await pick({ old: python([3, 9, 0]) }, from('PATH', 'old'))
  assert.ok(!choice.ok)
  assert.match(choice.reason, /No Python 3\.10 or newer/)
})

test('versions compare as numbers', () => {
  assert.ok(isNewEnough([3, 10, 0]) && isNewEnough([4, 0, 0]))
  assert.ok(!isNewEnough([3, 9, 9]) && !isNewEnough([2, 99, 0]))
  assert.ok(hasNumPy(python([3, 12, 0], '1.24.0rc1')) && hasNumPy(python([3, 12, 0], '2.0')))
  assert.ok(!hasNumPy(python([3, 12, 0], '1.9.3')) && !hasNumPy(python([3, 12, 0], null)))
})

test('an environment is made with a Python that can make one', () => {
  const without = python([3, 13, 0], null, false)
  assert.equal(chooseBase([undefined, python([3, 9, 0]), without, python([3, 11, 0])])?.version[1], 11)
  assert.equal(chooseBase([python([3, 9, 0]), without])?.version[1], 13)
  assert.equal(chooseBase([undefined, python([3, 9, 0])]), undefined)
})

// -- where they are --------------------------------------------------------------------------------------------------
function machine(system: Machine['system'], PATH: string, files: string[], links: Record<string, string> = {}, folders: string[] = []): Machine {
  return {
    system,
    env: system === 'windows' ? { Path: PATH } : { PATH },
    isFile: file => files.includes(file),
    isFolder: folder => folders.includes(folder),
    realPath: file => links[file] ?? file,
  }
}
const paths = (found: Candidate[]) => found.map(({ path, args = [] }) => [path, ...args].join(' '))

test('on Linux: python3, then by number, newest first, then python; each once', () => {
  const files = ['/usr/bin/python3', '/usr/bin/python3.11', '/opt/bin/python3.13', '/usr/bin/python', '/opt/bin/python3.9']
  const found = pythonsOnPath(machine('linux', '/opt/bin:/usr/bin', files, { '/usr/bin/python3': '/usr/bin/python3.11', '/usr/bin/python': '/usr/bin/python3.11' }))
  assert.deepEqual(paths(found), ['/usr/bin/python3', '/opt/bin/python3.13'])
})

test('on Windows: python, then the launcher; places in quotes and with blanks', () => {
  const files = ['C:\\Windows\\py.exe', 'D:\\My Python\\python.exe']
  const found = pythonsOnPath(machine('windows', 'C:\\Windows;"D:\\My Python";.;tools', files))
  assert.deepEqual(paths(found), ['D:\\My Python\\python.exe', 'C:\\Windows\\py.exe -3'])
})

test('on a Mac: places that the Dock does not know; no stand-in that opens a dialog', () => {
  const files = ['/usr/bin/python3', '/opt/homebrew/bin/python3.12']
  assert.deepEqual(paths(pythonsOnPath(machine('mac', '/usr/bin:/bin', files))), ['/opt/homebrew/bin/python3.12'])
  const tools = ['/Library/Developer/CommandLineTools/usr/bin']
  assert.deepEqual(paths(pythonsOnPath(machine('mac', '/usr/bin:/bin', files, {}, tools))), ['/usr/bin/python3', '/opt/homebrew/bin/python3.12'])
})

test('nothing of a place that is not absolute, or of a folder that is not trusted', () => {
  const files = ['python3', './python3', '/w/bin/python3', '/usr/bin/python3']
  assert.deepEqual(paths(pythonsOnPath(machine('linux', '.::bin:/w/bin:/usr/bin', files), ['/w'])), ['/usr/bin/python3'])
  assert.deepEqual(paths(pythonsOnPath(machine('linux', '/w/bin:/usr/bin', files))), ['/w/bin/python3'])
})

test('what lies in a folder is recognised, through links and in any case of letters', () => {
  const linux = machine('linux', '', [], { '/l/python': '/w/real/python', '/w2': '/w', '/home/bin': '/w/bin' })
  assert.ok(!isOutside('/w/.venv/bin/python', ['/w'], linux))
  assert.ok(!isOutside('/w/.venv/bin/python', ['/x', '/w/'], linux))
  assert.ok(!isOutside('/l/python', ['/w'], linux))
  assert.ok(!isOutside('/w/p', ['/w2'], linux))
  assert.ok(!isOutside('/home/bin/python', ['/w'], linux))
  assert.ok(isOutside('/wide/bin/python', ['/w'], linux))
  assert.ok(!isOutside('C:\\W\\p.exe', ['c:\\w'], machine('windows', '', [])))
  assert.ok(isOutside('D:\\w\\p.exe', ['C:\\w'], machine('windows', '', [])))
})

test('the interpreter of an environment', () => {
  assert.equal(pythonIn('/e', machine('linux', '', [])), '/e/bin/python')
  assert.equal(pythonIn('C:\\e', machine('windows', '', [])), 'C:\\e\\Scripts\\python.exe')
})

// -- what did not work -----------------------------------------------------------------------------------------------
const debian: Probe = { executable: '/usr/bin/python3', version: [3, 11, 2], numpy: null, venv: false }

test('Debian without venv: the command that mends it, to copy', () => {
  const fault = cannotMake(debian)
  assert.equal(fault.command, 'sudo apt install python3.11-venv')
  assert.ok(fault.sentence.includes('sudo apt install python3.11-venv'))
  const said = 'The virtual environment was not created successfully because ensurepip is not\navailable.  On Debian/Ubuntu systems, ...'
  assert.deepEqual(explainInstall('NumPy', said, debian), fault)
  assert.equal(cannotMake({ ...debian, executable: '/opt/python' }).button, 'Show Log')
})

test('what pip says, in words', () => {
  const cases: [string, RegExp, string][] = [
    ['WARNING: Retrying (Retry(total=1)) after connection broken by NewConnectionError\nERROR: No matching distribution found for numpy', /cannot be reached.*http\.proxy/, 'Try Again'],
    ['socket.gaierror: [Errno -3] Temporary failure in name resolution', /cannot be reached/, 'Try Again'],
    ['SSLError(SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED]"))', /certificate/, 'Show Log'],
    ["OSError: [Errno 28] No space left on device", /no space left/, 'Try Again'],
    ['ERROR: No matching distribution found for numpy>=1.24', /no ready-made NumPy for Python 3\.11/, 'Show Log'],
    ["ERROR: [Errno 13] Permission denied: '/x'", /may not be written/, 'Show Log'],
    ['something else', /^NumPy could not be installed\.$/, 'Show Log'],
  ]
  for (const [said, words, button] of cases) {
    const fault = explainInstall('NumPy', said, debian)
    assert.match(fault.sentence, words)
    assert.equal(fault.button, button)
  }
})

test('progress: what is downloaded and how large it is', () => {
  assert.equal(stageOf('Downloading ziglang-0.17.1-py3-none-any.whl (101.1 MB)'), 'downloading ziglang (101 MB)')
  assert.equal(stageOf('  Downloading https://x/y/numpy-2.1.0-cp311-cp311-linux_x86_64.whl (16 MB)'), 'downloading numpy (16 MB)')
  assert.equal(stageOf('Installing collected packages: numpy'), 'unpacking')
  assert.equal(stageOf('Collecting numpy>=1.24'), undefined)
})
