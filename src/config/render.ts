import { stringify } from 'yaml'
import type { Config } from './config.ts'
import { type ConfigKey, type ConfigSection, configTree } from './keys.ts'
import type { LoadedConfig } from './load.ts'

interface RenderOptions {
  /** Paths of the keys to write; the others are shown commented out. All, unless given. */
  readonly keys?: ReadonlySet<string>
  /** Says beside each value where it comes from. */
  readonly sources?: LoadedConfig['sources']
}

/** The configuration as YAML with every key explained. Loading it gives the same values. */
export function renderConfig(config: Config, options: RenderOptions = {}): string {
  return section(configTree, config, 0, options).join('\n').trimStart().concat('\n')
}

function section(tree: ConfigSection, values: object, depth: number, options: RenderOptions): string[] {
  const fields = new Map<string, unknown>(Object.entries(values))
  return [...tree.members].flatMap(([name, member]) => {
    const value = fields.get(name)
    if (member.kind === 'key') return ['', ...indented(keyLines(member, value, options), depth)]
    const inner = section(
      member,
      typeof value === 'object' && value !== null ? value : {},
      depth + 1,
      options,
    )
    return ['', ...indented([...comment(member.description), `${name}:`], depth), ...inner.slice(1)]
  })
}

function keyLines(key: ConfigKey, value: unknown, { keys, sources }: RenderOptions): string[] {
  const mark = keys === undefined || keys.has(key.path) ? '' : '# '
  const source = sources?.[key.path]
  return [
    ...comment(key.description),
    ...comment(`${sentence(key.type)} Default: ${valueText(key.default)}`),
    `${mark}${key.name}: ${valueText(value)}${source === undefined ? '' : ` # ${source}`}`,
  ]
}

/**
 * A value on one line of YAML. Text with white space is quoted as JSON: YAML would break it over lines.
 * @internal
 */
export const valueText = (value: unknown): string =>
  typeof value === 'string' && /\s/.test(value) ? JSON.stringify(value) : stringify(value, oneLine).trimEnd()

const oneLine = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

const indented = (lines: readonly string[], depth: number): string[] =>
  lines.map((line) => `${'  '.repeat(depth)}${line}`)

const COMMENT_CHARS_MAX = 96

function comment(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < COMMENT_CHARS_MAX)
      lines.push(`${lines.pop()} ${word}`)
    else lines.push(`# ${word}`)
  }
  return lines
}
