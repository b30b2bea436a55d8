// The result panel's parts that need no browser. Right values by hand.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexTicks, ticks } from '../../../vscode-extension/src/panel/axis'
import { colorOf, css, inkOn, scaleFor } from '../../../vscode-extension/src/panel/colors'
import { envelope } from '../../../vscode-extension/src/panel/envelope'
import { cell, digits, exact, rate, rateOfPeak, typeText } from '../../../vscode-extension/src/panel/format'
import { length, moved, scrollTo, visible, wrap } from '../../../vscode-extension/src/panel/grid'
import { edges, histogram } from '../../../vscode-extension/src/panel/histogram'
import { add, changes, entryOf, HistoryEntry, MOST_RUNS, outcome } from '../../../vscode-extension/src/panel/history'
import { defaultText, kindsFor, partsOf, sourceOf } from '../../../vscode-extension/src/panel/inputSource'
import { heatBox } from '../../../vscode-extension/src/panel/layout'
import { clampLeading, fullIndex, placeOf, planeOf, sample, Slice, sliceOf } from '../../../vscode-extension/src/panel/slicing'
import { Source } from '../../../vscode-extension/src/panel/source'
import { changedLines } from '../../../vscode-extension/src/panel/textDiff'
import { decode, half, Values } from '../../../vscode-extension/src/panel/values'
import { differenceExtent, differenceText, errorOf, facts, measures, roofline, statistics } from '../../../vscode-extension/src/panel/verdict'
import { all, isAll, pan, reveal, touched, zoom } from '../../../vscode-extension/src/panel/viewport'
import { EditorLayout, placeOfGroup } from '../../../vscode-extension/src/placement'
import { pageHtml } from '../../../vscode-extension/src/resultHtml'
import { valueAt } from '../../../vscode-extension/src/valueAtCursor'

const floats = (...numbers: number[]) => new Values('f32', [numbers.length], Float32Array.from(numbers))
const grid = (rows: number, columns: number) => new Values('f32', [rows, columns], Float32Array.from({ length: rows * columns }, (_, k) => k))
const listed = (values: Values) => Array.from({ length: values.count }, (_, k) => values.at(k))

test('bytes are read as their dtype, little-endian, wherever they begin', () => {
  const bytes = (...all: number[]) => Uint8Array.from([9, ...all]).subarray(1) // not aligned
  assert.deepEqual(listed(decode('i16', [2], bytes(0xff, 0xff, 0x01, 0x02))), [-1, 0x201])
  assert.deepEqual(listed(decode('bool', [3], bytes(1, 0, 1))), [true, false, true])
  assert.deepEqual(listed(decode('f32', [1], bytes(0, 0, 0xc0, 0x3f))), [1.5])
  assert.deepEqual(listed(decode('u64', [1], bytes(255, 255, 255, 255, 255, 255, 255, 255))), [2n ** 64n - 1n])
  assert.deepEqual(listed(decode('f16', [2], bytes(0x00, 0x3c, 0x00, 0xfc))), [1, -Infinity])
  assert.throws(() => decode('f32', [2], bytes(0, 0, 0, 0)), /no f32\[2\]/)
})

test('half floats: normal, smallest, largest, special', () => {
  assert.deepEqual([0x3555, 0x0001, 0x7bff, 0x8000, 0xc000].map(half), [0.333251953125, 2 ** -24, 65504, -0, -2])
  assert.ok(Number.isNaN(half(0x7e00)))
})

test('a window of a matrix, with steps', () => {
  const window = grid(4, 5).window([1, 4, 2], [0, 5, 3])
  assert.deepEqual([window.shape, listed(window)], [[2, 2], [5, 8, 15, 18]])
})

test('cells have six digits or the whole part, exact values as few as tell them apart', () => {
  assert.deepEqual([1 / 3, 1234567.8, 65536, 1e-7, -0, NaN, -Infinity].map(cell), ['0.333333', '1,234,568', '65,536', '1e-7', '-0', 'nan', '-inf'])
  assert.deepEqual([cell(true), cell(2n ** 63n), cell(undefined)], ['true', '9,223,372,036,854,775,808', ''])
  assert.equal(exact(Math.fround(0.1), 'f32'), '0.1')
  assert.equal(exact(0.1, 'f64'), '0.1')
  assert.equal(exact(Math.fround(0.1), 'f64'), '0.10000000149011612')
  assert.equal(exact(half(0x2e66), 'f16'), '0.1')
  assert.equal(exact(Math.fround(16777216), 'f32'), '16,777,216')
  assert.deepEqual([exact(10, 'f32'), exact(1e-20, 'f64'), exact(1e300, 'f64')], ['10', '1e-20', '1e300'])
  assert.equal(exact(-5, 'i32'), '-5')
})

