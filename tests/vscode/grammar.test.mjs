// The TextMate grammar, read by VS Code's own engine: what each piece of a line is.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { before, test } from 'node:test'
import { ROOT, VSCODE } from '../../scripts/vscode_server.mjs'

const require = createRequire(path.join(VSCODE, 'package.json'))
const oniguruma = require('vscode-oniguruma')
const textmate = require('vscode-textmate')

let grammar
before(async () => {
  await oniguruma.loadWASM(fs.readFileSync(path.join(path.dirname(require.resolve('vscode-oniguruma')), 'onig.wasm')).buffer)
  const file = path.join(ROOT, 'vscode-extension', 'syntaxes', 'uir.tmLanguage.json')
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
      createOnigString: text => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file),
  })
  grammar = await registry.loadGrammar('source.uir')
})

/** The innermost scope of the first token of `line` whose text is `piece`. */
function scopeOf(line, piece) {
  const { tokens } = grammar.tokenizeLine(line, textmate.INITIAL)
  const token = tokens.find(({ startIndex, endIndex }) => line.slice(startIndex, endIndex) === piece)
  assert.ok(token, `"${piece}" is no token of its own in: ${tokens.map(t => line.slice(t.startIndex, t.endIndex)).join('|')}`)
  return token.scopes.at(-1)
}

const TABLE = [
  ['%0 = buffer 65536 : dtype=f32 slot=0', { '%0': 'variable.other.definition', buffer: 'keyword.control', 65536: 'constant.numeric', dtype: 'variable.parameter', f32: 'support.type', slot: 'variable.parameter' }],
  ['%a.b = reshape %x_1 shape=[3 4]', { '%a.b': 'variable.other.definition', reshape: 'entity.name.function.movement', '%x_1': 'variable.other', shape: 'variable.parameter', 4: 'constant.numeric' }],
  ['%y = reduce %x : op=add pop=1', { reduce: 'entity.name.function', op: 'variable.parameter', add: 'constant.language', 1: 'constant.numeric' }],
  ['%n = mul %x, 0x1.8p+1', { mul: 'entity.name.function', '0x1.8p+1': 'constant.numeric.hex' }],
  ['%n = add -.5, 1e-3', { '-.5': 'constant.numeric', '1e-3': 'constant.numeric' }],
  ['%n = where True, -inf, nan', { True: 'constant.language', '-inf': 'constant.language', nan: 'constant.language' }],
  ['# uir: input 0 = uniform 0 1 seed=3', { 'uir:': 'keyword.control.directive', input: 'keyword.control.directive', uniform: 'support.function', seed: 'variable.parameter', 3: 'constant.numeric' }],
  ['# uir: expect = file "a.npy"', { expect: 'keyword.control.directive', '"a.npy"': 'string.quoted' }],
  ['# uir: reduce=leading', { leading: 'constant.language' }],
  ['# uop v1 a title', { v1: 'constant.language', ' a title': 'comment.line' }],
]

for (const [line, pieces] of TABLE) {
  test(line, () => {
    for (const [piece, scope] of Object.entries(pieces)) {
      const found = scopeOf(line, piece)
      assert.ok(found.startsWith(scope), `${piece}: ${found}, not ${scope}`)
    }
  })
}

test('a comment is a comment to the end of the line, and a directive ends with it', () => {
  assert.match(scopeOf('%a = neg %b  # uses %b = 3', '# uses %b = 3'), /^comment/)
  const first = grammar.tokenizeLine('# uir: input 0 = ones', textmate.INITIAL)
  const next = grammar.tokenizeLine('%a = neg %b', first.ruleStack)
  assert.deepEqual(next.tokens[0].scopes, ['source.uir', 'variable.other.definition.uir'])
})
