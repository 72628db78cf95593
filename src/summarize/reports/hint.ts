import type { ReportHint } from './report.ts'

/** Words before the program that really runs. */
const WRAPPERS = new Set(
  'sudo time env command exec nice nohup xvfb-run npx bunx pnpx pnpm yarn npm bun uv uvx poetry pipenv pdm hatch rye bundle run x dlx exec tool mise dotenv cross-env timeout'.split(
    ' ',
  ),
)
const SHELLS = new Set(['bash', 'sh', 'zsh', 'wsl', 'dash', 'fish', 'pwsh', 'powershell', 'cmd'])
const SHELL_DEPTH_MAX = 3
const COMMAND_CHARS_MAX = 8_000
const SEGMENTS_MAX = 50

/** Names that a hint gives, most telling first: `go test`, then `go`. */
export function hintNames(hint: ReportHint): readonly string[] {
  const names: string[] = []
  if (hint.tool !== undefined) names.push(normalName(hint.tool))
  if (hint.command !== undefined) commandNames(hint.command.slice(0, COMMAND_CHARS_MAX), 0, names)
  return names
}

/** `bun-test`, `Bun_Test` and `bun test` are one name. */
export function normalName(name: string): string {
  return name.trim().toLowerCase().replaceAll('-', ' ').replaceAll('_', ' ')
}

function commandNames(command: string, depth: number, names: string[]): void {
  for (const words of segments(command).slice(0, SEGMENTS_MAX)) {
    const nested = nestedCommand(words)
    if (nested !== undefined && depth < SHELL_DEPTH_MAX) {
      commandNames(nested, depth + 1, names)
      continue
    }
    const [program, argument] = programOf(words)
    if (program === undefined) continue
    if (argument !== undefined) names.push(normalName(`${program} ${argument}`))
    names.push(normalName(program))
  }
}

function nestedCommand(words: readonly string[]): string | undefined {
  const shell = words.findIndex((word) => SHELLS.has(baseName(word)))
  if (shell === -1 || shell > 5) return undefined
  const flag = words.findIndex((word, i) => i > shell && /^-[a-z]{0,3}c$/.test(word))
  return flag === -1 ? undefined : words[flag + 1]
}

function programOf(words: readonly string[]): readonly [program?: string, argument?: string | undefined] {
  let i = 0
  for (; i < words.length; i++) {
    const word = words[i] ?? ''
    if (/^[A-Za-z_]\w*=/.test(word) || word.startsWith('-') || /^\d+[smh]?$/.test(word)) continue
    const name = baseName(word)
    // `bun test` is a runner of its own; `bun run test` is whatever the script says.
    if (name === 'bun' && words[i + 1] === 'test') return ['bun', 'test']
    if (/^python[\d.]*$/.test(name) || name === 'py') {
      const module = words.indexOf('-m', i)
      if (module !== -1 && module <= i + 3) i = module
      continue
    }
    if (!WRAPPERS.has(name)) break
  }
  const program = words[i]
  if (program === undefined) return []
  return [baseName(program), words.slice(i + 1).find((word) => !word.startsWith('-'))]
}

function baseName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
  return name.endsWith('.exe') || name.endsWith('.cmd') ? name.slice(0, -4) : name
}

/** Words of each simple command, split at `&&`, `||`, `;`, `|` and newlines outside quotes. */
function segments(command: string): string[][] {
  const found: string[][] = [[]]
  let word = ''
  let quote = ''
  const endWord = (): void => {
    if (word !== '') found.at(-1)?.push(word)
    word = ''
  }
  for (const char of command) {
    if (quote !== '') {
      if (char === quote) quote = ''
      else word += char
    } else if (char === '"' || char === "'") quote = char
    else if (char === ' ' || char === '\t') endWord()
    else if (';|&\n()⏎'.includes(char)) {
      endWord()
      found.push([])
    } else word += char
  }
  endWord()
  return found.filter((words) => words.length > 0)
}
