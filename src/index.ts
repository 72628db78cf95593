/** `twotrack`: memory, packet, stores. What is not exported by an entry point may change without notice. */

export type { Candidate, Delta, Outcome } from './core/event/delta.ts'
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
} from './core/event/event.ts'
export type { Json, JsonObject } from './core/event/json.ts'
export { type Place, packetAt, promptAt, stateAt } from './core/memory/at.ts'
export { fieldOf } from './core/memory/blobs.ts'
export { type ChatMessage, messagesOf } from './core/memory/messages.ts'
export type { Extension, LogOptions, Middleware } from './core/memory/options.ts'
export type { CallToRecord, ResponseToRecord, ResultToRecord, SentPrompt } from './core/memory/to-record.ts'
export { loadTokenizer, TOKENIZER_NAMES } from './core/memory/tokenizer.ts'
export { diffPackets, type PacketChange } from './core/packet/diff.ts'
export { fold, foldAll } from './core/packet/fold.ts'
export { type Packet, packetSchema } from './core/packet/packet.ts'
export type { Action, State } from './core/packet/state.ts'
export type { LogEntry, LogFilter, Store } from './core/store/store.ts'
export { estimate } from './core/tokens/estimate.ts'
export type { Tokenizer } from './core/tokens/tokenizer.ts'
export { type Prompt, packetOf, promptOf } from './core/view/prompt.ts'
export { readerOf } from './core/view/reader.ts'
export { shownOf } from './core/view/shown.ts'
export { type ErrorCode, TwotrackError } from './errors.ts'
export { Memory, type MemoryOptions } from './memory.ts'
export { type JsonlOptions, jsonlStore } from './store/jsonl/jsonl.ts'
export { type KvOptions, kvStore } from './store/kv/kv.ts'
export { memoryStore } from './store/memory.ts'
export type { Registry, SummarizerMode } from './summarize/summarize.ts'
export { defineSummarizer, type Observation, type Summarizer, type Summary } from './summarize/summarizer.ts'
