/** `twotrack/workspace`: an agent's own copy of a project, and what it changed. */

export type { Conflict, Taking } from '../workspace/accept.ts'
export { Copies } from '../workspace/copies.ts'
export type { WorkspaceOptions, WorkspacePlace } from '../workspace/make.ts'
export type { Change, Merged } from '../workspace/merged.ts'
export {
  type AcceptReport,
  createWorkspace,
  openWorkspace,
  type Workspace,
} from '../workspace/workspace.ts'
