import { TwotrackError } from '../../errors.ts'
import type { Settings } from '../../event/event.ts'
import { foldCaps, PACKET_TOKENS_MIN, PROMPT_TOKENS_MAX } from '../../limits.ts'
import { CURRENT_VIEW, viewOf } from '../../view/views.ts'

/** What a log is folded with instead of what it was recorded with. */
export interface OtherSettings {
  /** Tokens of the packet. */
  readonly limit?: number
  /** Name of a view, perhaps with a rendering: `desk-1:json`. */
  readonly view?: string
}

/** The settings that a new run with this limit and view would have; what is not given stays. */
export function otherSettings(settings: Settings, { limit, view }: OtherSettings): Settings {
  return withView(limit === undefined ? settings : withLimit(settings, limit), view)
}

function withLimit(settings: Settings, limit: number): Settings {
  if (limit < PACKET_TOKENS_MIN || limit > PROMPT_TOKENS_MAX)
    throw new TwotrackError(
      'bad_argument',
      `A packet of ${limit} tokens can't be made; give ${PACKET_TOKENS_MIN} to ${PROMPT_TOKENS_MAX}.`,
    )
  const { packet_size_limit, prompt_budget, caps } = settings
  const { goal_tokens, window_actions } = caps
  return {
    ...settings,
    packet_size_limit: limit,
    // What instructions and tools had beside the packet, they keep.
    prompt_budget: Math.max(0, limit + prompt_budget - packet_size_limit),
    caps: {
      ...foldCaps(limit),
      ...(window_actions === undefined ? {} : { window_actions }),
      ...(goal_tokens === undefined
        ? {}
        : { goal_tokens: Math.floor((goal_tokens * limit) / Math.max(1, packet_size_limit)) }),
    },
  }
}

function withView(settings: Settings, view: string | undefined): Settings {
  if (view === undefined) return settings
  const [name = '', rendering = settings.rendering] = view.split(':')
  if (rendering !== 'json' && rendering !== 'outline')
    throw new TwotrackError(
      'bad_argument',
      `"${rendering}" is no rendering; after the view's name say json or outline.`,
    )
  const other = { ...settings, view: name, rendering } as const
  try {
    viewOf(other)
  } catch (cause) {
    throw new TwotrackError('bad_argument', `There is no view "${name}"; new runs use ${CURRENT_VIEW}.`, {
      cause,
    })
  }
  return other
}
