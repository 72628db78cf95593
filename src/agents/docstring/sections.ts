import type { DocStyle } from './style.ts'

/** What a docstring says of the code, beside its words. */
export interface Documented {
  readonly params: readonly { readonly name: string; readonly type: string | null }[]
  readonly raises: readonly string[]
  readonly returns: boolean
  readonly yields: boolean
}

/** Reads the parts of a docstring in its style. */
export const sectionsOf = (text: string, style: DocStyle): Documented => READERS[style](text.split('\n'))

const none: Documented = { params: [], raises: [], returns: false, yields: false }

const READERS: Readonly<Record<DocStyle, (lines: readonly string[]) => Documented>> = {
  google: (lines) => headed(lines, /^(\w+):[ \t]*$/, () => false, googleItem),
  numpy: (lines) => headed(lines, /^(\w+)[ \t]*$/, (line) => /^-{3,}[ \t]*$/.test(line), numpyItem),
  sphinx: (lines) => tagged(lines, /^:(\w+)(?:[ \t]+([^:\n]+))?:/, (words) => words.trim().split(/\s+/)),
  jsdoc: jsDoc,
  tsdoc: jsDoc,
}

interface Item {
  readonly name: string
  readonly type: string | null
}

/** Sections with a title line, their items at the same indentation or one deeper. */
function headed(
  lines: readonly string[],
  title: RegExp,
  isRule: (line: string) => boolean,
  itemOf: (line: string) => Item[],
): Documented {
  const found = { ...none, params: [] as Item[], raises: [] as string[] }
  let section = ''
  let indent: number | undefined
  for (const [at, line] of lines.entries()) {
    const own = line.length - line.trimStart().length
    const name = own === 0 ? title.exec(line)?.[1] : undefined
    if (
      name !== undefined &&
      SECTIONS.test(name) &&
      (title.source.includes(':') || isRule(lines[at + 1] ?? ''))
    ) {
      section = name
      indent = undefined
      if (/^Returns?$/.test(name)) found.returns = true
      if (/^Yields?$/.test(name)) found.yields = true
    } else if (line.trim() !== '' && !isRule(line)) {
      indent ??= own
      if (own === indent && /^(?:Args|Arguments|Parameters)$/.test(section))
        found.params.push(...itemOf(line.trim()))
      if (own === indent && section === 'Raises')
        found.raises.push(...itemOf(line.trim()).map(({ name }) => name))
    }
  }
  return found
}

const SECTIONS =
  /^(?:Args|Arguments|Parameters|Returns?|Yields?|Raises|Attributes|Examples?|Notes?|See|Warnings?|References)$/

const googleItem = (line: string): Item[] => {
  const [, name, type = null] =
    /^(\*{0,2}[\w.]+)[ \t]*(?:\(([^)]*(?:\([^)]*\)[^)]*)*)\))?[ \t]*:/.exec(line) ?? []
  return name === undefined ? [] : [{ name: name.replace(/^\*+/, ''), type }]
}

const numpyItem = (line: string): Item[] => {
  const [names = '', type = null] = line.split(/\s+:\s*/)
  return names.split(/,\s*/).map((name) => ({ name: name.replace(/^\*+/, ''), type }))
}

function tagged(lines: readonly string[], tag: RegExp, wordsOf: (words: string) => string[]): Documented {
  const found = { ...none, params: [] as Item[], raises: [] as string[] }
  for (const line of lines) {
    const [, kind = '', words = ''] = tag.exec(line.trim()) ?? []
    const given = wordsOf(words)
    const name = given.at(-1) ?? ''
    if (/^(?:param|parameter|arg|argument)$/.test(kind))
      found.params.push({
        name: name.replace(/^\*+/, ''),
        type: given.length > 1 ? given.slice(0, -1).join(' ') : null,
      })
    if (/^(?:raises?|throws|exception)$/.test(kind) && name !== '') found.raises.push(name)
    if (/^(?:returns?|rtype)$/.test(kind)) found.returns = true
    if (/^(?:yields?|ytype)$/.test(kind)) found.yields = true
  }
  return found
}

/** `@param {type} name - words`, `@param [name]`, `@throws {Error}`. Types in braces are not compared. */
function jsDoc(lines: readonly string[]): Documented {
  const plain = lines.map((line) =>
    line
      .trim()
      .replace(/^(@(?:throws|exception))\s+\{([^}]*)\}.*/, '$1 $2')
      .replace(/^(@\w+)\s+\{(?:[^{}]|\{[^}]*\})*\}/, '$1'),
  )
  return tagged(plain, /^@(\w+)(?:\s+\[?([\w$.]+))?/, (words) => [words])
}
