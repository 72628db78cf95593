/** Ids, times and nonces that are the same in every run. Imports nothing: processes that are started often load it. */
export function clock(): {
  now: () => Date
  newId: () => string
  newNonces: () => { payload: string; raw: string }
} {
  let ticks = 0
  let ids = 0
  let nonces = 0
  const nonce = () => (++nonces).toString(16).padStart(32, '0')
  return {
    now: () => new Date(Date.UTC(2026, 0, 1) + 1000 * ticks++),
    newId: () => `id-${++ids}`,
    newNonces: () => ({ payload: nonce(), raw: nonce() }),
  }
}
