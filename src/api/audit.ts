/** `twotrack/audit`: is a log as it was written, and recordings of other harnesses as logs. */

export { type Verified, verifyLog } from '../audit/verify.ts'
export { readTrajectory } from '../import/read.ts'
export { type Imported, recordTrajectory } from '../import/record.ts'
export type { FinishedCall, Step, Trajectory } from '../import/trajectory.ts'
