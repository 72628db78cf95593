import { setFlagsFromString } from 'node:v8'
import { CommanderError } from 'commander'
import { hideEnvironment, withoutKeys } from '../app/person-secrets.ts'
import { visibleJson } from '../audit/visible.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { self, shown, UNKNOWN_VIEW, wrapped } from './output.ts'
import { program } from './program.ts'

/** 0 done · 1 done, and something is wrong with what was looked at · 2 could not be done · 3 written by another version. */
const FAILED = 2

hideEnvironment()

// Logs of any length are read one event at a time: a young generation that does not grow keeps memory flat.
setFlagsFromString('--semi-space-growth-factor=1')

// A reader that goes away (`| head`) is no error. An import goes on: half a log would be left otherwise.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    process.stderr.write(shown(`twotrack: The output can't be written (${error.message}).\n`))
    process.exit(FAILED)
  }
  if (process.argv[2] !== 'import') process.exit()
})

const root = await program((code) => {
  process.exitCode = code
}, process.argv.slice(2))
const json = process.argv.includes('--json')
for (const command of [root, ...root.commands]) {
  command.exitOverride()
  // With --json what commander has to say is told below, as JSON.
  if (json) command.configureOutput({ outputError: () => {}, writeErr: () => {} })
}

// What nothing waits for and nobody catches is told as what is thrown here.
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (thrown: unknown) => {
    process.stderr.write(failureText(thrown))
    process.exit(FAILED)
  })

try {
  await root.parseAsync()
} catch (thrown) {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) process.exitCode = 0
  else {
    process.stderr.write(failureText(thrown))
    process.exitCode = codeOf(thrown)
  }
}

function codeOf(thrown: unknown): number {
  return thrown instanceof TwotrackError && thrown.code === 'unknown_view' ? UNKNOWN_VIEW : FAILED
}

/** Empty where commander has said it already. */
function failureText(thrown: unknown): string {
  const usage = thrown instanceof CommanderError
  const known = thrown instanceof TwotrackError ? thrown : undefined
  const bug = !usage && !known
  // Where in our code it was thrown helps whoever reports it, and nobody else: it is told to who asks.
  const stack =
    bug && process.env['TWOTRACK_DEBUG'] && thrown instanceof Error ? `${thrown.stack ?? ''}\n` : ''
  if (!json && bug)
    return shown(
      `twotrack: ${messageOf(thrown).split('\n    at ')[0]}\n` +
        `This was not foreseen. Please report it, with what TWOTRACK_DEBUG=1 adds to this message.\n${stack}`,
    )
  // Commands that a message names can be typed as they stand.
  const message = messageOf(thrown).replaceAll('"twotrack ', `"${self} `)
  const lines = `twotrack: ${message}\n`.split('\n').map((line) => wrapped(line))
  if (!json) return usage ? '' : shown(lines.join('\n'))
  const code = usage ? 'bad_argument' : (known?.code ?? 'bug')
  const error = { code, message: messageOf(thrown).replace(/^error: /, ''), details: known?.details ?? {} }
  return withoutKeys(`${visibleJson({ error })}\n${stack}`)
}
