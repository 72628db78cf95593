/** Waits, or until the signal fires. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(end, milliseconds)
    function end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      done()
    }
    signal.addEventListener('abort', end, { once: true })
  })
}