test('few digits are grouped and never padded', () => {
  assert.deepEqual([0.25, 12345.678, 1e12, 2.4e-7, 0].map(value => digits(value, 6)), ['0.25', '12,345.7', '1e12', '2.4e-7', '0'])
})

test('shapes read as in the language, rates have units that fit', () => {
  assert.equal(typeText('f32', [256, 1]), 'f32[256, 1]')
  assert.equal(rate(2 * 256 ** 3, 0.375, 'FLOP'), '89.5 GFLOP/s')
  assert.equal(rate(10, 1, 'B'), '10 kB/s')
})

test('slices: a vector is one row, a scalar one element, leading axes are fixed', () => {
  assert.deepEqual(planeOf([6, 20, 32]), { rows: 20, columns: 32, leading: [6] })
  assert.deepEqual([planeOf([7]), planeOf([])].map(({ rows, columns }) => [rows, columns]), [[1, 7], [1, 1]])
  assert.deepEqual(sliceOf([2, 3, 4], [9], [0, 3, 1], [1, 2, 1]), [1, [0, 3, 1], [1, 2, 1]])
  assert.deepEqual(sliceOf([7], [], [0, 1, 1], [2, 5, 1]), [[2, 5, 1]])
  assert.deepEqual(sliceOf([], [], [0, 1, 1], [0, 1, 1]), [])
  assert.deepEqual(clampLeading([2, 5, 3, 4], [-1, 7]), [0, 4])
  assert.deepEqual([fullIndex([2, 3, 4], [1], 2, 3), fullIndex([7], [], 0, 3), fullIndex([], [], 0, 0)], [[1, 2, 3], [3], []])
  assert.deepEqual([placeOf([1, 2, 3]), placeOf([3])], [{ leading: [1], row: 2, column: 3 }, { leading: [], row: 0, column: 3 }])
})

test('a sample takes evenly and never more than the limit', () => {
  for (const shape of [[10_000_000], [4096, 4096], [7, 1000, 1000, 3], [5, 3]]) {
    const { slice, every } = sample(shape, 1000)
    const count = slice.reduce<number>((n, one) => (typeof one === 'number' ? n : n * Math.ceil((one[1] - one[0]) / one[2])), 1)
    assert.ok(count <= 1000 && count >= Math.min(100, shape.reduce((a, b) => a * b)), `${shape}: ${count}`)
    assert.ok(every >= 1)
  }
  assert.equal(sample([5, 3], 1000).every, 1)
})

test('a small output is fetched once and whole, of a large one each part once', async () => {
  const asked: Slice[][] = []
  const small = new Source('f32', [2, 3, 4], async slice => (asked.push(slice), new Values('f32', [2, 3, 4], Float32Array.from({ length: 24 }, (_, k) => k))))
  assert.deepEqual(listed(await small.plane([1], [0, 3, 2], [1, 3, 1])), [13, 14, 21, 22])
  assert.deepEqual(listed(await small.plane([0], [2, 3, 1], [0, 1, 1])), [8])
  assert.deepEqual(asked, [[]])
  asked.length = 0
  const large = new Source('f32', [1000, 1000], async slice => (asked.push(slice), grid(1, 1)))
  await large.plane([], [0, 64, 1], [0, 64, 1])
  await large.plane([], [0, 64, 1], [0, 64, 1])
  assert.deepEqual(asked, [[[0, 64, 1], [0, 64, 1]]])
})

test('a fetch that failed is asked for again', async () => {
  let tries = 0
  const source = new Source('f32', [2], async () => {
    if (tries++ === 0) throw new Error('gone')
    return floats(1, 2)
  })
  await assert.rejects(source.plane([], [0, 1, 1], [0, 2, 1]), /gone/)
  assert.deepEqual(listed(await source.plane([], [0, 1, 1], [0, 2, 1])), [1, 2])
})

