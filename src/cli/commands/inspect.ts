import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { streamFrom, withStore } from '../../app/context.ts'
import { personActions } from '../../app/inspected/act.ts'
import { agentMeant, type WhichOptions } from '../../app/names.ts'
import { defined } from '../../core/event/json.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { exportPage, serveInspector } from '../../inspect/server.ts'
import { type CommandWords, LAST_AGENT, wholeNumber } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { bytes, type Found, paint, remark, safe } from '../output.ts'

interface InspectCommandOptions extends CommonOptions, WhichOptions {
  readonly port?: number
  readonly allowActions?: boolean
  readonly export?: string
  readonly redact?: boolean
}

/** Serves the page until Ctrl-C. */
async function inspectCommand(agent: string | undefined, options: InspectCommandOptions): Promise<Found> {
  if (options.export !== undefined) return written(agent, options.export, options)
  if (options.redact)
    throw new TwotrackError('bad_argument', '--redact goes with --export: the page itself shows all.')
  return { each: served(agent, options) }
}

/** One file that holds the page and the run. */
const written = (agent: string | undefined, file: string, options: InspectCommandOptions): Promise<Found> =>
  withStore(options, async (store, { folder }) => {
    const id = await agentMeant(store, agent, options)
    remark(paint('dim', `Making every packet of ${safe(id)} …`))
    const page = await exportPage({ store, folder }, id, { redact: options.redact === true })
    const isThere = existsSync(file)
    await writeFile(file, page).catch((cause: unknown) => {
      throw new TwotrackError('bad_argument', `${file} can't be written (${messageOf(cause)}).`, { cause })
    })
    const json = { agent_id: id, file, bytes: page.length }
    return {
      json,
      lines: () => [
        `${safe(id)} is in ${safe(file)} (${bytes(page.length)})${isThere ? ', in place of what was there' : ''}: open it with a browser.`,
      ],
    }
  })

const served = (agent: string | undefined, options: InspectCommandOptions) =>
  streamFrom(options, async function* (store, project) {
    const { currency, prices } = project.config.report
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    const isOne = agent !== undefined || options.last
    const agentId = isOne ? await agentMeant(store, agent, options) : undefined
    const { allowActions, port, json } = options
    const server = await serveInspector({
      store,
      folder: project.folder,
      prices: { currency, models: prices },
      ...defined({ port, actions: allowActions ? personActions(store, project, stop.signal) : undefined }),
    })
    try {
      const url = agentId === undefined ? server.url : server.urlOf(agentId)
      yield { json: { url, port: server.port }, lines: () => [`Open ${paint('bold', url)}`] }
      if (!json) remark(paint('dim', 'It is served to this machine alone. Ctrl-C ends it.'))
      await new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
    } finally {
      await server.close()
    }
  })

export default {
  takes: '[agent]',
  examples: [
    'inspect',
    'inspect lint#3',
    'inspect lint#3 --export run.html --redact   # one file to send to a colleague',
    'inspect --last --allow-actions   # accept, reject, retry, answer and speak from the page',
  ],
  options: [
    LAST_AGENT,
    ['--port <n>', 'where it is served (default: 7333, or another free port)', wholeNumber],
    ['--export <file>', 'write one file that holds the page and the run, instead'],
    ['--redact', 'with --export: without what looks like a secret'],
    ['--allow-actions', 'let the page change things: take or reject changes, speak to agents'],
  ],
  call: inspectCommand,
} satisfies CommandWords
