#!/usr/bin/env node
import { CommanderError } from 'commander'
import { messageOf, TwotrackError } from '../errors.ts'
import { program } from './program.ts'

/** 0 done · 1 done, and something is wrong with what was looked at · 2 could not be done. */
const FAILED = 2

// A reader that goes away (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : FAILED)
})

const root = program((code) => {
  process.exitCode = code
})
for (const command of [root, ...root.commands]) command.exitOverride()

try {
  await root.parseAsync()
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : FAILED
  else {
    const json = process.argv.includes('--json')
    const error = thrown instanceof TwotrackError ? thrown : undefined
    const shown = json
      ? JSON.stringify({
          error: { code: error?.code ?? 'bug', message: messageOf(thrown), details: error?.details ?? {} },
        })
      : `twotrack: ${messageOf(thrown)}`
    process.stderr.write(`${shown}\n`)
    // What is not a TwotrackError is a bug: its stack helps whoever reports it.
    if (!error && thrown instanceof Error) process.stderr.write(`${thrown.stack ?? ''}\n`)
    process.exitCode = FAILED
  }
}