test('ticks are round and inside', () => {
  assert.deepEqual(ticks(-1.2, 1.2, 5), [-1, -0.5, 0, 0.5, 1])
  assert.deepEqual(ticks(0, 0.3, 3), [0, 0.1, 0.2, 0.3])
  assert.deepEqual(ticks(3, 3, 5), [3])
  assert.deepEqual(indexTicks(0, 256, 5), [0, 100, 200])
  assert.deepEqual(indexTicks(3, 6, 9), [3, 4, 5])
})

test('a scale is two-sided around zero when zero lies inside, else dark to light', () => {
  const two = scaleFor(-2, 8)
  assert.deepEqual([two.low, two.high, two.diverging], [-8, 8, true])
  assert.deepEqual(colorOf(two, 0).every(part => part > 235), true)
  const one = scaleFor(0, 10)
  assert.equal(one.diverging, false)
  assert.equal(css(colorOf(one, 0)), 'rgb(68, 1, 84)')
  assert.equal(css(colorOf(one, 99)), 'rgb(253, 231, 37)')
  const light = (place: number) => colorOf(one, place).reduce((sum, part, k) => sum + part * [0.21, 0.72, 0.07][k]!, 0)
  for (let k = 1; k <= 20; k++) assert.ok(light(k / 2) >= light((k - 1) / 2), `${k}`)
  assert.deepEqual([inkOn([253, 231, 37]), inkOn([68, 1, 84])], ['#000', '#fff'])
  assert.ok(colorOf(scaleFor(3, 3), 3))
})

test('histograms: every finite element in one bin, round edges, integers one each', () => {
  const bins = histogram(floats(0, 0.05, 0.1, 0.25, 0.25, 0.99, NaN, Infinity), 10)
  assert.deepEqual([bins.begin, bins.width, bins.others, bins.total], [0, 0.1, 2, 6])
  assert.deepEqual(bins.counts, [2, 1, 2, 0, 0, 0, 0, 0, 0, 1])
  assert.deepEqual(edges(bins, 3), [0.3, 0.4])
  const whole = histogram(new Values('i32', [4], Int32Array.from([-2, 0, 0, 1])), 30)
  assert.deepEqual([whole.begin, whole.counts, whole.whole], [-2, [1, 0, 2, 1], true])
  assert.deepEqual(histogram(floats(3, 3, 3), 10).counts, [3])
  assert.deepEqual(histogram(floats(NaN), 10).counts, [])
  const wide = histogram(floats(-3e38, 3e38), 10)
  assert.equal(wide.counts.reduce((a, b) => a + b), 2)
})

test('the envelope of a million elements misses no spike', () => {
  const data = new Float32Array(1_000_000)
  data[654_321] = 7
  data[654_322] = -7
  const columns = envelope(new Values('f32', [1, data.length], data), 500)
  assert.equal(columns.length, 500)
  assert.equal(Math.max(...columns.map(({ high }) => high)), 7)
  assert.equal(Math.min(...columns.map(({ low }) => low)), -7)
  assert.ok(Number.isNaN(envelope(floats(NaN, 1), 2)[0]?.low))
})

test('zooming keeps what is under the pointer, and ends at the edges', () => {
  const near = zoom(all(100), 100, 0.5, 0.2)
  assert.deepEqual(near, { begin: 10, end: 60 })
  assert.deepEqual(zoom(near, 100, 100, 0.5), { begin: 0, end: 100 })
  assert.ok(isAll(zoom(near, 100, 100, 0.5), 100))
  assert.deepEqual(pan({ begin: 10, end: 60 }, 100, 90), { begin: 50, end: 100 })
  assert.deepEqual(pan({ begin: 10, end: 60 }, 100, -90), { begin: 0, end: 50 })
  assert.deepEqual(reveal({ begin: 10, end: 60 }, 100, 60), { begin: 11, end: 61 })
  assert.equal(zoom(all(100), 100, 1e-9, 0).end, 2)
})

test('what is fetched covers what is seen, in steps that do not move with it', () => {
  assert.deepEqual(touched({ begin: 0, end: 100 }, 100, 1024), [0, 100, 1])
  const [begin, end, step] = touched({ begin: 1001.5, end: 9001.5 }, 10_000, 1000)
  assert.ok(begin <= 1001 && end >= 9002 && begin % step === 0)
  assert.ok((end - begin) / step <= 1001)
})

