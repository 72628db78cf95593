#!/usr/bin/env node
// Nothing else is imported before the version is known: an older Node fails while it loads the rest, and does not say why.
const { nodeTooOld } = await import('../node-version.ts')

const reason = nodeTooOld()
if (reason === undefined) await import('./start.ts')
else {
  process.stderr.write(`${reason}\n`)
  process.exitCode = 2
}

export {}
