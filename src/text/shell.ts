/** One program of a shell command, with its arguments; quotes are taken off. */
export interface Program {
  readonly name: string
  readonly args: readonly string[]
  /** The file that its output goes to, when it is not shown. */
  readonly into?: string
  /** Text given to it by a here-document. */
  readonly input?: string
}

/** Pipelines in the order in which they run; `cd`, variables and the like are left out. */
export type ShellCommand = readonly (readonly Program[])[]

const COMMAND_CHARS_MAX = 20_000
const SKIPPED = new Set(['cd', 'set', 'export', 'source', '.', 'pushd', 'popd', 'true', 'sleep', 'shopt'])
const PREFIXES = new Set([
  'sudo',
  'time',
  'nohup',
  'command',
  'exec',
  'env',
  'npx',
  'bunx',
  'timeout',
  'xargs',
  'stdbuf',
])

/**
 * What a shell command runs, read loosely: quotes, pipes, `&&`, `;`, line breaks, here-documents and redirections
 * are understood; what is not (functions, loops) is passed over word by word. Linear.
 */
export function readShell(command: string): ShellCommand {
  const pipelines: Program[][] = []
  let pipeline: Program[] = []
  for (const token of split(command.slice(0, COMMAND_CHARS_MAX))) {
    if (token.words.length > 0) {
      const program = programOf(token)
      if (program) pipeline.push(program)
    }
    if (token.end !== '|' && pipeline.length > 0) {
      pipelines.push(pipeline)
      pipeline = []
    }
  }
  if (pipeline.length > 0) pipelines.push(pipeline)
  return pipelines
}

const QUIET = new Set(
  'echo printf pwd mkdir touch rm cp mv which Set-Location Write-Host Write-Output New-Item Remove-Item'.split(
    ' ',
  ),
)
const FILTERS = new Set(
  'cat head tail grep egrep rg sort uniq sed tee less more Select-Object Select-String'.split(' '),
)

/** Whether a program shows nothing, or no more than a heading. */
export const isQuiet = ({ name }: Program): boolean => QUIET.has(name)

/** Whether what goes through a program comes out in the same lines, or some of them. */
export const keepsLines = ({ name }: Program): boolean => FILTERS.has(name)

interface Simple {
  readonly words: string[]
  into?: string
  input?: string
  end: string
}

function programOf({ words, into, input }: Simple): Program | undefined {
  let at = 0
  while (at < words.length && /^\w+=/.test(words[at] ?? '')) at++
  while (PREFIXES.has(words[at] ?? '')) {
    at++
    // Options and durations of the prefix itself.
    while (/^(-|\d)/.test(words[at] ?? '') || /^\w+=/.test(words[at] ?? '')) at++
  }
  const name = words[at]
  if (name === undefined || SKIPPED.has(name)) return undefined
  return {
    name: name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1),
    args: words.slice(at + 1),
    ...(into === undefined ? {} : { into }),
    ...(input === undefined ? {} : { input }),
  }
}

/** Cuts a command line into simple commands. */
function split(text: string): Simple[] {
  const commands: Simple[] = []
  let current: Simple = { words: [], end: '' }
  let word = ''
  let open = false
  let redirect = false
  const heredocs: { end: string; of: Simple }[] = []
  const endWord = () => {
    if (!open) return
    if (redirect) {
      if (word !== '/dev/null' && !/^&?\d$/.test(word)) current.into = word
      redirect = false
    } else current.words.push(word)
    word = ''
    open = false
  }
  const endCommand = (end: string) => {
    endWord()
    current.end = end
    commands.push(current)
    current = { words: [], end: '' }
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === "'" || char === '"') {
      const close = closing(text, at)
      word += unescaped(text.slice(at + 1, close), char)
      open = true
      at = close
    } else if (char === '\\') {
      // Before a letter it parts a Windows path: nobody escapes a letter.
      if (/\w/.test(text[at + 1] ?? '')) word += char
      if (text[at + 1] !== '\n') word += text[at + 1] ?? ''
      open = true
      at++
    } else if (char === '\n') {
      endCommand(';')
      for (const heredoc of heredocs.splice(0)) {
        const end = text.indexOf(`\n${heredoc.end}`, at)
        heredoc.of.input = text.slice(at + 1, end === -1 ? text.length : Math.max(at + 1, end))
        at = end === -1 ? text.length : end + heredoc.end.length + 1
      }
    } else if (
      char === ' ' ||
      char === '\t' ||
      char === '(' ||
      char === ')' ||
      char === '{' ||
      char === '}'
    ) {
      if ((char === '{' || char === '}') && open) word += char
      else endWord()
    } else if (char === '|' || char === ';' || char === '&') {
      if (char === '&' && (text[at - 1] === '>' || text[at + 1] === '>')) {
        word += char
        open = true
        continue
      }
      const twice = text[at + 1] === char
      endCommand(char === '|' && !twice ? '|' : ';')
      if (twice) at++
    } else if (char === '<' && text[at + 1] === '<') {
      endWord()
      const match = /^<<<?-?\s*(['"]?)(\w*)\1/.exec(text.slice(at, at + 80))
      if (match?.[2] && !match[0].startsWith('<<<')) heredocs.push({ end: match[2], of: current })
      at += (match?.[0].length ?? 2) - 1
    } else if (char === '>') {
      if (/^[\d&]$/.test(word)) {
        word = ''
        open = false
      } else endWord()
      redirect = true
      if (text[at + 1] === '>') at++
    } else if (char !== '<') {
      word += char
      open = true
    }
  }
  endCommand('')
  return commands
}

function closing(text: string, at: number): number {
  const quote = text[at]
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\' && quote === '"') end++
    else if (text[end] === quote) return end
  }
  return text.length
}

const unescaped = (text: string, quote: string): string =>
  quote === '"' ? text.replace(/\\(["\\$`])/g, '$1') : text