test('a table of any length scrolls to its last row', () => {
  assert.deepEqual(visible(1000, 22, 0, 220), { first: 0, end: 10, offset: 0 })
  assert.deepEqual(visible(1000, 22, 33, 220), { first: 1, end: 12, offset: 22 })
  const rows = 100_000_000
  const drawn = length(rows, 22)
  assert.ok(drawn <= 8_000_000)
  const last = visible(rows, 22, drawn - 220, 220)
  assert.deepEqual([last.end, last.first], [rows, rows - 10])
  const scroll = scrollTo(rows, 22, 0, 220, 50_000_000)
  const line = visible(rows, 22, scroll ?? 0, 220)
  assert.ok(line.first <= 50_000_000 && line.end >= 50_000_000)
  assert.equal(scrollTo(1000, 22, 0, 220, 3), undefined)
})

test('vectors wrap into rows, keys move inside the table', () => {
  assert.deepEqual([wrap(100, 7.3), wrap(3, 20), wrap(0, 5)], [{ rows: 25, columns: 4 }, { rows: 1, columns: 3 }, { rows: 0, columns: 0 }])
  assert.deepEqual(moved(0, 0, 5, 5, 'ArrowUp', 3), [0, 0])
  assert.deepEqual(moved(1, 1, 5, 5, 'ctrl+End', 3), [4, 4])
  assert.deepEqual(moved(1, 1, 5, 5, 'PageDown', 3), [4, 1])
  assert.equal(moved(1, 1, 5, 5, 'a', 3), undefined)
})

test('heat maps have square cells where they fit, and thin matrices are seen', () => {
  assert.deepEqual(heatBox(3, 4, 400, 400), { width: 224, height: 168 })
  assert.deepEqual(heatBox(256, 256, 500, 400), { width: 400, height: 400 })
  assert.equal(heatBox(1, 10_000, 400, 400).height, 14)
  assert.deepEqual(heatBox(0, 4, 400, 400), { width: 0, height: 0 })
})

const result = { ok: true, verified: true, difference: 2.4e-7, build_ms: 41, kernel_ms: 0.5, operations: 1e6, memory_bytes: 4e5,
  outputs: [{ name: '%y', dtype: 'f32', shape: [2], digest: 'a', stats: { min: 0, max: 1, mean: 0.5, nan: 1, inf: 0 } }] }
const wrong = { output: '%y', against: 'expect' as const, index: [0, 2], got: '0.23', wanted: '0.25', count: 3, size: 12, largest: 0.02 }

test('the head says what held and what did not', () => {
  assert.deepEqual(facts({ ...result, expect: true }).map(({ mark, text }) => `${mark} ${text}`),
    ['✓ as expected', '✓ verified against the reference (largest difference 2.4e-7)'])
  const failed = { ...result, ok: false, expect: false, error: 'not as expected: ...', differences: [wrong] }
  assert.deepEqual(facts(failed).map(({ mark }) => mark), ['✗', '✓'])
  assert.equal(errorOf(failed), undefined)
  assert.equal(differenceText(wrong), '%y[0, 2] is 0.23, expected 0.25')
  assert.equal(differenceExtent(wrong), '3 of 12 elements differ · largest error 0.02')
  assert.equal(differenceExtent({ ...wrong, largest: null, size: 1, count: 1 }), 'largest error infinite')
  assert.deepEqual(facts({ ...result, verified: null }).map(({ text }) => text), ['not verified'])
})

test('times and rates, and statistics that point at what is odd', () => {
  assert.deepEqual(measures(result).map(({ name, value }) => `${name} ${value}`), ['build 41 ms', 'kernel 500 µs', 'compute 2 GFLOP/s', 'memory 800 MB/s'])
  assert.deepEqual(measures({ ok: true }), [])
  for (const shape of [[], [0], [3, 0]]) assert.deepEqual(statistics({ ...result.outputs[0]!, shape }), []) // one element, or none
  assert.deepEqual(statistics(result.outputs[0]!).filter(({ bad }) => bad).map(({ name, value }) => [name, value]), [['NaN', '1']])
})

