// The extension's parts that need no editor.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesBehind, linesFrom, underBanner } from '../../../vscode-extension/src/linkedLines'
import { fitting } from '../../../vscode-extension/src/lineText'
import { duration, explain, report, verdict, verdicts } from '../../../vscode-extension/src/result'

const at = (...lines: number[]) => lines.map(line => ({ line, name: `%${line}` }))
const MAP = [[], at(2), at(2, 3), at(5), []]

test('a source line lights every generated line that came from it', () => {
  assert.deepEqual(linesFrom(MAP, 2), [1, 2])
  assert.deepEqual(linesFrom(MAP, 3), [2])
  assert.deepEqual(linesFrom(MAP, 4), [])
})

test('generated lines light the source lines behind them, each once, in order', () => {
  assert.deepEqual(linesBehind(MAP, 2), [2, 3])
  assert.deepEqual(linesBehind(MAP, 1, 3), [2, 3, 5])
  assert.deepEqual(linesBehind(MAP, 0), [])
  assert.deepEqual(linesBehind(MAP, 99), [])
})

test('under a banner the map still points at the same text', () => {
  const { text, map } = underBanner('// old', 'void f() {\n  x;\n}\n', [[], at(4), []])
  assert.equal(text.split('\n')[2], '  x;')
  assert.deepEqual(linesFrom(map, 4), [2])
})

test('times have the unit that fits', () => {
  assert.equal(duration(0.00083), '830 ns')
  assert.equal(duration(0.0123), '12.3 µs')
  assert.equal(duration(41.234), '41.2 ms')
  assert.equal(duration(61_000), '61 s')
})

test('values behind a line are cut between elements, where half a window ends', () => {
  const line = '%0 = buffer 65536 : dtype=f32 slot=0'
  assert.equal(fitting('[3, -inf, nan, 2]', line, 'f32[4]'), '[3, -inf, nan, 2]')
  assert.equal(fitting('[0.3456, 0.8216, 0.3304, …', line, 'f32[65536]'), '[0.3456, 0.8216, …')
  assert.equal(fitting('[0.3456, 0.8216, 0.3304, …', '%y = sin %x', 'f32[4]'), '[0.3456, 0.8216, 0.3304, …')
  for (let length = 0; length < 200; length++) {
    const text = fitting('[0, 1, 2, 3, 4, 5, 6, 7, 8, …', 'x'.repeat(length), 'f32[12]')
    assert.ok(text.endsWith('…') && (text.length <= 12 || text.length + length + 7 + 4 <= 68), `${length}: ${text}`)
  }
  assert.equal(fitting('-1.234567890123e+100', 'x'.repeat(80), 'f64[]'), '-1.234567890123e+100')
})

test('a result says what was checked, and how it went', () => {
  assert.deepEqual(verdicts({ ok: true, verified: true, expect: null }), ['✓ verified against the reference'])
  assert.deepEqual(verdicts({ ok: true, verified: true, difference: 6.04e-8, expect: true }), [
    '✓ verified against the reference (largest difference 6.0e-8)',
    '✓ as expected',
  ])
  const stats = { min: -1.5, max: 68.15248, mean: null, nan: 0, inf: 2 }
  const output = { name: '%c', dtype: 'f32', shape: [2, 65536], preview: '[[1. 2.]]', stats }
  const text = report('a.uir', { ok: false, outputs: [output], build_ms: 40, expect: false, error: 'not as expected: %c [0] is 1, not 2' })
  assert.match(text, /^── a\.uir · build 40 ms\n✗ Not as expected: %c \[0\] is 1, not 2\.\n/)
  assert.match(text, /%c : f32\[2, 65,536\]\n\[\[1\. 2\.\]\]\nmin -1\.5 · max 68\.15 · inf 2\n/)
})

test('an error is a sentence, with the setting or the command that mends it', () => {
  assert.deepEqual(explain('took longer than 10 s (raise --timeout)'), {
    sentence: 'Took longer than 10 s.',
    mend: { button: 'Raise the Limit', setting: 'uir.run.timeout' },
  })
  assert.deepEqual(explain('no C compiler found: install gcc'), {
    sentence: 'No C compiler was found, and a run needs one. Installing one is a download of about 100 MB.',
    mend: { button: 'Install a C Compiler', command: 'uir.installCompiler' },
  })
  assert.deepEqual(explain('NumPy is not installed in /usr/bin/python3, and a run needs it'), {
    sentence: 'NumPy is not installed in /usr/bin/python3, and a run needs it. Installing it leaves that Python as it is.',
    mend: { button: 'Install NumPy', command: 'uir.installNumPy' },
  })
  assert.deepEqual(explain('stopped by SIGSEGV'), { sentence: 'Stopped by SIGSEGV.' })
})

test('the verdict is a few words', () => {
  assert.equal(verdict({ ok: true, expect: true, verified: true, kernel_ms: 0.00049 }), '✓ as expected · verified · 490 ns')
  assert.equal(verdict({ ok: true, expect: null, verified: true }), '✓ verified')
  assert.equal(verdict({ ok: true, expect: null, verified: null, kernel_ms: 2 }), 'ran, unchecked · 2 ms')
  assert.equal(verdict({ ok: false, error: 'not as expected: %c [0] is 1, not 2' }), '✗ Not as expected')
})
