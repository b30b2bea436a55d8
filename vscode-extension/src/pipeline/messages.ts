// What the pipeline's page and the extension say to each other.

import { Origin, StageAbout } from '../protocol'

/** What is looked at; kept over a reload. */
export interface Look {
  uri?: string
  value?: string
  plain: boolean
  stage?: string
  forms: Record<string, string> // the form that was chosen, by stage
  changes: boolean // show what changed since the stage before
  hide: boolean // leave out stages that changed nothing
}

export interface Stages {
  file: string
  value?: string | undefined
  program: 'fast' | 'plain' | 'loops' | null
  total: number
  stages: StageAbout[]
  message?: string | undefined // the file is broken now; these are of the last good one
  restricted: boolean
}

export interface StageText {
  stage: string
  form: string
  language: string
  lines: string[]
  map: Origin[][]
  difference: [what: '=' | '-' | '+', lines: number][] | null
  before: string[] | null
  message?: string | undefined
}

export type ToPipeline =
  | { type: 'stages'; look: Look; stages: Stages }
  | { type: 'text'; text: StageText }
  | { type: 'busy'; what: string }
  | { type: 'lit'; line: number } // the cursor's line of the file

export type FromPipeline =
  | { type: 'ready'; look?: Look | undefined }
  | { type: 'look'; look: Look }
  | { type: 'text'; stage: string; form: string }
  | { type: 'diff'; stage: string; form: string }
  | { type: 'goto'; line: number }
  | { type: 'trust' }
