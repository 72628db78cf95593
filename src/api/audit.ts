/** `twotrack/audit`: is a log as it was written, what happened and why, and recordings of other harnesses as logs. */

export {
  type BlindSpotOptions,
  type BlindSpots,
  blindSpots,
} from '../audit/blindspots/blindspots.ts'
export type { Blame, Harm, Spot, SpotKind } from '../audit/blindspots/spot.ts'
export type { FoundWorkspace, WorkspacePlaces } from '../audit/compact/compact.ts'
export { type Compacted, type CompactOptions, compact } from '../audit/compact/compact.ts'
export type { CompactedLog, Retention } from '../audit/compact/policy.ts'
export type { RedactedLog } from '../audit/redact/log.ts'
export { type Redacted, type RedactOptions, redactStore } from '../audit/redact/redact.ts'
export { type Redact, redactMatches, redactText } from '../audit/redact/texts.ts'
export type { Price, Prices } from '../audit/report/cost.ts'
export { makeReport, type ReportOptions } from '../audit/report/make.ts'
export { reportMarkdown } from '../audit/report/markdown.ts'
export type {
  AgentPart,
  At,
  ModelUse,
  Report,
  ReportChange,
  ReportFailure,
  ReportFilter,
  ReportPatch,
  ReportStep,
  ReportTotals,
} from '../audit/report/report.ts'
export type { LinkTo } from '../audit/report/words.ts'
export {
  type TranscriptOptions,
  type TranscriptPart,
  transcriptMarkdown,
  transcriptOf,
  transcriptText,
} from '../audit/transcript.ts'
export { type RedactionFound, type Verified, verifyLog } from '../audit/verify.ts'
export type { OtherSettings } from '../audit/whatif/refold.ts'
export { type OtherTurn, type WhatIf, type WhatIfOptions, whatIf } from '../audit/whatif/whatif.ts'
export type { Evidence } from '../audit/why/evidence.ts'
export type { How, Mark } from '../audit/why/marks.ts'
export type { Answer, Source, Unseen, Why } from '../audit/why/why.ts'
export { why } from '../audit/why/why.ts'
export { readTrajectory } from '../import/read.ts'
export { type Imported, recordTrajectory } from '../import/record.ts'
export type {
  ModelStep,
  PersonStep,
  RemarkStep,
  ResultStep,
  Step,
  StepCall,
  Trajectory,
} from '../import/trajectory.ts'
export { answerEscalation, type EscalationAnswer, escalationBundle } from '../run/answer.ts'
export { type Bundle, renderBundle } from '../run/bundle.ts'
