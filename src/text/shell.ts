/** One program of a shell command, with its arguments; quotes are taken off. */
export interface Program {
  /** Without its folder: `pytest` of `/usr/bin/pytest`, `python -m pytest` and `uv run pytest`. */
  readonly name: string
  readonly args: readonly string[]
  /** The folder that `cd` went to before it; empty where the command began. */
  readonly folder: string
  /** The file that its output goes to, when it is not shown. */
  readonly into?: string
  /** It is added to that file. */
  readonly append?: boolean
  /** Text given to it by a here-document; absent where the shell would fill in variables. */
  readonly input?: string
}

/** Pipelines in the order in which they run; `cd`, variables and the like are left out. */
export type ShellCommand = readonly (readonly Program[])[]

const COMMAND_CHARS_MAX = 200_000
const NESTED_MAX = 3
const SKIPPED = new Set('set export source . pushd popd true sleep shopt cd'.split(' '))
const PREFIXES = new Set('sudo time nohup command exec env npx bunx pnpx uvx timeout xargs stdbuf'.split(' '))
/** A program and its word that run the program named after them. */
const RUNNER =
  /^(?:(?:uv|poetry|pipenv|pdm|hatch|rye) run|(?:bundle|pnpm|yarn|npm|mise) exec|(?:pnpm|yarn) dlx|(?:npm|bun|mise) x)$/

/**
 * What a shell command runs, read loosely: quotes, pipes, `&&`, `;`, line breaks, here-documents, redirections and
 * `bash -c` are understood; what is not (functions, loops) is passed over word by word. Linear.
 */
export function readShell(command: string, depth = 0, from = ''): ShellCommand {
  const pipelines: (readonly Program[])[] = []
  let pipeline: Program[] = []
  let folder = from
  const end = () => {
    if (pipeline.length > 0) pipelines.push(pipeline)
    pipeline = []
  }
  for (const simple of split(command.slice(0, COMMAND_CHARS_MAX))) {
    const [first, second] = simple.words
    if (first === 'cd' && second !== undefined) folder = joinPath(folder, second)
    const nested = depth < NESTED_MAX ? nestedIn(simple.words) : undefined
    const program = nested === undefined ? programIn(simple, folder) : undefined
    if (nested !== undefined) {
      end()
      pipelines.push(...readShell(nested, depth + 1, folder))
    } else if (program) pipeline.push(program)
    if (simple.end !== '|') end()
  }
  end()
  return pipelines
}

/** A path as seen from a folder. */
export function joinPath(folder: string, path: string): string {
  // What begins with a variable is taken to begin at a root, as such folders do.
  if (folder === '' || /^(?:[/~$]|[A-Za-z]:[\\/])/.test(path)) return path
  return path === '.' ? folder : `${folder.replace(/\/$/, '')}/${path.replace(/^\.\//, '')}`
}

const QUIET = new Set(
  'echo printf pwd mkdir touch rm cp mv which Set-Location Write-Host Write-Output New-Item Remove-Item'.split(
    ' ',
  ),
)
/** Whether a program shows nothing, or no more than a heading. */
export const isQuiet = ({ name }: Program): boolean => QUIET.has(name)

export const plainWords = (args: readonly string[]): readonly string[] =>
  args.filter((arg) => !arg.startsWith('-'))

interface Simple {
  readonly words: string[]
  into?: string
  append?: boolean
  input?: string
  end: string
}

const SHELLS = /^(?:ba|z|da|fi)?sh$|^(?:pwsh|powershell)$/

/** The command in `bash -lc '…'`. */
function nestedIn(words: readonly string[]): string | undefined {
  const shell = words.findIndex((word, at) => at < 5 && SHELLS.test(programName(word)))
  if (shell === -1) return undefined
  const flag = words.findIndex((word, at) => at > shell && /^-[a-z]{0,3}c$|^-Command$/.test(word))
  return flag === -1 ? undefined : words[flag + 1]
}

function programIn({ words, into, append, input }: Simple, folder: string): Program | undefined {
  let at = 0
  for (let again = true; again; ) {
    while (/^\w+=/.test(words[at] ?? '')) at++
    const name = programName(words[at] ?? '')
    again = PREFIXES.has(name)
    if (again) {
      at++
      // Options and durations of the prefix itself.
      while (/^(-|\d)/.test(words[at] ?? '') || /^\w+=/.test(words[at] ?? '')) at++
    } else if (RUNNER.test(`${name} ${words[at + 1]}`)) {
      again = words[at + 2] !== undefined
      at += again ? 2 : 0
      while (again && words[at]?.startsWith('-')) at++
    } else if (/^py(thon[\d.]*)?$/.test(name)) {
      const module = words.indexOf('-m', at)
      if (module !== -1 && module <= at + 3 && words[module + 1] !== undefined) at = module + 1
    }
  }
  const name = words[at]
  if (name === undefined || SKIPPED.has(name)) return undefined
  return {
    name: programName(name),
    args: words.slice(at + 1),
    folder,
    ...(into === undefined ? {} : { into }),
    ...(append ? { append } : {}),
    ...(input === undefined ? {} : { input }),
  }
}

function programName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
  return /\.(?:exe|cmd)$/.test(name) ? name.slice(0, -4) : name
}

interface HereDocument {
  readonly end: string
  readonly of: Simple
  /** Quoted: the shell leaves it as it is. */
  readonly literal: boolean
}

function split(text: string): Simple[] {
  const commands: Simple[] = []
  let current: Simple = { words: [], end: '' }
  let word = ''
  let open = false
  let redirect = false
  const documents: HereDocument[] = []
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
      if (text[at + 1] !== '\n') {
        word += text[at + 1] ?? ''
        open = true
      }
      at++
    } else if (char === '\n') {
      endCommand(';')
      for (const document of documents.splice(0)) at = readDocument(text, at, document)
    } else if (char === '#' && !open) {
      const end = text.indexOf('\n', at)
      at = (end === -1 ? text.length : end) - 1
    } else if (' \t(){}'.includes(char)) {
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
      const match = /^<<<?-?\s*(['"\\]?)(\w*)['"]?/.exec(text.slice(at, at + 80))
      if (match?.[2] && !match[0].startsWith('<<<'))
        documents.push({ end: match[2], of: current, literal: match[1] !== '' })
      at += (match?.[0].length ?? 2) - 1
    } else if (char === '>') {
      if (/^[\d&]$/.test(word)) {
        word = ''
        open = false
      } else endWord()
      redirect = true
      if (text[at + 1] === '>') {
        current.append = true
        at++
      }
    } else if (char !== '<') {
      word += char
      open = true
    }
  }
  endCommand('')
  return commands
}

/** Gives the place of its last character, so that the command goes on behind it. */
function readDocument(text: string, at: number, { end, of, literal }: HereDocument): number {
  const close = new RegExp(`\n[\t ]*${end}(?=\n|$)`, 'g')
  close.lastIndex = at
  const found = close.exec(text)
  const input = text.slice(at + 1, Math.max(at + 1, found?.index ?? text.length))
  if (literal || !/[$`]/.test(input)) of.input = input
  return found === null ? text.length : found.index + found[0].length
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
  quote === '"' ? text.replace(/\\(["\\$`])/g, '$1').replaceAll('\\\n', '') : text
