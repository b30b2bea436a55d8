// The text of an input directive and its parts, for the form: `uniform -1 1 seed=3`.

export const KINDS = ['default', 'arange', 'zeros', 'ones', 'full', 'randn', 'uniform', 'file', 'list'] as const
export type Kind = (typeof KINDS)[number]

export interface Parts {
  kind: Kind
  fields: string[] // in the order of FIELDS
}

export interface Field {
  name: string
  start: string // what it holds at first
  optional?: boolean
}

/** What each kind asks for. */
export const FIELDS: Record<Kind, readonly Field[]> = {
  default: [],
  arange: [],
  zeros: [],
  ones: [],
  full: [{ name: 'value', start: '1' }],
  randn: [{ name: 'seed', start: '', optional: true }],
  uniform: [{ name: 'from', start: '0' }, { name: 'to', start: '1' }, { name: 'seed', start: '', optional: true }],
  file: [{ name: 'path', start: '' }, { name: 'array', start: '', optional: true }],
  list: [{ name: 'values', start: '' }],
}

/** Whether a file of that name holds arrays with names. */
export function hasMembers(path: string): boolean {
  return /\.(npz|safetensors)\s*$/i.test(path)
}

/** The parts of a directive's text; null (no directive) is the default. */
export function partsOf(source: string | null): Parts {
  if (source === null || source === '') return { kind: 'default', fields: [] }
  if (source.startsWith('[')) return { kind: 'list', fields: [source.replace(/^\[|\]$/g, '')] }
  const [word = '', ...rest] = source.match(/"[^"]*"|[^\s"]+/g) ?? []
  const kind = KINDS.find(known => known === word) ?? 'default'
  return { kind, fields: FIELDS[kind].map(({ name }, k) => (name === 'seed' ? seedOf(source) : (rest[k] ?? '').replace(/^"|"$/g, ''))) }
}

function seedOf(source: string): string {
  return /seed\s*=\s*(\S+)/.exec(source)?.[1] ?? ''
}

/** The directive's text of the parts; empty for the default. */
export function sourceOf({ kind, fields }: Parts): string {
  const filled = FIELDS[kind].map(({ name, start }, k) => ({ name, text: (fields[k] ?? start).trim() }))
  if (kind === 'default') return ''
  if (kind === 'list') return `[${filled[0]?.text ?? ''}]`
  const texts = filled.filter(({ text }) => text !== '').map(({ name, text }) => (name === 'seed' ? `seed=${text}` : kind === 'file' ? `"${text}"` : text))
  return [kind, ...texts].join(' ')
}

/** What a buffer holds that nothing is said about. */
export function defaultText(dtype: string, slot: number): string {
  if (dtype.startsWith('f')) return `randn seed=${slot}`
  if (dtype === 'bool') return 'random true and false'
  return `random integers ${dtype.startsWith('u') ? '0 to 16' : '-8 to 8'}`
}

/** The kinds that a dtype can have: randn and uniform give floats. */
export function kindsFor(dtype: string): Kind[] {
  return KINDS.filter(kind => dtype.startsWith('f') || (kind !== 'randn' && kind !== 'uniform'))
}
