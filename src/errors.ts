/**
 * The one error class. The message says what was received, why it can't be used and what to do;
 * `details` holds the same as data (a line number, an offset, the expected seq).
 */
export class TwotrackError extends Error {
  /** In a form that a caller can act on; part of the public API. */
  readonly code:
    | 'bad_argument'
    | 'bad_config'
    | 'bad_event'
    | 'bad_import'
    | 'bad_packet'
    | 'budget_too_small'
    | 'closed'
    | 'conflict'
    | 'damaged'
    | 'io'
    | 'limit'
    | 'locked'
    | 'missing'
    | 'missing_peer'
    | 'model_fault'
    | 'newer_version'
    | 'outside_workspace'
    | 'unknown_view'
    | 'untrusted'
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: TwotrackError['code'],
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'TwotrackError'
    this.code = code
    this.details = options.details ?? {}
  }
}

export type ErrorCode = TwotrackError['code']

/** The message of anything thrown, without trusting that it is an Error. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** What some work gives; undefined where it fails with one of these codes. */
export const undefinedIf = <T>(work: Promise<T>, ...codes: readonly ErrorCode[]): Promise<T | undefined> =>
  work.catch((thrown: unknown) => {
    if (thrown instanceof TwotrackError && codes.includes(thrown.code)) return undefined
    throw thrown
  })

/** What an error of ours says of what was looked at. A bug, and a store that was closed, say nothing: these are thrown on. */
export function ownMessage(thrown: unknown): string {
  if (thrown instanceof TwotrackError && thrown.code !== 'closed') return thrown.message
  throw thrown
}

/** The system's error code (`ENOENT`) of something thrown by `node:fs`. */
export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined

/** Packages that only agents on code need, and that `npm install twotrack` does not bring. */
export const OPTIONAL_PACKAGES = [
  'web-tree-sitter',
  '@vscode/tree-sitter-wasm',
  '@astral-sh/ruff-wasm-nodejs',
  'oxlint',
  'quickjs-emscripten',
]

/** Packages are looked for beside this one, not in the project that it works on. */
export const installCommand = (packages: readonly string[]): string =>
  `npm install ${packages.join(' ')} (with -g if twotrack is installed so)`

/** What failed to load, as an error that says what to install if that is why; anything else as it is. */
export function missingPackage(thrown: unknown, what: string, packages = OPTIONAL_PACKAGES): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return thrown
  const absent = packages.find((name) => messageOf(thrown).includes(name))
  if (absent === undefined) return thrown
  const all = packages === OPTIONAL_PACKAGES ? 'For all that agents on code use' : 'Install it'
  return new TwotrackError(
    'missing_peer',
    `${what} needs the package ${absent}, which is not installed. ${all}: ${installCommand(packages)}`,
    { cause: thrown, details: { package: absent } },
  )
}
