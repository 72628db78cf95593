/**
 * Every limit of the system, with its unit last. What shapes the fold (`foldCaps`) is copied into each
 * run's first event, so that an old log replays the same when these defaults change.
 */

/** Depth of any JSON value that is recorded; deeper values are recorded as text. */
export const JSON_DEPTH_MAX = 64
/** Depth of a value inside an event: what an event's own levels leave of the above. */
export const VALUE_DEPTH_MAX = 56
/** How often objects that a tool's result holds more than once are written out again. */
export const JSON_REPEATS_MAX = 10_000
/** Values inside one value that a tool returned; what comes after them is left out. */
export const JSON_VALUES_MAX = 1_000_000
/** What a person says to an agent at once. */
export const SAID_CHARS_MAX = 16_000
/** What one event may change in the packet, as JSON; a summarizer's larger delta is left out. */
export const DELTA_CHARS_MAX = 2 * 1024 * 1024
/** A tool's own summary and error message in an event; the raw output has them whole. */
export const TOOL_WORDS_CHARS_MAX = 4_000
/** A raw field above this is stored as a blob, and arguments above it are cut in the data. */
export const INLINE_FIELD_BYTES_MAX = 16 * 1024
/** A model's words, or the texts in a call's arguments, in an event's data; the raw part has them whole. */
export const TEXT_IN_DATA_CHARS_MAX = 8 * 1024
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

/** An argument that a policy's pattern is compared with; a longer one is refused. */
export const POLICY_ARGUMENT_CHARS_MAX = 10_000
/** What a person is shown before they trust it, in characters, and the files that it may come from. */
export const TRUST_SHOWN_CHARS_MAX = 1_000_000
export const TRUST_FILES_MAX = 200
/** A file beside the logs that "redact" goes through; a larger one is left as it is. */
export const REDACT_FILE_BYTES_MAX = 512 * 1024 * 1024

/** A configuration file; more is refused unread. */
export const CONFIG_BYTES_MAX = 64 * 1024
/** Aliases that a configuration file may resolve, nested ones multiplied. */
export const CONFIG_ALIASES_MAX = 100
/** The largest packet limit or prompt budget that can be configured, in tokens. */
export const PROMPT_TOKENS_MAX = 2_000_000
/** The longest time between two syncs in durability `interval`, in milliseconds. */
export const SYNC_INTERVAL_MS_MAX = 60_000

/** How long an append to the log of a run waits for others that append to it. */
export const RUN_LOG_WAIT_MS = 10_000
/** A blob that nothing names stays so long after it was stored or asked for: an event may be on its way. */
export const BLOB_UNUSED_MS = 3_600_000
/** A log that is compressed as a whole, in bytes before that: it is held in memory while it is read. */
export const ARCHIVE_BYTES_MAX = 64 * 1024 * 1024

/** Heads of one project's logs that are kept outside of it; above this only the latest stay. */
export const HEADS_BYTES_MAX = 16 * 1024 * 1024

/** A recording given to `import`, in bytes: it is read as one string, which can't hold much more. */
export const IMPORT_BYTES_MAX = 500_000_000

/** How long a reader waits for another process that folds the same session. */
export const SPOOL_WAIT_MS = 10_000
/** Events of the spool that are recorded with one sync. */
export const SPOOL_GROUP = 200

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
/** What the copies of a project that one run makes take together, in bytes; a single one may take more. */
export const WORKSPACE_COPIES_BYTES_MAX = 80_000_000
/** Writes to a file that are closer together than this may leave it with the same time, by the system's clock. */
export const FILE_TIME_MS = 20
/** The same on a disk that knows whole seconds only. */
export const FILE_TIME_COARSE_MS = 2_000
/** A path that is given to a workspace. */
export const WORKSPACE_PATH_CHARS_MAX = 1_024
/** One question to git, and its answer. */
export const GIT_MS_MAX = 20_000
export const GIT_BYTES_MAX = 64 * 1024 * 1024
/** Added and removed lines up to which a diff is minimal; past it the file is shown as replaced. */
export const DIFF_EDITS_MAX = 1_500
/** A `.gitignore`; the rules of a longer one are not read. */
export const IGNORE_FILE_BYTES_MAX = 1024 * 1024

/** How long a call of a tool may take, unless told otherwise. */
export const TOOL_DEADLINE_MS_DEFAULT = 300_000
/** Entries that `list_dir` gives, lines that `search_content` gives, and the longest of those lines. */
export const LIST_ENTRIES_MAX = 1_000
export const SEARCH_MATCHES_MAX = 200
export const SEARCH_LINE_CHARS_MAX = 300
/** What `recall` brings back, and the longest line it looks at. */
export const RECALL_CHARS_MAX = 3_000
export const RECALL_LINE_CHARS_MAX = 400

/** How long a command may run, unless told otherwise. */
export const COMMAND_DEADLINE_MS_DEFAULT = 120_000
/** Output of one command; at this size it is stopped. */
export const COMMAND_OUTPUT_BYTES_MAX = 256 * 1024 * 1024
/** What is kept in memory of each end of a command's output. */
export const COMMAND_SHOWN_BYTES = 64 * 1024

/** What a script may log. */
export const TOOL_LOG_CHARS_MAX = 64 * 1024

/** An escalation bundle as rendered, in tokens. */
export const BUNDLE_TOKENS_DEFAULT = 6_000
/** Help that is put back into a log, in characters. */
export const ANSWER_CHARS_MAX = 64_000
/** Agents at work at the same time. */
export const AGENTS_AT_ONCE_DEFAULT = 8
