/** `twotrack/langchain`: a middleware that gives agents of LangChain a memory. */

export type { ConversationOptions } from '../frameworks/conversation.ts'
export { type MemoryMiddlewareOptions, memoryMiddleware } from '../frameworks/langchain.ts'
