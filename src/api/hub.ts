/** `twotrack/hub`: what is known of the code, and sources of one's own. */

export type { Hub, HubAnswer, NodeState } from '../hub/hub.ts'
export { openHub, type ProjectHub } from '../hub/open.ts'
export { recordPull } from '../hub/pull.ts'
