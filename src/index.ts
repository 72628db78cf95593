/** `twotrack`: memory, packet, stores. What is not exported by an entry point may change without notice. */

export { type ErrorCode, TwotrackError } from './errors.ts'
export type { Candidate, Delta, Outcome } from './event/delta.ts'
export type {
  BlobRef,
  Call,
  DataOf,
  Draft,
  Event,
  EventFor,
  EventType,
  Settings,
  StopReason,
  ToolDeclaration,
} from './event/event.ts'
export type { Json, JsonObject } from './event/json.ts'
export { type Place, stateAt } from './memory/at.ts'
export { fieldOf } from './memory/blobs.ts'
export { Memory } from './memory/memory.ts'
export { type ChatMessage, messagesOf } from './memory/messages.ts'
export type { Extension, MemoryOptions, Middleware } from './memory/options.ts'
export { loadTokenizer, TOKENIZER_NAMES } from './memory/tokenizer.ts'
export { diffPackets, type PacketChange } from './packet/diff.ts'
export { fold, foldAll } from './packet/fold.ts'
export { type Packet, packetSchema } from './packet/packet.ts'
export type { Action, State } from './packet/state.ts'
export { type Prompt, packetOf, promptOf } from './prompt/prompt.ts'
export { estimate } from './prompt/tokens/estimate.ts'
export { readerOf } from './prompt/tokens/reader.ts'
export type { Tokenizer } from './prompt/tokens/tokenizer.ts'
export { type JsonlOptions, jsonlStore } from './store/jsonl/jsonl.ts'
export { type KvOptions, kvStore } from './store/kv/kv.ts'
export { memoryStore } from './store/memory.ts'
export type { LogEntry, LogFilter, Store } from './store/store.ts'
export type { Registry, Summarized, SummarizerMode } from './summarize/summarize.ts'
export { defineSummarizer, type Observation, type Summarizer, type Summary } from './summarize/summarizer.ts'
