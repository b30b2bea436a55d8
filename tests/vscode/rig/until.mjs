// Waiting for what is not there yet.

export const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

/** Asks `read` until `good(value)`; what it read last is in the error. */
export async function until(what, read, good = Boolean, timeout = 20_000) {
  const end = Date.now() + timeout
  let value
  for (;;) {
    value = await read()
    if (good(value)) return value
    if (Date.now() > end) throw new Error(`waited ${timeout} ms for ${what}; last seen: ${JSON.stringify(value)}`)
    await sleep(60)
  }
}
