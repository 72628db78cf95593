/**
 * Every limit of the system, with its unit last. What shapes the fold (`FOLD_CAPS`) is copied into each
 * run's first event, so that an old log replays the same when these defaults change.
 */

/** Depth of any JSON value that is recorded; deeper values are recorded as text. */
export const JSON_DEPTH_MAX = 64
/** A field of an event's data above this is stored as a blob. */
export const INLINE_FIELD_BYTES_MAX = 16 * 1024
/** An event's line once large fields are spilled; more is refused. */
export const LINE_BYTES_MAX = 8 * 1024 * 1024
/** A blob before compression. */
export const BLOB_BYTES_MAX = 1024 * 1024 * 1024
/** Ids (agent, run, operation, node) in characters. */
export const ID_CHARS_MAX = 512
/** A file name made from an id, in bytes, before it is shortened to a digest. */
export const FILE_NAME_BYTES_MAX = 180

/** The packet, in tokens, unless configured otherwise. */
export const PACKET_TOKENS_DEFAULT = 3000
/** The whole prompt with tool declarations, in tokens. */
export const PROMPT_TOKENS_DEFAULT = 8000
/** The smallest packet limit that can be configured, in tokens. */
export const PACKET_TOKENS_MIN = 64

/** Events between two snapshots of the fold's state. */
export const SNAPSHOT_EVENTS = 256

/** What a summarizer looks at: longer outputs are read from their head and tail. */
export const SUMMARIZE_CHARS_MAX = 4 * 1024 * 1024

/** Caps of the fold, copied into `run_start`. */
export const FOLD_CAPS = {
  window_actions: 10,
  kept_actions: 100,
  summary_chars: 300,
  names: 1_000,
  knowledge_entries: 400,
  knowledge_key_chars: 200,
  knowledge_value_chars: 16_000,
  knowledge_total_chars: 400_000,
  focus_chars: 4_000,
  diagnostics: 30,
  diagnostic_chars: 300,
  failed_attempts: 20,
  failed_attempt_chars: 300,
  error_chars: 600,
  state_summary_chars: 600,
  candidates: 8,
  candidate_chars: 600,
  hub_chars: 6_000,
  extension_chars: 6_000,
  goal_chars: 8_000,
} as const

/** A configuration file; more is refused unread. */
export const CONFIG_BYTES_MAX = 64 * 1024
/** Aliases that a configuration file may resolve, nested ones multiplied. */
export const CONFIG_ALIASES_MAX = 100
/** The largest packet limit or prompt budget that can be configured, in tokens. */
export const PROMPT_TOKENS_MAX = 2_000_000
/** The longest time between two syncs in durability `interval`, in milliseconds. */
export const SYNC_INTERVAL_MS_MAX = 60_000

/** Content of one row of a blob in the kv store, in bytes before compression. */
export const KV_CHUNK_BYTES = 1024 * 1024
/** Rows and bytes of a log that the kv store reads at a time. */
export const KV_PAGE_ROWS = 256
export const KV_PAGE_BYTES = 1024 * 1024
/** How long the kv store waits for a process that is writing to the same file. */
export const KV_BUSY_TIMEOUT_MS = 10_000
/** How often a tail of the kv store looks for new events. */
export const KV_TAIL_POLL_MS = 25

/** What the jsonl store hands to the system in one write, unless one append alone is more. */
export const WRITE_BYTES_MAX = 16 * 1024 * 1024
/** How often a tail of the jsonl store looks for itself, where the system does not report changes. */
export const JSONL_TAIL_POLL_MS = 250
/** A lock file without content that is older than this belongs to no one. */
export const LOCK_UNREADABLE_MS_MAX = 10_000
