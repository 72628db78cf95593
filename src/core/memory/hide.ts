import { TwotrackError } from '../../errors.ts'
import type { Learned } from '../event/delta.ts'
import { contentTypes, type Draft } from '../event/event.ts'
import { isObject, type Json } from '../event/json.ts'
import type { FinishedCall, Returned } from './learner.ts'

/** Port to the border that everything recorded passes: secrets in it are replaced by placeholders. */
export interface Hide {
  readonly on: boolean
  hide(text: string): string
  /** The same for every text in a value: a name that it stands under counts as said before it. */
  hideIn(value: Json): Json
  /** Byte for byte, but for the secrets. */
  bytes(bytes: Uint8Array): Uint8Array
  stream(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** Texts with their placeholders replaced by the secrets, and the placeholders that this process knows nothing of. */
  reveal(value: Json): { readonly value: Json; readonly unknown: readonly string[] }
}

export const hideNothing: Hide = {
  on: false,
  hide: (text) => text,
  hideIn: (value) => value,
  bytes: (bytes) => bytes,
  stream: (chunks) => chunks,
  reveal: (value) => ({ value, unknown: [] }),
}

/** Ids name files and rows: they are not rewritten, so they must not hold a secret. */
export function assertNoSecret({ hide }: Hide, ids: Readonly<Record<string, string>>): void {
  for (const [name, id] of Object.entries(ids)) {
    const hidden = hide(id)
    if (hidden !== id)
      throw new TwotrackError(
        'bad_argument',
        `The ${name} ${hidden} holds a secret, and ids are never hidden. Choose another.`,
      )
  }
}

/** A draft whose texts hold no secret. */
export function hideDraft({ on, hideIn }: Hide, draft: Draft): Draft {
  // A prompt follows from what was recorded before, to the byte; nothing in it is new.
  if (!on || draft.type === 'model_request' || draft.type === 'turn_start') return draft
  // Files are written as they were proposed: who records them kept those with a secret out (workspace/contents.ts).
  if (contentTypes.has(draft.type)) return draft
  const { raw } = draft
  // Texts stay texts and names stay names, so the draft keeps its form.
  return {
    ...draft,
    data: hideIn(draft.data as Json),
    ...(draft.delta ? { delta: hideIn(draft.delta as Json) } : {}),
    ...(raw ? { raw: hideIn(raw as Json) } : {}),
  } as Draft
}

/** What a tool returned, before anything is derived from it. */
export function hideReturned({ on, hide, hideIn, bytes }: Hide, returned: Returned): Returned {
  if (!on) return returned
  const { text, shown, bytes: raw, output, error, own } = returned
  return {
    ...returned,
    text: hide(text),
    ...(shown === undefined ? {} : { shown: hide(shown) }),
    ...(raw ? { bytes: bytes(raw) } : {}),
    ...(output === undefined ? {} : { output: hideIn(output) }),
    ...(error === undefined ? {} : { error: hide(error) }),
    ...(own ? { own: hideIn(own as Json) as Partial<Learned> } : {}),
  }
}

/**
 * What was derived from a call whose texts were searched: only what stands in none of them as it is has to be searched,
 * such as an output without its escapes.
 */
export function hideDerived<Value extends object>(
  { on, hideIn }: Hide,
  derived: Value,
  call: FinishedCall,
): Value {
  if (!on) return derived
  const searched = [call.text, call.shown ?? '', call.error ?? '', call.own?.summary ?? '']
  const isNew = (value: unknown): boolean => {
    if (typeof value === 'string') return !searched.some((text) => text.includes(value))
    if (Array.isArray(value)) return value.some(isNew)
    return isObject(value) && Object.values(value).some(isNew)
  }
  const fields = Object.entries(derived).map(([name, value]) => [name, isNew(value) ? hideIn(value) : value])
  return Object.fromEntries(fields) as Value // the same names, and values of the same form
}
