// Which Python runs the server. Pure choice here; looking at the machine is in pythons.ts.

export type Origin = 'setting' | 'Python extension' | 'private environment' | 'PATH'

export interface Candidate {
  path: string
  args?: readonly string[] // before its own: `py -3`
  origin: Origin
}

/** What one interpreter said about itself; `undefined` in its place means that it could not be run. */
export interface Probe {
  executable: string
  version: readonly [number, number, number]
  numpy: string | null // its version
  venv: boolean // can it make virtual environments with pip in them?
}

export type Choice =
  | { ok: true; candidate: Candidate; probe: Probe }
  | { ok: false; reason: string }

export const OLDEST: readonly [number, number] = [3, 10]
const OLDEST_NUMPY: readonly [number, number] = [1, 24]

export function isNewEnough(version: readonly number[], oldest: readonly [number, number] = OLDEST): boolean {
  const [major = 0, minor = 0] = version
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

/** Can it run programs? Without NumPy the server starts, checks, and shows C, but runs nothing. */
export function hasNumPy({ numpy }: Probe): boolean {
  return numpy !== null && isNewEnough(numpy.split('.').map(Number), OLDEST_NUMPY)
}

/**
 * The first candidate that can do everything, else the first that can start the server. One that a person named in the
 * settings is final: if it does not work, that is said, instead of quietly using another. Only the environment that was
 * made to add NumPy stands in for it.
 */
export async function choose(
  candidates: readonly Candidate[],
  probe: (candidate: Candidate) => Promise<Probe | undefined>,
): Promise<Choice> {
  let withoutNumPy: Choice | undefined
  let rest = candidates
  for (let candidate = rest[0]; candidate; candidate = rest[0]) {
    rest = rest.slice(1)
    const found = await probe(candidate)
    const fault = faultOf(candidate, found)
    if (!fault && found) {
      if (hasNumPy(found)) return { ok: true, candidate, probe: found }
      withoutNumPy ??= { ok: true, candidate, probe: found }
    }
    if (candidate.origin !== 'setting') continue
    if (fault) return { ok: false, reason: fault }
    rest = rest.filter(({ origin }) => origin === 'private environment')
  }
  return withoutNumPy ?? { ok: false, reason: `No Python ${OLDEST.join('.')} or newer was found. UIR needs one to check and run .uir files.` }
}

function faultOf(candidate: Candidate, probe: Probe | undefined): string | undefined {
  if (!probe) return `The interpreter "${candidate.path}" (setting uir.interpreter) cannot be run.`
  if (isNewEnough(probe.version)) return undefined
  return `"${candidate.path}" is Python ${probe.version.slice(0, 2).join('.')}; UIR needs ${OLDEST.join('.')} or newer.`
}

/** In the order in which one would be the base of a new environment: one that can make it, else one that is new enough. */
export function chooseBase(found: readonly (Probe | undefined)[]): Probe | undefined {
  const fit = found.filter((probe): probe is Probe => probe !== undefined && isNewEnough(probe.version))
  return fit.find(({ venv }) => venv) ?? fit[0]
}
