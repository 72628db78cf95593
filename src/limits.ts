/**
 * Limits that several parts share, and the defaults that people meet, each with its unit last. A limit of one part stands
 * beside what it limits. What shapes the fold (`foldCaps`) is copied into each run's first event, so that an old log
 * replays the same when these defaults change.
 */

/** Depth of any JSON value that is recorded; deeper values are recorded as text. */
export const JSON_DEPTH_MAX = 64
/** Depth of a value inside an event: what an event's own levels leave of the above. */
export const VALUE_DEPTH_MAX = 56
/** What a person says to an agent at once. */
export const SAID_CHARS_MAX = 16_000
/** An event's line once large fields are spilled; more is refused. */
export const LINE_BYTES_MAX = 8 * 1024 * 1024
/** Ids (agent, run, operation, node) in characters. */
export const ID_CHARS_MAX = 512

/** The packet, in tokens, unless configured otherwise. */
export const PACKET_TOKENS_DEFAULT = 3000
/** The whole prompt with tool declarations, in tokens. */
export const PROMPT_TOKENS_DEFAULT = 8000
/** The smallest packet limit that can be configured, in tokens. */
export const PACKET_TOKENS_MIN = 64

/** Text of one file in a delta, in characters: a longer one is known by its beginning. */
export const FILE_CHARS_MAX = 300_000

/** The sentence that says what a step did. */
export const SUMMARY_CHARS_MAX = 300

/** Actions that the fold holds, of older ones only their number; a packet shows as many of them as it has space for. */
export const ACTIONS_MAX = 400

/**
 * Caps of the fold, copied into `run_start`. What holds text grows with the packet, so that a large one has something
 * to show: a packet of n tokens shows some 4n characters.
 */
export function foldCaps(packetTokens: number): Record<string, number> {
  const textChars = Math.max(24_000, packetTokens * 6)
  return {
    kept_actions: ACTIONS_MAX,
    summary_chars: SUMMARY_CHARS_MAX,
    output_chars: textChars,
    outputs_total_chars: textChars * 3,
    files_total_chars: textChars * 3,
    changed_files: 100,
    words_chars: 12_000,
    person_total_chars: 48_000,
    thoughts_total_chars: textChars * 2,
    plan_items: 100,
    plan_item_chars: 300,
    knowledge_entries: 200,
    knowledge_key_chars: 200,
    knowledge_value_chars: 4_000,
    knowledge_total_chars: 100_000,
    focus_chars: 4_000,
    diagnostics: 30,
    diagnostic_chars: 300,
    failed_attempts: 24,
    failed_attempt_chars: 300,
    conclusions: 100,
    conclusion_chars: 320,
    error_chars: 4_000,
    state_summary_chars: 1_200,
    candidates: 8,
    candidate_chars: 4_000,
    hub_chars: 6_000,
    extension_chars: 6_000,
    goal_chars: 64_000,
  }
}

/** A configuration file; more is refused unread. */
export const CONFIG_BYTES_MAX = 64 * 1024
/** The largest packet limit or prompt budget that can be configured, in tokens. */
export const PROMPT_TOKENS_MAX = 2_000_000

/** How long an append to the log of a run waits for others that append to it. */
export const RUN_LOG_WAIT_MS = 10_000
/** A blob that nothing names stays so long after it was stored or asked for: an event may be on its way. */
export const BLOB_UNUSED_MS = 3_600_000

/** A recording given to `import`, in bytes: it is read as one string, which can't hold much more. */
export const IMPORT_BYTES_MAX = 500_000_000

/** Lines of a recording that could not be read: so many are recorded one by one, all are counted. */
export const REMARKS_MAX = 100

/** One attempt at a model, from the request to the last byte of the answer. */
export const MODEL_DEADLINE_MS = 120_000
/** What a model may write in one answer, unless configured otherwise. */
export const MODEL_ANSWER_TOKENS_DEFAULT = 1024
/** Calls in one answer; more is a fault. */
export const MODEL_CALLS_MAX = 64

/** A file that a workspace copies, reads, writes or takes back. */
export const WORKSPACE_FILE_BYTES_MAX = 10 * 1024 * 1024
/** Files of a project, a workspace or one search; more is refused, so that nothing is silently partial. */
export const FILES_MAX = 100_000
/** Folders inside folders that are looked into. */
export const FOLDER_DEPTH_MAX = 128
/** Files of a workspace that are copied or hashed at once. */
export const WORKSPACE_FILES_AT_ONCE = 16
/** Writes to a file that are closer together than this may leave it with the same time, by the system's clock. */
export const FILE_TIME_MS = 20
/** Added and removed lines up to which a diff is minimal; past it the file is shown as replaced. */
export const DIFF_EDITS_MAX = 1_500

/** How long a call of a tool may take, unless told otherwise. */
export const TOOL_DEADLINE_MS_DEFAULT = 300_000

/** How long a command may run, unless told otherwise. */
export const COMMAND_DEADLINE_MS_DEFAULT = 120_000
/** What is kept in memory of each end of a command's output. */
export const COMMAND_SHOWN_BYTES = 64 * 1024

/** An escalation bundle as rendered, in tokens. */
export const BUNDLE_TOKENS_DEFAULT = 6_000
/** Help that is put back into a log, in characters. */
export const ANSWER_CHARS_MAX = 64_000
/** How long a writer of a shared store that is not heard of keeps its log. */
export const LEASE_MS_DEFAULT = 30_000
export const LEASE_MS_MIN = 1_000
export const LEASE_MS_MAX = 600_000
/** Agents at work at the same time. */
export const AGENTS_AT_ONCE_DEFAULT = 8
