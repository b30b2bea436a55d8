// Runs the extension's tests: its pure parts by themselves, then everything in a real VS Code.
// Arguments choose test files by a part of their name.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './vscode_server.mjs'

const words = process.argv.slice(2)
const tests = path.join(ROOT, 'tests', 'vscode')
const extension = path.join(ROOT, 'vscode-extension')

/** Test files in TypeScript, bundled for Node. */
function unitTests() {
  const folder = path.join(tests, 'unit')
  const sources = fs.readdirSync(folder).filter(name => name.endsWith('.test.ts')).map(name => path.join(folder, name))
  const outdir = path.join(ROOT, '.cache', 'unit-tests')
  const esbuild = path.join(extension, 'node_modules', '.bin', 'esbuild')
  const args = ['--bundle', '--platform=node', '--format=esm', '--out-extension:.js=.mjs', '--log-level=warning', `--outdir=${outdir}`]
  if (spawnSync(esbuild, [...sources, ...args], { stdio: 'inherit' }).status !== 0) process.exit(1)
  return sources.map(source => path.join(outdir, path.basename(source, '.ts') + '.mjs'))
}

const editorTests = fs.readdirSync(tests).filter(name => name.endsWith('.test.mjs')).map(name => path.join(tests, name))
// Pictures of every state of a panel are for people to look at: they are made when they are asked for.
const onlyAsked = file => path.basename(file).endsWith('Pictures.test.mjs')
const chosen = [...unitTests(), ...editorTests].filter(file =>
  words.length === 0 ? !onlyAsked(file) : words.some(word => path.basename(file).includes(word)),
)

/** Runs test files; those with a failed test are given back, null when there was none. */
function run(files, concurrency) {
  const list = path.join(ROOT, '.cache', 'failed-files.txt')
  const reporter = path.join(ROOT, 'scripts', 'failed_files.mjs')
  const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout', `--test-reporter=${reporter}`, `--test-reporter-destination=${list}`]
  const { status } = spawnSync(process.execPath, ['--test', `--test-concurrency=${concurrency}`, ...reporters, ...files], { stdio: 'inherit', cwd: ROOT })
  return status === 0 ? null : fs.readFileSync(list, 'utf8').split('\n').filter(Boolean)
}

// One window at a time: on a machine with two cores a second one takes from the first what it waits for.
let failed = run(chosen, 1)
for (let attempt = 0; attempt < 2; attempt++) {
  const again = failed?.filter(file => editorTests.includes(file)) ?? []
  if (again.length === 0 || again.length < failed.length) break
  // A window on a busy machine can be late for a test that waits.
  console.log(`\nOnce more: ${again.map(file => path.basename(file)).join(', ')}\n`)
  failed = run(again, 1)
}
process.exit(failed === null ? 0 : 1)
