/** `twotrack/workspace`: an agent's own copy of a project, and what it proposes to change. */

export type { AcceptedFile, FileContent, ProposedFile } from '../core/event/file-content.ts'
export {
  type AcceptOptions,
  type AcceptReport,
  acceptProposal,
  type DecideOptions,
  rejectProposal,
} from '../run/accept.ts'
export { readProposal } from '../run/proposal.ts'
export type { Conflict, Taking } from '../workspace/accept.ts'
export type { ChangedFile } from '../workspace/changes.ts'
export type { ContentPlace } from '../workspace/contents.ts'
export { Copies } from '../workspace/copies.ts'
export type { Diff, Side } from '../workspace/diff.ts'
export type { WorkspaceOptions, WorkspacePlace } from '../workspace/make.ts'
export type { Entry } from '../workspace/manifest.ts'
export { type Change, type Merged, merge, type ProjectLog } from '../workspace/merged.ts'
export type { Pending } from '../workspace/proposal.ts'
export { createWorkspace, openWorkspace, type Workspace } from '../workspace/workspace.ts'
