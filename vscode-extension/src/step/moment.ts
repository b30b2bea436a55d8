// What the debug adapter says of a moment beyond the protocol: messages that only this extension asks for (`view: true`).

/** The adapter is ready; the program that is shown has this address in the protocol. */
export interface ListingEvent {
  source: { name: string; path?: string; sourceReference?: number }
}

/** Where the execution is: lines of the .uir file behind the current one, and a note for the end of each line of the
 * program that is shown. All lines from 0. */
export interface Moment {
  path: string
  lines: number[]
  notes: { line: number; text: string }[]
  time: number
}

export const LISTING = 'uirListing'
export const MOMENT = 'uirMoment'
export const SHOWN = 'uirShown'
