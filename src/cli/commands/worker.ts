import { type WorkNote, type WorkOptions, work } from '../../app/work.ts'
import { visibleJson } from '../../audit/visible.ts'
import { type CommandWords, MODEL, positiveNumber, TRUST, wholeNumber } from '../command.ts'
import { terminal } from '../front.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, print, remark, safe } from '../output.ts'

const GRACE_S_DEFAULT = 20

/** Does jobs until it is stopped: at once with a second signal, and what is left then goes back to the queue. */
async function workerCommand(
  options: WorkOptions & CommonOptions & { readonly grace?: number },
): Promise<Found> {
  const { grace = GRACE_S_DEFAULT, json = false } = options
  const finish = new AbortController()
  const giveBack = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const signalled = () => {
    if (giveBack.signal.aborted) process.exit(130)
    if (finish.signal.aborted) return giveBack.abort()
    finish.abort()
    remark(`No more jobs; those under way have ${grace} s to end, then another worker goes on with them.`)
    timer = setTimeout(() => giveBack.abort(), grace * 1_000)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, signalled)
  const tell = (note: WorkNote) => (json ? print(visibleJson(note)) : print(noteLine(note)))
  try {
    const { unanswered, ...told } = await work(options, terminal, {
      finish: finish.signal,
      giveBack: giveBack.signal,
      tell,
    })
    const { done, failed, cancelled, given_back, lost } = told
    const text = `${done} done, ${failed} failed, ${cancelled} cancelled, ${given_back} given back, ${lost} went to another worker.`
    return { json: { what: 'ended', text, ...told }, lines: () => [text], code: unanswered ? 1 : 0 }
  } finally {
    clearTimeout(timer)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, signalled)
  }
}

const COLOURS = { done: 'green', failed: 'red', lost: 'yellow', away: 'yellow' } as const

function noteLine({ what, text, agent_id }: WorkNote): string {
  const word = what.replaceAll('_', ' ').padEnd(9)
  const shown = what in COLOURS ? paint(COLOURS[what as keyof typeof COLOURS], word) : word
  return `${shown} ${agent_id === undefined ? '' : `${paint('bold', safe(agent_id))} `}${safe(text)}`
}

export default {
  examples: [
    'worker --store postgres --concurrency 4',
    'worker --store postgres --model functiongemma --url http://127.0.0.1:8080 --tags gpu',
    'worker --store postgres --git ../shop --trust   # committed files from a clone; linters of the project may run',
    'worker --store postgres --drain                 # ends when there is nothing to do',
  ],
  options: [
    ...MODEL,
    ['--concurrency <n>', 'jobs at the same time', positiveNumber],
    ['--tags <tags...>', 'what this worker has besides its model and the programs that it finds'],
    ['--git <clone>', 'where committed files are, for runs that were queued with --from-git'],
    ['--drain', 'end when there is nothing that it can do now'],
    [
      '--grace <seconds>',
      `how long a job may take to end after SIGTERM (default: ${GRACE_S_DEFAULT})`,
      wholeNumber,
    ],
    TRUST,
  ],
  call: workerCommand,
} satisfies CommandWords
