// Which Python runs the server. Pure choice here; looking at the machine is in pythons.ts.

export type Origin = 'setting' | 'python extension' | 'installed by UIR' | 'PATH'

export interface Candidate {
  path: string
  origin: Origin
}

/** What one interpreter said about itself; `undefined` in its place means that it could not be run. */
export interface Probe {
  executable: string
  version: readonly [number, number, number]
  missing: readonly string[] // modules the server needs that it does not have
}

export type Mend = 'select' | 'install'

export type Choice =
  | { ok: true; candidate: Candidate; probe: Probe }
  | { ok: false; reason: string; mend: Mend }

export const OLDEST: readonly [number, number] = [3, 10]

export function isNewEnough(version: readonly number[]): boolean {
  const [major = 0, minor = 0] = version
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

/**
 * The first candidate that can start the server. One that a person named in the settings is final:
 * if it does not work, that is said, instead of quietly using another.
 */
export async function choose(
  candidates: readonly Candidate[],
  probe: (path: string) => Promise<Probe | undefined>,
): Promise<Choice> {
  let usable = false
  for (const candidate of candidates) {
    const found = await probe(candidate.path)
    const fault = faultOf(candidate, found)
    if (found && !fault) return { ok: true, candidate, probe: found }
    if (candidate.origin === 'setting' && fault) return { ok: false, ...fault }
    usable ||= found !== undefined && isNewEnough(found.version)
  }
  return usable
    ? { ok: false, reason: 'The UIR language server is not installed yet.', mend: 'install' }
    : { ok: false, reason: `No Python ${OLDEST.join('.')} or newer was found; the UIR language server needs one.`, mend: 'select' }
}

function faultOf(candidate: Candidate, probe: Probe | undefined): { reason: string; mend: Mend } | undefined {
  if (!probe) return { reason: `The interpreter "${candidate.path}" (setting uir.interpreter) cannot be run.`, mend: 'select' }
  const version = probe.version.slice(0, 2).join('.')
  if (!isNewEnough(probe.version)) {
    return { reason: `"${candidate.path}" is Python ${version}; the UIR language server needs ${OLDEST.join('.')} or newer.`, mend: 'select' }
  }
  if (probe.missing.length > 0) {
    return { reason: `"${candidate.path}" (Python ${version}) has no UIR language server: ${probe.missing.join(', ')} missing.`, mend: 'select' }
  }
  return undefined
}

/** May this interpreter be started in a folder that is not trusted? Not when it comes out of that folder. */
export function isOutside(path: string, folders: readonly string[], separator: string): boolean {
  return folders.every(folder => path !== folder && !path.startsWith(folder.endsWith(separator) ? folder : folder + separator))
}
