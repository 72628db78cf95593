/** `twotrack/workspace`: an agent's own copy of a project, and what becomes of its changes. */

export { type AcceptOptions, acceptProposal, rejectProposal } from '../run/accept.ts'
export type { FileDifference } from '../workspace/changes.ts'
export type { WorkspaceOptions } from '../workspace/make.ts'
export type { Change, ProjectLog } from '../workspace/merged.ts'
export { createWorkspace, openWorkspace, type Workspace } from '../workspace/workspace.ts'
