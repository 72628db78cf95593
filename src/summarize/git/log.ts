export interface Commit {
  readonly hash: string
  readonly subject: string
  /** Branches and tags that point to it. */
  readonly refs: string
  readonly author: string
  readonly date: string
  readonly body: readonly string[]
}

const FULL = /^commit ([0-9a-f]{7,64})(?: \((.{1,400})\))?$/
const HEADER = /^(Merge|Author|AuthorDate|Commit|CommitDate|Date|Reflog|Reflog message|gpg): {0,12}(.*)$/
const ONELINE = /^([0-9a-f]{7,40}) (?:\(([^)]{1,400})\) )?(\S.*)$/

/** A commit as `git log` and `git show` write it, up to the end of its message. */
export function readCommit(
  lines: readonly string[],
  at: number,
): { commit: Commit; end: number } | undefined {
  const first = FULL.exec(lines[at] ?? '')
  if (!first) return undefined
  let author = ''
  let date = ''
  let end = at + 1
  for (let header = HEADER.exec(lines[end] ?? ''); header; header = HEADER.exec(lines[++end] ?? '')) {
    if (header[1] === 'Author') author = (header[2] ?? '').split(' <', 1)[0] ?? ''
    if (header[1] === 'Date' || header[1] === 'AuthorDate') date = header[2] ?? ''
  }
  const message: string[] = []
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ''
    if (line.startsWith('    ')) message.push(line.slice(4))
    else if (line !== '') break
  }
  const [subject = '', ...body] = message
  return {
    commit: { hash: first[1] ?? '', subject, refs: first[2] ?? '', author, date, body },
    end,
  }
}

/** `133a5cb (HEAD -> main) Subject`, with the lines of `--graph` before it. */
export function onelineCommit(line: string): Commit | undefined {
  const match = ONELINE.exec(line.replace(/^[*|\\/_ ]{1,60}/, ''))
  if (!match) return undefined
  const [, hash = '', refs = '', subject = ''] = match
  return { hash, subject, refs, author: '', date: '', body: [] }
}
