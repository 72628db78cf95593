/** `twotrack/run`: an agent of one's own, with the loop of `twotrack run`. */

export type { Check, Condition, ContextProvider, ReasonRule, Rule, StatusRule } from '../agent/agent.ts'
export type { RuleView } from '../agent/rule-view.ts'
export type { AgentOptions, AgentReport } from '../run/agent-options.ts'
export type { AgentSummary } from '../run/agent-summary.ts'
export { startAgent } from '../run/start.ts'
export type { Policy } from '../trust/policy.ts'
