/** `twotrack/workspace`: an agent's own copy of a project, and what it changed. */

export type { Conflict } from '../workspace/accept.ts'
export type { Change } from '../workspace/changes.ts'
export {
  type AcceptReport,
  createWorkspace,
  openWorkspace,
  type Workspace,
  type WorkspacePlace,
} from '../workspace/workspace.ts'
