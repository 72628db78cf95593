import { cut } from '../../text/cut.ts'
import { firstOf, plural, quoted } from '../../text/lines.ts'

const NAMED_MAX = 4

/** What a diff changes, or a `--stat` says of it: the sentence, and the lines where files begin. */
export function changesIn(lines: readonly string[]): { text: string; heads: readonly number[] } | undefined {
  const paths = new Set<string>()
  const heads: number[] = []
  let [added, removed, inDiff] = [0, 0, false]
  let stated: RegExpExecArray | null = null
  for (const [at, line] of lines.entries()) {
    const head = /^diff --(?:git a\/.{1,400}? b\/|cc )(.{1,400})$/.exec(line)
    const plain = line.startsWith('+++ ') && lines[at - 1]?.startsWith('--- ') ? line.slice(4) : undefined
    if (head || plain !== undefined) {
      inDiff = true
      if (head) heads.push(at)
      if (head || !line.endsWith('/dev/null'))
        paths.add((head?.[1] ?? plain ?? '').split('\t', 1)[0]?.replace(/^"?b\//, '') ?? '')
    } else if (inDiff && /^\+(?!\+\+ )/.test(line)) added++
    else if (inDiff && /^-(?!-- )/.test(line)) removed++
    else if (line.startsWith('commit ')) inDiff = false
    stated ??=
      /^ {0,3}(\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?$/.exec(
        line,
      )
    const stat = /^ {0,3}(\S.{0,300}?) +\| +(?:\d|Bin)/.exec(line)
    if (stat?.[1]) paths.add(stat[1])
  }
  const signs = stated && !inDiff ? [stated[2] ?? 0, stated[3] ?? 0] : [added, removed]
  const count = stated && !inDiff ? Number(stated[1]) : paths.size
  if (count === 0) return undefined
  const named = paths.size > 0 ? `: ${firstOf([...paths], NAMED_MAX)}` : ''
  return { text: `${plural(count, 'file')} changed, +${signs[0]} −${signs[1]}${named}`, heads }
}

const LETTERS: Readonly<Record<string, string>> = {
  M: 'modified',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  U: 'in conflict',
  '?': 'untracked',
}

/** `git status`, long or short: the branch, and how many files are in which state. */
export function statusIn(lines: readonly string[]): string[] {
  let branch = ''
  let untracked = false
  const states = new Map<string, string[]>()
  for (const line of lines) {
    branch = /^(?:On branch |## )(\S+?)(?:\.\.\.|$)/.exec(line)?.[1] ?? branch
    if (/^\S.*:$/.test(line)) untracked = line === 'Untracked files:'
    const long = /^\t(?:([a-z ]{3,20}): +)?(\S.*)$/.exec(line)
    const short = /^([ MADRCTU?])([ MADRCTU?]) (\S.*)$/.exec(line)
    const letter = short?.[2]?.trim() || short?.[1] || ''
    const state = long ? (long[1] ?? (untracked ? 'untracked' : '')) : (LETTERS[letter] ?? '')
    const path = long?.[2] ?? short?.[3]
    if (state === '' || path === undefined) continue
    const paths = states.get(state)
    if (paths) paths.push(path)
    else states.set(state, [path])
  }
  const where = branch === '' ? '' : ` on ${branch}`
  if (states.size === 0)
    return lines.some((line) => /nothing to commit/.test(line)) ? [`clean working tree${where}`] : []
  const counts = [...states].map(([state, paths]) => `${paths.length} ${state}`).join(', ')
  return [`${counts}${where}: ${firstOf([...states.values()].flat(), NAMED_MAX)}`]
}

/** How many commits, and the newest. */
export function commitsIn(lines: readonly string[], oneline: boolean): string[] {
  const heads = lines.flatMap((line, at) => {
    const full = /^commit ([0-9a-f]{7,64})\b/.exec(line)
    const short =
      full || !oneline ? null : /^[*|\\/ ]{0,20}([0-9a-f]{7,40}) (?:\([^)]{1,300}\) )?(\S.*)$/.exec(line)
    if (!full && !short) return []
    const subject =
      short?.[2] ??
      lines
        .slice(at + 1, at + 8)
        .find((text) => text.startsWith('    '))
        ?.trim() ??
      ''
    return [`${(full?.[1] ?? short?.[1] ?? '').slice(0, 12)} ${quoted(cut(subject, 80))}`]
  })
  const [newest] = heads
  if (newest === undefined) return []
  return [heads.length === 1 ? `commit ${newest}` : `${plural(heads.length, 'commit')}, newest ${newest}`]
}
