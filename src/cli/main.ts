#!/usr/bin/env node
// Nothing is imported before the version is known: an older Node fails while it loads the rest, and does not say why.

const NODE_MAJOR_MIN = 24

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `twotrack needs Node ${NODE_MAJOR_MIN} or later; this is v${process.versions.node}. Install it from https://nodejs.org or with your version manager.\n`,
  )
  process.exitCode = 2
} else {
  await import('./start.ts')
}

export {}
