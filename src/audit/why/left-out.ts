import type { Asked, Origin } from './asked.ts'

/** What the view left out was counted from entries of the state: the events behind those that it does not show. */
export function leftOutOrigins({ leaf, end }: Asked): Origin[] {
  const { state, packet } = end
  const shown = new Set([...packet.earlier, ...packet.recent_actions].map(({ ref }) => ref))
  const hidden: readonly (readonly [string, readonly number[]])[] = [
    ['earlier steps', state.actions.map(({ ref }) => ref).filter((ref) => !shown.has(ref))],
    [
      'known facts',
      Object.entries(state.knowledge).flatMap(([key, { ref }]) =>
        Object.hasOwn(packet.knowledge, key) ? [] : [ref],
      ),
    ],
    ['open problems', refsWithout(state.diagnostics, packet.diagnostics)],
    ['failed attempts', refsWithout(state.failed_attempts, packet.failed_attempts)],
    [
      'items of the plan',
      state.plan
        .filter(({ ref, text }) => !packet.plan.some((item) => item.ref === ref && item.text === text))
        .map(({ ref }) => ref),
    ],
    [
      'files',
      Object.values(state.files)
        .filter(({ path }) => !packet.files.some((file) => file.path === path))
        .map(({ ref }) => ref),
    ],
  ]
  const refs = hidden.find(([what]) => String(leaf.value).includes(what))?.[1] ?? []
  // Of steps that even the state forgot it holds the first and the last.
  const { forgotten } = state
  const gone =
    String(leaf.value).includes('earlier steps') && forgotten ? [forgotten.first, forgotten.last] : []
  return [...new Set([...gone, ...refs])].map((seq) => ({ seq, field: '/seq', counted: true }))
}

const refsWithout = (
  all: readonly { readonly value: string; readonly ref: number }[],
  shown: readonly string[],
): number[] => all.filter(({ value }) => !shown.includes(value)).map(({ ref }) => ref)
