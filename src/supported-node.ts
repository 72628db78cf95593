import { nodeTooOld } from './node-version.ts'

// Evaluated before all else of the package: an older Node fails in what follows, and does not say why.
const reason = nodeTooOld()
if (reason !== undefined) throw new Error(reason)
