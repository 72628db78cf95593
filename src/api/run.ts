/** `twotrack/run`: an agent of one's own, with the loop of `twotrack run`. */

export type { Condition, ContextProvider, Rule, StatusRule } from '../agent/agent.ts'
export type { ProposeCandidates, RuleAction, RuleView } from '../agent/rule-view.ts'
export type { Approve, RunLimits } from '../run/run.ts'
export { type AgentOptions, type AgentReport, startAgent } from '../run/start.ts'
export { type Recent, type RunState, readRunState, runState, type Stop } from '../run/state.ts'
export type { JudgedCall, Policy } from '../trust/policy.ts'