test('the history says what changed since the run before of the same value', () => {
  const entry = (time: number, digest: string, kernel: number, value?: string): HistoryEntry =>
    ({ ...entryOf(time, value, { ...result, kernel_ms: kernel }), digest })
  const history = [entry(5, 'b', 1), entry(4, 'a', 2, '%x'), entry(3, 'a', 2), entry(2, 'a', 1.02), entry(1, 'a', 1)]
  assert.deepEqual(history.map((_, k) => changes(history, k)),
    [['results changed', 'kernel 2× faster'], [], ['same results', 'kernel 96% slower'], ['same results'], []])
  assert.equal(outcome(entryOf(0, undefined, { ...result, expect: false })), 'not as expected')
  let long: HistoryEntry[] = []
  for (let k = 0; k < 30; k++) long = add(long, entry(k, 'a', 1))
  assert.deepEqual([long.length, long[0]?.time], [MOST_RUNS, 29])
})

test('a speed is told against the peak, and what limits it in words', () => {
  assert.equal(rateOfPeak(62.4e9, 94.1e9, 'FLOP'), '62 of 94 GFLOP/s (66 %)')
  assert.equal(rateOfPeak(0.32e9, 23e9, 'B'), '0.32 of 23 GB/s (1 %)')
  const speed = { compute: { rate: 2e9, peak: 8e9 }, memory: { rate: 8e8, peak: null }, bound: 'compute' as const, words: 'compute-bound: at 2.5 operations a byte' }
  assert.deepEqual(measures({ ...result, speed }).map(({ value }) => value).slice(2), ['2 of 8 GFLOP/s (25 %)', '800 MB/s'])
  assert.equal(roofline({ ...result, speed }), 'Compute-bound: at 2.5 operations a byte.')
  assert.equal(roofline(result), '')
})

test('the lines that changed between two runs', () => {
  const text = (...lines: string[]) => lines.join('\n')
  const told = (before: string, after: string) => changedLines(before, after)?.lines.map(({ sign, line, text }) => `${sign}${line} ${text}`)
  assert.equal(told('a\nb', 'a\nb'), undefined)
  assert.equal(told('a\nb', 'a\n\nb'), undefined) // a blank line is no change of the program
  assert.deepEqual(told(text('a', 'b', 'c'), text('a', 'x', 'c')), ['-2 b', '+2 x'])
  assert.deepEqual(told(text('a', 'b', 'c', 'd'), text('new', 'a', 'c', 'd', 'end')), ['+1 new', '-2 b', '+5 end'])
  assert.deepEqual(told('a\r\nb', 'a\nc'), ['-2 b', '+2 c'])
  const many = Array.from({ length: 3000 }, (_, k) => `line ${k}`)
  const change = changedLines(many.join('\n'), many.map(line => line + '!').join('\n'))
  assert.deepEqual([change?.lines.length, change?.more], [8, 5992])
  const entry = entryOf(1, undefined, result, 'b', 'a')
  assert.deepEqual(entry.edits?.lines.map(({ sign }) => sign), ['-', '+'])
  assert.equal(entryOf(1, undefined, result, 'b').edits, undefined)
})

test('an input directive comes apart and together again', () => {
  for (const source of ['arange', 'full 7', 'uniform -1 1 seed=3', 'uniform 0 1', 'randn seed=2', 'randn', 'file "a b.npy"', 'file "x.npz" "w"', '[1, 2, 3]', '']) {
    assert.equal(sourceOf(partsOf(source)), source)
  }
  assert.deepEqual(partsOf(null), { kind: 'default', fields: [] })
  assert.equal(sourceOf({ kind: 'uniform', fields: [] }), 'uniform 0 1')
  assert.ok(!kindsFor('i32').includes('randn') && kindsFor('f16').includes('uniform'))
  assert.deepEqual([defaultText('f32', 3), defaultText('u8', 0)], ['randn seed=3', 'random integers 0 to 16'])
})

test('where a group of editors stands', () => {
  const beside: EditorLayout = { orientation: 0, groups: [{}, {}] }
  const below: EditorLayout = { orientation: 1, groups: [{}, {}] }
  const mixed: EditorLayout = { orientation: 0, groups: [{ groups: [{}, {}] }, {}] }
  assert.deepEqual([placeOfGroup(beside, 2), placeOfGroup(below, 2), placeOfGroup(mixed, 2), placeOfGroup(mixed, 3)], ['beside', 'below', 'below', 'beside'])
})

