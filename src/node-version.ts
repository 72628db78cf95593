const NODE_MAJOR_MIN = 24

/** What to tell whoever runs an older Node. */
export const nodeTooOld = (): string | undefined =>
  Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN
    ? `twotrack needs Node ${NODE_MAJOR_MIN} or later; this is v${process.versions.node}. Install it from https://nodejs.org or with your version manager.`
    : undefined
