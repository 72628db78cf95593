/** `twotrack/openai-agents`: a memory for agents of the OpenAI Agents SDK. */

export type { ConversationOptions } from '../frameworks/conversation.ts'
export {
  type AgentsMemory,
  type AgentsMemoryOptions,
  type AgentsModel,
  withAgentsMemory as withMemory,
} from '../frameworks/openai-agents.ts'
