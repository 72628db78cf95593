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

/** Where a harness keeps its sessions: a folder, from a variable or below the person's home, and the files in it. */
interface Place {
  readonly harness: string
  readonly variable: string
  readonly home: string
  readonly below: string
  readonly depth: number
  readonly file: RegExp
}

const PLACES: readonly Place[] = [
  {
    harness: 'claude-code',
    variable: 'CLAUDE_CONFIG_DIR',
    home: '.claude',
    below: 'projects',
    depth: 1,
    file: /^(?!agent-).*\.jsonl$/,
  },
  {
    harness: 'codex',
    variable: 'CODEX_HOME',
    home: '.codex',
    below: 'sessions',
    depth: 3,
    file: /^rollout-.*\.jsonl$/,
  },
  {
    harness: 'codex',
    variable: 'CODEX_HOME',
    home: '.codex',
    below: 'archived_sessions',
    depth: 3,
    file: /^rollout-.*\.jsonl$/,
  },
  {
    harness: 'gemini',
    variable: 'GEMINI_CLI_HOME',
    home: '.gemini',
    below: 'tmp',
    depth: 2,
    file: /^session-.*\.jsonl?$/,
  },
  {
    harness: 'opencode',
    variable: 'XDG_DATA_HOME',
    home: '.local/share',
    below: 'opencode',
    depth: 0,
    file: /^opencode(?:-.*)?\.db$/,
  },
]

/** The files with sessions on this machine, newest first. */
export function findSessionFiles(home: string, env: Environment, from?: string): SessionFile[] {
  return PLACES.filter(({ harness }) => from === undefined || harness === from)
    .flatMap((place) => {
      const { harness, variable, below, depth, file } = place
      const given = env[variable]
      const top = given !== undefined && isAbsolute(given) ? given : join(home, place.home)
      return filesIn(join(top, below), depth, file).map((one) => ({ harness, ...one }))
    })
    .sort((one, other) => other.changed.getTime() - one.changed.getTime())
}

function filesIn(folder: string, depth: number, file: RegExp): Omit<SessionFile, 'harness'>[] {
  return entriesIn(folder).flatMap(({ name, path, stats }) => {
    if (stats.isDirectory()) return depth > 0 ? filesIn(path, depth - 1, file) : []
    return stats.isFile() && file.test(name) ? [{ path, bytes: stats.size, changed: stats.mtime }] : []
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
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats ? [{ name, path, stats }] : []
  })
}

/** The files of a session's helpers, which Claude Code writes beside its own. */
export function helperFiles(path: string): string[] {
  const folder = join(dirname(path), basename(path, '.jsonl'), 'subagents')
  return path.endsWith('.jsonl') ? filesIn(folder, 0, /^agent-.*\.jsonl$/).map((file) => file.path) : []
}
