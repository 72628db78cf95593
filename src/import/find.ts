import { readdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

/** A file of a harness that holds sessions. */
export interface SessionFile {
  readonly harness: string
  readonly path: string
  readonly bytes: number
  /** When something was written to it last. */
  readonly changed: Date
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where a harness keeps its sessions: the variable that names its folder, that below the person's home, where in it, how deep, which files. */
const PLACES: readonly (readonly [string, string, string, string, number, RegExp])[] = [
  ['claude-code', 'CLAUDE_CONFIG_DIR', '.claude', 'projects', 1, /^(?!agent-).*\.jsonl$/],
  ['codex', 'CODEX_HOME', '.codex', 'sessions', 3, /^rollout-.*\.jsonl$/],
  ['codex', 'CODEX_HOME', '.codex', 'archived_sessions', 3, /^rollout-.*\.jsonl$/],
  ['gemini', 'GEMINI_CLI_HOME', '', '.gemini/tmp', 2, /^session-.*\.jsonl?$/],
  ['opencode', 'XDG_DATA_HOME', '.local/share', 'opencode', 0, /^opencode(?:-.*)?\.db$/],
]

/** The files with sessions on this machine, newest first. */
export function findSessionFiles(home: string, env: Environment, from?: string): SessionFile[] {
  return PLACES.filter(([harness]) => from === undefined || harness === from)
    .flatMap(([harness, variable, folder, below, depth, file]) => {
      const given = env[variable]
      const top = given !== undefined && isAbsolute(given) ? given : join(home, folder)
      return filesIn(join(top, below), depth, file).map((one) => ({ harness, ...one }))
    })
    .sort((one, other) => other.changed.getTime() - one.changed.getTime())
}

function filesIn(folder: string, depth: number, file: RegExp): Omit<SessionFile, 'harness'>[] {
  return entriesIn(folder).flatMap(({ name, path, stats }) => {
    if (stats.isDirectory()) return depth > 0 ? filesIn(path, depth - 1, file) : []
    return stats.isFile() && stats.size > 0 && file.test(name)
      ? [{ path, bytes: stats.size, changed: stats.mtime }]
      : []
  })
}

/** What is in a folder, as far as it may be looked at. */
function entriesIn(folder: string): { name: string; path: string; stats: Stats }[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const path = join(folder, name)
    try {
      return [{ name, path, stats: statSync(path) }]
    } catch {
      return []
    }
  })
}

/** The files of a session's helpers, which Claude Code writes beside its own. */
export function helperFiles(path: string): string[] {
  const folder = join(dirname(path), basename(path, '.jsonl'), 'subagents')
  return path.endsWith('.jsonl') ? filesIn(folder, 0, /^agent-.*\.jsonl$/).map((file) => file.path) : []
}
