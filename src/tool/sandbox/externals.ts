import { z } from 'zod'
import type { Json } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import { inside, lstatOrAbsent } from '../../files/confine.ts'
import { listInside, readInside, writeInside } from '../../files/files.ts'
import { runCommand } from '../command/run.ts'
import type { RunCommandOptions } from '../run-command.ts'
import { searchContent, searchFiles } from '../search.ts'
import type { ToolContext } from '../tool.ts'
import type { External } from './sandbox.ts'

export const externalNames = [
  'read_file',
  'write_file',
  'list_dir',
  'file_exists',
  'search_files',
  'search_content',
  'log',
  'get_node_source',
  'get_node_metadata',
  'run_command',
] as const
export type ExternalName = (typeof externalNames)[number]

/** What some externals need from whoever grants them. */
export interface Providers {
  readonly nodeSource?: (nodeId: string) => Promise<string>
  readonly nodeMetadata?: (nodeId: string) => Promise<Json>
  readonly command?: RunCommandOptions
}

/** The functions behind the granted names. Throws `bad_argument` if one cannot be granted. */
export function externalsFor(
  granted: readonly ExternalName[],
  context: ToolContext,
  providers: Providers,
): Record<string, External> {
  const all = { ...fileExternals(context), ...providedExternals(context, providers) }
  return Object.fromEntries(
    granted.map((name) => {
      const external: External | undefined = all[name]
      if (external) return [name, external]
      throw new TwotrackError('bad_argument', `The external ${name} needs a provider, and none was given.`)
    }),
  )
}

type Externals = Partial<Record<ExternalName, External>>

/** The workspace is asked for when a file is: a script without files needs none. */
function fileExternals(context: ToolContext): Externals {
  return {
    read_file: async (args) => (await readInside(context.workspace, textAt(args, 0, 'path'))).toString(),
    write_file: (args) => writeInside(context.workspace, textAt(args, 0, 'path'), textAt(args, 1, 'content')),
    list_dir: (args) => listInside(context.workspace, textAt(args, 0, 'path', '.')),
    file_exists: async (args) =>
      (await lstatOrAbsent(await inside(context.workspace, textAt(args, 0, 'path')))) !== undefined,
    search_files: (args) => searchFiles(context.workspace, textAt(args, 0, 'pattern')),
    search_content: (args) =>
      searchContent(context.workspace, textAt(args, 0, 'text'), textAt(args, 1, 'path', '.')),
  }
}

function providedExternals(
  context: ToolContext,
  { nodeSource, nodeMetadata, command }: Providers,
): Externals {
  const { node, log } = context
  return {
    log: ([value]) => log?.(typeof value === 'string' ? value : JSON.stringify(value ?? null)),
    ...(nodeSource && { get_node_source: (args) => nodeSource(textAt(args, 0, 'node id', node.id)) }),
    ...(nodeMetadata && { get_node_metadata: (args) => nodeMetadata(textAt(args, 0, 'node id', node.id)) }),
    ...(command && {
      run_command: (args, signal) => {
        const offline = context.offline || (command.offline ?? false)
        return runCommand(argvOf(args), { ...command, offline, root: context.workspace, signal })
      },
    }),
  }
}

/** Scripts are not trusted to pass what an external takes. */
function textAt(args: readonly Json[], index: number, name: string, fallback?: string): string {
  const given = args[index] ?? fallback
  if (typeof given === 'string') return given
  throw new TwotrackError(
    'bad_argument',
    `${name} must be text; received ${JSON.stringify(given ?? null).slice(0, 80)}.`,
  )
}

function argvOf(args: readonly Json[]): string[] {
  const parsed = z.array(z.string()).safeParse(args[0])
  if (parsed.success) return parsed.data
  throw new TwotrackError('bad_argument', 'run_command takes a list of texts: the program and its arguments.')
}
