import type { Draft } from '../event/event.ts'
import { canonical, isObject, type Json } from '../event/json.ts'
import { INLINE_FIELD_BYTES_MAX, TEXT_IN_DATA_CHARS_MAX } from '../limits.ts'
import { sha256 } from '../sha256.ts'
import { cutMiddle } from '../text/cut.ts'

/**
 * Keeps what an event replays from small: a long text in a call's arguments or a model's answer is cut in the data and
 * stands whole in the raw part.
 */
export function shorten(draft: Draft): Draft {
  switch (draft.type) {
    case 'tool_call': {
      const { args } = draft.data
      if (isSmall(args)) return draft
      return {
        ...draft,
        data: { ...draft.data, args: shortArgs(args), args_sha256: sha256(canonical(args)) },
        raw: { ...draft.raw, args },
      }
    }
    case 'model_response': {
      const { calls, text, ...data } = draft.data
      const large = calls !== undefined && !isSmall(calls)
      const long = text.length > TEXT_IN_DATA_CHARS_MAX
      if (!large && !long) return draft
      return {
        ...draft,
        data: {
          ...data,
          text: long ? cutMiddle(text, TEXT_IN_DATA_CHARS_MAX) : text,
          ...(large || calls === undefined ? {} : { calls }),
        },
        raw: {
          ...draft.raw,
          ...(long ? { text } : {}),
          ...(large ? { calls } : {}),
        },
      }
    }
    case 'submit_result': {
      const { result, ...data } = draft.data
      if (result === undefined || isSmall(result)) return draft
      return { ...draft, data, raw: { ...draft.raw, result } }
    }
    default:
      return draft
  }
}

const isSmall = (value: Json): boolean => canonical(value).length <= INLINE_FIELD_BYTES_MAX

/** Long texts are cut in the middle; arguments that are large in another way become one text that is. */
function shortArgs(args: Json): Json {
  const short = shortTexts(args, TEXT_IN_DATA_CHARS_MAX >> 1)
  return isSmall(short) ? short : cutMiddle(canonical(args), TEXT_IN_DATA_CHARS_MAX)
}

function shortTexts(value: Json, max: number): Json {
  if (typeof value === 'string') return cutMiddle(value, max)
  if (Array.isArray(value)) return value.map((item) => shortTexts(item, max))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, field]) => [key, shortTexts(field, max)]),
  )
}
