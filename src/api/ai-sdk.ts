/** `twotrack/ai-sdk`: a memory for what is made with the AI SDK, and its models for Twotrack's agents. */

export { type AiMemory, type AiMemoryOptions, withMemory } from '../frameworks/ai-sdk.ts'
export type { ConversationOptions } from '../frameworks/conversation.ts'
export { type AiModel, type AiModelOptions, aiModel } from '../model/ai-sdk.ts'
