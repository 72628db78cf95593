/** The public API. Anything else in the package may change without notice. */

export { type Verified, verifyLog } from './audit/verify.ts'
export { type Config, defaultConfig, type MemoryConfig } from './config/config.ts'
export { type ConfigKey, configKeys } from './config/keys.ts'
export { type LoadedConfig, type LoadOptions, loadConfig } from './config/load.ts'
export { renderConfig } from './config/render.ts'
export { type ErrorCode, TwotrackError } from './errors.ts'
export { type Candidate, type Delta, deltaSchema, type Outcome, outcomeSchema } from './event/delta.ts'
export {
  type BlobRef,
  blobRefSchema,
  type Call,
  type DataOf,
  type Draft,
  dataSchemas,
  EVENT_VERSION,
  type Event,
  type EventFor,
  type EventType,
  eventTypes,
  GENESIS,
  type Header,
  headerSchema,
  payloadSchema,
  type Settings,
  type StopReason,
  settingsSchema,
  stopReasons,
  type ToolDeclaration,
  toolDeclarationSchema,
} from './event/event.ts'
export { canonical, type Json, type JsonObject } from './event/json.ts'
export { eventJsonSchema } from './event/json-schema.ts'
export { type Digest, type Identity, type Opened, open, type Sealed, seal, toEvent } from './event/line.ts'
export { hubUpdate } from './hub/delta.ts'
export type { Hub, HubAnswer, HubClient, NodeState } from './hub/hub.ts'
export { nodesInView } from './hub/in-view.ts'
export { joinHubs } from './hub/join.ts'
export { type MemoryHub, memoryHub } from './hub/memory.ts'
export { type OpenHubOptions, openHub } from './hub/open.ts'
export { type RunningHub, type StartOptions, startHub } from './hub/serve/running.ts'
export { readTrajectory } from './import/read.ts'
export { type Imported, recordTrajectory } from './import/record.ts'
export type { FinishedCall, Step, Trajectory } from './import/trajectory.ts'
export { type Place, stateAt } from './memory/at.ts'
export { fieldOf } from './memory/blobs.ts'
export { Memory, type Middleware } from './memory/memory.ts'
export { type ChatMessage, messagesOf } from './memory/messages.ts'
export type { Extension, MemoryOptions } from './memory/options.ts'
export { loadTokenizer, TOKENIZER_NAMES } from './memory/tokenizer.ts'
export type { Edge } from './nodes/edges.ts'
export { diffPackets, type PacketChange } from './packet/diff.ts'
export { fold, foldAll } from './packet/fold.ts'
export type { Measure } from './packet/measure.ts'
export { type Notes, type NumberedLine, notes } from './packet/notes.ts'
export { type Action, PACKET_VERSION, type Packet, packetJsonSchema, packetSchema } from './packet/packet.ts'
export type { State } from './packet/state.ts'
export { measureOf } from './prompt/measure.ts'
export { type Prompt, packetOf, promptOf } from './prompt/prompt.ts'
export { estimate } from './prompt/tokens/estimate.ts'
export type { Tokenizer } from './prompt/tokens/tokenizer.ts'
export { sha256 } from './sha256.ts'
export { encodeId } from './store/encode-id.ts'
export { brokenChain, follow } from './store/follow.ts'
export { type JsonlOptions, jsonlStore } from './store/jsonl/jsonl.ts'
export { type KvOptions, kvStore } from './store/kv/kv.ts'
export { byCreation, entryOf, matches } from './store/log-entry.ts'
export { memoryStore } from './store/memory.ts'
export {
  type Durability,
  type Finding,
  getBlob,
  type Head,
  type IndexName,
  indexNames,
  type LogEntry,
  type LogFilter,
  type LogWriter,
  type Range,
  type Recovery,
  type Snapshot,
  type Store,
} from './store/store.ts'
export {
  type Registry,
  type Summarized,
  type SummarizerMode,
  summarize,
  type ToolsOwn,
} from './summarize/summarize.ts'
export { defineSummarizer, type Observation, type Summarizer, type Summary } from './summarize/summarizer.ts'
export {
  assertToolResult,
  error,
  partial,
  success,
  type ToolResult,
  toolResultSchema,
  type Wrapped,
  wrapResult,
} from './tool/result.ts'
export { defineTool, type Effect, type Tool, type ToolContext, type ToolDefinition } from './tool/tool.ts'
