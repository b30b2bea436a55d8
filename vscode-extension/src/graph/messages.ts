// What the graph's page and the extension say to each other, and the graph itself as uir/graph gives it.

export type Role = 'input' | 'constant' | 'view' | 'compute' | 'reduce' | 'memory' | 'order'

/** A statement of the file. `kernel`: position of the kernel that computes it; `index`: it is index arithmetic. */
export interface FlowNode {
  name: string
  op: string
  detail: string
  line: number
  dtype: string
  shape: number[]
  role: Role
  kernel: number | null
  index: boolean
  output: boolean
}

export interface FlowKernel {
  name: string
  about: string
}

/** `edges`: [source, target], positions of nodes; every source is before its target. */
export interface Flow {
  nodes: FlowNode[]
  edges: [number, number][]
  kernels: FlowKernel[]
}

export interface GraphResult extends Flow {
  message: string // why there are no kernels, or the first error
  stale: boolean // the file has errors now; this is of the last good one
}

export interface GraphFile {
  uri: string
  name: string
}

export type ToGraph =
  | { type: 'graph'; file: GraphFile; graph: GraphResult }
  | { type: 'problem'; file: GraphFile; text: string }
  | { type: 'cursor'; line: number }
  | { type: 'export' }

export type FromGraph =
  | { type: 'ready'; file: GraphFile | undefined }
  | { type: 'goto'; line: number }
  | { type: 'svg'; text: string }
