/** `twotrack/hub`: what is known of the code, and sources of one's own. */

export { hubUpdate } from '../hub/delta.ts'
export type { Hub, HubAnswer, NodeState } from '../hub/hub.ts'
export { nodesInView } from '../hub/in-view.ts'
export { joinHubs } from '../hub/join.ts'
export { type OpenHubOptions, openHub, type ProjectHub } from '../hub/open.ts'
export type { CodeGraph, Edge } from '../nodes/edges.ts'
