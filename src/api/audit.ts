/** `twotrack/audit`: is a log as it was written, why a packet says what it says, recordings of other harnesses as logs. */

export { type Verified, verifyLog } from '../audit/verify.ts'
export type { Answer, Source, Unseen, Why } from '../audit/why/answer.ts'
export type { Evidence } from '../audit/why/evidence.ts'
export type { LeftOut, Life, ShownSpan } from '../audit/why/life.ts'
export type { How, Mark } from '../audit/why/marks.ts'
export { why } from '../audit/why/why.ts'
export { readTrajectory } from '../import/read.ts'
export { type Imported, recordTrajectory } from '../import/record.ts'
export type { FinishedCall, Step, Trajectory } from '../import/trajectory.ts'