test('the value of a place is the name under it, else the one that the line defines', () => {
  const line = '  %y = add %a.1, %b # not %c'
  assert.deepEqual([0, 12, 18, 27].map(column => valueAt(line, column)), ['%y', '%a.1', '%b', '%y'])
  assert.equal(valueAt('# %x = add', 3), undefined)
})

test('elements that came with a run are there at once, the others are fetched', async () => {
  const fetched: unknown[] = []
  const looked: unknown[] = []
  const numbers = (shape: number[], first: number) => new Values('f32', shape, Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, k) => first + k))
  const source = new Source('f32', [3, 100, 200], async slice => (fetched.push(slice), numbers([3, 100, 200], 0)), undefined, slice => looked.push(slice))
  assert.equal(source.now([1], [0, 2, 1], [0, 2, 1]), undefined)
  source.keep([1, [10, 20, 1], [50, 80, 1]], numbers([10, 30], 500)) // element [1, r, c] is 500 + 30 (r - 10) + c - 50
  assert.deepEqual([...(source.now([1], [12, 14, 1], [51, 54, 1])?.raw ?? [])], [561, 562, 563, 591, 592, 593])
  assert.deepEqual([...(source.now([1], [19, 20, 1], [50, 80, 2])?.raw ?? [])].slice(0, 3), [770, 772, 774])
  for (const [leading, rows, columns] of [[0, [12, 14], [51, 54]], [1, [9, 14], [51, 54]], [1, [12, 21], [51, 54]], [1, [12, 14], [49, 54]], [1, [12, 14], [51, 81]]] as const) {
    assert.equal(source.now([leading], [rows[0], rows[1], 1], [columns[0], columns[1], 1]), undefined)
  }
  assert.deepEqual(fetched, [])
  assert.deepEqual(looked.at(-1), [1, [19, 20, 1], [50, 80, 2]])
  assert.deepEqual([...(await source.plane([2], [0, 1, 1], [0, 2, 1])).raw], [40000, 40001])
  assert.deepEqual(looked.at(-1), [2, [0, 1, 1], [0, 2, 1]])
  assert.equal(fetched.length, 1)
})

test('elements at steps, of a vector, of a scalar and of several matrices', () => {
  const never = () => Promise.reject(new Error('fetched'))
  const vector = new Source('i32', [1000], never)
  vector.keep([[100, 200, 1]], new Values('i32', [100], Int32Array.from({ length: 100 }, (_, k) => 100 + k)))
  assert.deepEqual([...(vector.now([], [0, 1, 1], [110, 113, 1])?.raw ?? [])], [110, 111, 112])
  assert.equal(vector.now([], [0, 1, 1], [199, 201, 1]), undefined)
  const stepped = new Source('i32', [1000], never)
  stepped.keep([[0, 1000, 10]], new Values('i32', [100], new Int32Array(100)))
  assert.equal(stepped.now([], [0, 1, 1], [0, 5, 1]), undefined) // not all of them
  const scalar = new Source('i32', [], never, new Values('i32', [], Int32Array.of(7)))
  assert.deepEqual([...(scalar.now([], [0, 1, 1], [0, 1, 1])?.raw ?? [])], [7])
  const cube = new Source('i32', [4, 2, 3], never)
  cube.keep([[1, 3, 1], [0, 2, 1], [0, 3, 1]], new Values('i32', [2, 2, 3], Int32Array.from({ length: 12 }, (_, k) => 6 + k)))
  assert.deepEqual([1, 2].map(at => cube.now([at], [1, 2, 1], [2, 3, 1])?.raw[0]), [11, 17])
  assert.deepEqual([0, 3].map(at => cube.now([at], [1, 2, 1], [2, 3, 1])), [undefined, undefined])
})

test('the page has its own style and script in it and loads nothing', () => {
  const page = pageHtml('Result', ['.a::after { content: "</style>" }'], 'say("</script><script>")', 'abc')
  assert.match(page, /default-src 'none'; style-src 'nonce-abc'; script-src 'nonce-abc'"/)
  assert.doesNotMatch(page, /unsafe|style="|onclick|src="|href="/)
  assert.equal(page.split('</script>').length, 2) // its own end only
  assert.equal(page.split('</style>').length, 2)
})
