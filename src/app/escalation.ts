/** What somebody else needs to help an agent, and their help put back. */
export { answerEscalation, escalationBundle } from '../run/answer.ts'
