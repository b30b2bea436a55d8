// What `uir/indexMap` answers: see lsp/README.md.

export type Formula = number | readonly [string, ...Formula[]]

export interface Chosen {
  first: number
  last: number
  by: string // what the index is, as text
}

export interface Inverse {
  index: Formula[]
  guard?: Formula
  free?: number[]
}

export interface Edge {
  to: number
  index: Formula[]
  guard?: Formula
  case?: Formula
  over?: number[]
  chosen?: Chosen[]
  decides?: boolean
  inverse: Inverse
}

export type Reduction = 'sum' | 'max' | 'product'

export interface MapNode {
  name: string
  op: string
  type: string
  shape: number[]
  line: number | null
  kind: 'value' | 'buffer' | 'argument' | 'const'
  slot?: number
  equation: string[]
  edges: Edge[]
  parts?: (string | number)[] | null
  how?: Reduction
  cut?: string
}

export interface ListedValue {
  name: string
  type: string
  line: number
}

export interface IndexMapResult {
  values: ListedValue[]
  value?: string
  line?: number
  nodes?: MapNode[]
  complete?: boolean
  message?: string
  note?: string
}

export type Index = readonly number[]
