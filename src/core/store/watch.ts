/** How often is looked: not every disk tells of what other machines write to it. */
const LOOK_MS = 50

/** For `watch` of an engine: calls `changed` when what `look` gives is another text than before. What it returns ends it. */
export function watchBy(look: () => string, changed: () => void): () => void {
  const seen = () => {
    try {
      return look()
    } catch {
      // Whoever reads because of it is told what is wrong.
      return 'failed'
    }
  }
  let before = seen()
  const timer = setInterval(() => {
    const now = seen()
    if (now !== before) changed()
    before = now
  }, LOOK_MS)
  return () => clearInterval(timer)
}
