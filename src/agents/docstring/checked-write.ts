import { messageOf } from '../../errors.ts'
import type { NodeFile } from '../../nodes/node-file.ts'
import { filesOf, type Tool, type ToolContext } from '../../tool/tool.ts'

interface Found {
  readonly code: string
  readonly line: number
  readonly message: string
}

/** What a tool of the project says with the agent's file as it is now. `by` is empty where the project has none. */
type Look = (context: ToolContext) => Promise<{ readonly found: readonly Found[]; readonly by: string }>

/** The project's own tools that look at a docstring. */
export interface Looks {
  readonly lint: Look
  readonly types: Look
  /** What of the project these run. */
  readonly trustRequests: NonNullable<Tool['trustRequests']>
}

/** Writes the file, and takes it back where a tool then reports something new. Gives what looked at it, or why nothing did. */
export async function writeChecked(
  { lint, types }: Looks,
  context: ToolContext,
  { path, bytes }: NodeFile,
  text: string,
): Promise<{ readonly linted: string; readonly typed: string } | { readonly fresh: readonly string[] }> {
  const looked = async (look: Look) => look(context).catch((thrown: unknown) => messageOf(thrown))
  const before = { linted: await looked(lint), typed: await looked(types) }
  await filesOf(context).write(path, text)
  const fresh = [...newIn(before.linted, await looked(lint)), ...newIn(before.typed, await looked(types))]
  if (fresh.length === 0)
    return { linted: said(before.linted, 'linted'), typed: said(before.typed, 'type-checked') }
  await filesOf(context).write(path, bytes)
  return { fresh }
}

type Looked = Awaited<ReturnType<Look>> | string

const said = (looked: Looked, how: string): string =>
  typeof looked === 'string'
    ? `not ${how}: ${looked}`
    : looked.by || `not ${how}: the project has nothing for it`

/** Lines move, so they do not count. */
const keyOf = ({ code, message }: Found): string => `${code} ${message}`

function newIn(before: Looked, after: Looked): string[] {
  if (typeof before === 'string') return []
  if (typeof after === 'string') return [`With it, ${before.by} can't look at the file any more: ${after}`]
  const known = before.found.map(keyOf)
  return after.found.flatMap((one) => {
    const at = known.indexOf(keyOf(one))
    if (at !== -1) known.splice(at, 1)
    return at === -1
      ? `${before.by} reports something new with it: ${one.code} ${one.message} (line ${one.line}).`
      : []
  })
}
