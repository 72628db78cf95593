import { createHmac, randomBytes } from 'node:crypto'
import { type RedactedStore, redactStore } from '../audit/redact/redact.ts'
import { PATTERN_CHARS_MIN, type Redact, redactMatches, redactText } from '../audit/redact/texts.ts'
import { TwotrackError } from '../errors.ts'
import { type ProjectOptions, withStore, withStores } from './context.ts'
import { removeAgentIndex } from './inspected/index-file.ts'
import { personName } from './person.ts'
import { secretsOfEnvironment } from './person-secrets.ts'
import { purge } from './vault.ts'

/** What is to go: a text, a pattern, or whatever looks like a secret. */
export interface RedactRequest {
  readonly pattern: string | undefined
  readonly secrets?: boolean
  readonly regex?: boolean
  readonly reason?: string
  readonly dryRun: boolean
}

/** Takes something out of every log, blob and file of the folder of a project. */
export async function redactAll(
  options: ProjectOptions,
  request: RedactRequest,
  onLog: (done: number, all: number) => void,
): Promise<RedactedStore> {
  const redact = await redactionOf(request)
  // What hooks were told and no log has yet is a log's first: there it is known what holds it.
  await withStore(options, async () => {})
  const { dryRun: dry_run, reason = request.secrets ? 'secrets' : 'asked for by a person' } = request
  const by = personNamed(redact)
  const pattern = patternNamed(request, redact)
  const results = await withStores(options, async ({ stores, folder }) => {
    const done: RedactedStore[] = []
    for (const [at, store] of stores.entries()) {
      const files = at === stores.length - 1 ? { folder } : {}
      done.push(await redactStore(store, { redact, by, reason, pattern, dry_run, onLog, ...files }))
    }
    // It holds words of logs, and is made again of them.
    if (!dry_run) await removeAgentIndex(folder)
    return done
  })
  if (!dry_run)
    await withStores(options, async ({ folder }) =>
      purge(folder, (one) => request.secrets === true || one === undefined || redact(one) !== one),
    )
  return {
    dry_run,
    logs: results.flatMap(({ logs }) => logs),
    blobs: results.reduce((sum, { blobs }) => sum + blobs, 0),
    files: results.flatMap(({ files }) => files),
    unread: results.flatMap(({ unread }) => unread),
    waiting: results.reduce((sum, { waiting }) => sum + waiting, 0),
    remains: results.flatMap(({ remains }) => remains),
    left: results.some(({ left }) => left),
  }
}

/** As the system calls them, unless that is to go. */
function personNamed(redact: Redact): string {
  const name = personName()
  return redact(name) === name ? name : 'user'
}

/** What is recorded of what was looked for: it must not be what went. */
function patternNamed({ pattern = '', secrets, regex }: RedactRequest, redact: Redact): string {
  if (secrets) return 'secrets'
  const shown = `/${pattern}/`
  return regex && redact(shown) === shown ? shown : regex ? 'a regular expression' : 'a text'
}

export async function redactionOf({
  pattern,
  secrets,
  regex,
}: Pick<RedactRequest, 'pattern' | 'secrets' | 'regex'>): Promise<Redact> {
  if ((pattern === undefined) !== (secrets === true))
    throw new TwotrackError('bad_argument', 'Give either a PATTERN or --secrets.')
  if (pattern === undefined) {
    const { secretsOf } = await import('../secrets/secrets.ts')
    const key = randomBytes(32)
    const mac = (secret: string) => createHmac('sha256', key).update(secret).digest('hex')
    const { hide, hideIn } = secretsOf({ mac, known: secretsOfEnvironment(process.env) })
    return Object.assign(hide, { within: hideIn })
  }
  if (!regex && pattern.length < PATTERN_CHARS_MIN)
    throw new TwotrackError(
      'bad_argument',
      `"${pattern}" has fewer than ${PATTERN_CHARS_MIN} characters: too much else would go with it.`,
    )
  if (!regex) return redactText(pattern)
  try {
    return redactMatches(new RegExp(pattern, 'gu'))
  } catch (cause) {
    throw new TwotrackError('bad_argument', `${JSON.stringify(pattern)} is no regular expression.`, { cause })
  }
}
