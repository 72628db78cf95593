import { TwotrackError } from '../../errors.ts'
import { type Place, stateAt } from '../../memory/at.ts'
import { loadTokenizer } from '../../memory/tokenizer.ts'
import { diffPackets } from '../../packet/diff.ts'
import { fold } from '../../packet/fold.ts'
import type { Packet } from '../../packet/packet.ts'
import type { State } from '../../packet/state.ts'
import { type Prompt, promptOf } from '../../prompt/prompt.ts'
import { counterOf } from '../../prompt/tokens/counter.ts'
import type { Store } from '../../store/store.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { agentMeant, type WhichOptions } from '../names.ts'
import { paint, print, printJson, safe } from '../output.ts'

export interface ReplayOptions extends CommonOptions, WhichOptions {
  readonly turn?: number
  readonly seq?: number
  readonly views?: boolean
}

/** The packet as it was at a turn or an event, folded from the log alone. */
export async function replayCommand(agent: string | undefined, options: ReplayOptions): Promise<number> {
  const chosen = [options.turn, options.seq, options.views].filter((choice) => choice !== undefined)
  if (chosen.length > 1)
    throw new TwotrackError('bad_argument', '--turn, --seq and --views each choose what to show; give one.')
  return withStore(options, async (store) => {
    const agentId = await agentMeant(store, agent, options)
    if (options.views) return printViews(store, agentId)
    const { state } = await stateAt(store, agentId, await placeOf(store, agentId, options))
    const prompt = await promptAt(state)
    if (options.json) printJson(prompt.packet)
    else {
      const { prompt_budget, packet_size_limit } = state.settings
      const used = `${prompt.tokens} tokens with tools, of ${prompt_budget}; packet limit ${packet_size_limit}`
      print(`${prompt.text}\n${paint('dim', `\n${used}`)}`)
    }
    return 0
  })
}

/** The end of the log, unless a place is asked for that it has. */
async function placeOf(store: Store, agentId: string, { turn, seq }: ReplayOptions): Promise<Place> {
  const head = await store.head(agentId)
  if (seq !== undefined && head && (seq < 1 || seq > head.seq))
    throw new TwotrackError(
      'missing',
      `Agent "${agentId}" has events 1 to ${head.seq}; there is no event ${seq}.`,
    )
  if (turn !== undefined) await assertTurns(store, agentId, turn)
  return seq === undefined ? { turn: turn ?? Number.MAX_SAFE_INTEGER } : { seq }
}

async function assertTurns(store: Store, agentId: string, ...turns: readonly number[]): Promise<void> {
  const last = await lastTurn(store, agentId)
  const beyond = turns.find((turn) => turn > last)
  if (beyond === undefined) return
  throw new TwotrackError('missing', `Agent "${agentId}" has turns 0 to ${last}; there is no turn ${beyond}.`)
}

async function printViews(store: Store, agentId: string): Promise<number> {
  let state: State | undefined
  let begun = false
  const printView = async () => {
    if (state && begun) print(JSON.stringify({ turn: state.turn, view: (await promptAt(state)).text }))
  }
  for await (const event of store.read(agentId)) {
    if (event.type === 'turn_start') {
      await printView()
      begun = true
    }
    state = fold(state, event)
  }
  await printView()
  return 0
}

export interface DiffOptions extends CommonOptions, WhichOptions {
  readonly from: number
  readonly to: number
}

/** What changed in the packet between two turns. */
export async function diffCommand(agent: string | undefined, options: DiffOptions): Promise<number> {
  return withStore(options, async (store) => {
    const agentId = await agentMeant(store, agent, options)
    await assertTurns(store, agentId, options.from, options.to)
    const before = await packetAt(store, agentId, options.from)
    const after = await packetAt(store, agentId, options.to)
    const changes = diffPackets(before, after)
    if (options.json) printJson(changes)
    else if (changes.length === 0) print('The packets are the same.')
    else {
      for (const { path, before: old, after: now } of changes) {
        if (old !== undefined) print(paint('red', `- ${safe(path)}: ${safe(JSON.stringify(old))}`))
        if (now !== undefined) print(paint('green', `+ ${safe(path)}: ${safe(JSON.stringify(now))}`))
      }
    }
    return 0
  })
}

async function lastTurn(store: Store, agentId: string): Promise<number> {
  const head = await store.head(agentId)
  let turn = 0
  for await (const event of store.read(agentId, { from: head?.seq ?? 1 })) turn = event.turn
  return turn
}

async function packetAt(store: Store, agentId: string, turn: number): Promise<Packet> {
  return (await promptAt((await stateAt(store, agentId, { turn })).state)).packet
}

async function promptAt(state: State): Promise<Prompt> {
  return promptOf(state, counterOf(await loadTokenizer(state.settings.tokenizer)))
}
