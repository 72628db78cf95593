import { type Program, plainWords } from '../../text/shell.ts'
import type { ReportHint } from './report.ts'

/** Programs that run what their next word names: `yarn eslint`, `npm run lint`, `npm test`. */
const WRAPPERS = new Set(
  'npm pnpm yarn bun uv poetry pipenv run xvfb-run nice dotenv cross-env tool'.split(' '),
)

const PROGRAMS_MAX = 50

/** Names that a hint gives, most specific first: `go test`, then `go`. */
export function hintNames({ tool, programs = [] }: ReportHint): readonly string[] {
  return [
    ...(tool === undefined ? [] : [normalName(tool)]),
    ...programs.slice(0, PROGRAMS_MAX).flat().flatMap(namesOf),
  ]
}

/** `bun-test`, `Bun_Test` and `bun test` are one name. */
export const normalName = (name: string): string =>
  name.trim().toLowerCase().replaceAll('-', ' ').replaceAll('_', ' ')

function namesOf({ name, args }: Program): string[] {
  const words = [name, ...plainWords(args).slice(0, 3)]
  // `bun test` is a runner of its own; `bun run test` is whatever the script says.
  while (words.length > 1 && WRAPPERS.has(words[0] ?? '') && !(words[0] === 'bun' && words[1] === 'test'))
    words.shift()
  const [program = '', argument] = words
  return [...(argument === undefined ? [] : [normalName(`${program} ${argument}`)]), normalName(program)]
}
