import type { CodeNode, Param } from '../../nodes/node.ts'
import { givenParams } from '../signature.ts'
import type { BodyFacts, Raise } from './definition.ts'
import type { DocStyle } from './style.ts'

/** What signature and body say of a node, in words. No guess at what it is for. */
interface Parts {
  readonly summary: string
  readonly params: readonly { readonly name: string; readonly type: string | null; readonly words: string }[]
  readonly gives: { readonly yields: boolean; readonly type: string | null } | null
  readonly raises: readonly Raise[]
}

const NOTHING = new Set(['None', 'void', 'never', 'NoReturn', 'Promise<void>', 'undefined'])

/** A docstring derived by rule from name, signature, types and what the body raises or yields. */
export function derivedDocstring(node: CodeNode, facts: BodyFacts, style: DocStyle): string {
  const parts = partsOf(node, facts)
  return [parts.summary, ...RENDERERS[style](parts)].join('\n')
}

function partsOf(node: CodeNode, { yields, raises }: BodyFacts): Parts {
  const isFunction = node.type === 'function' || node.type === 'method'
  const { returns } = node
  const gives = yields || (returns !== null && !NOTHING.has(returns)) ? { yields, type: returns } : null
  return {
    summary: `${capital(wordsOf(node.name))}.`,
    params: isFunction ? givenParams(node).map(paramOf) : [],
    gives: isFunction ? gives : null,
    raises,
  }
}

function paramOf({ name, type, default: value }: Param): Parts['params'][number] {
  const fallback = value === null ? '' : ` Defaults to ${value}.`
  return { name: name.replace(/^\.\.\./, ''), type, words: `The ${wordsOf(name)}.${fallback}` }
}

/**
 * `net_price`, `netPrice`, `HTTPServer` → `net price`, `net price`, `HTTP server`.
 * @internal
 */
export function wordsOf(name: string): string {
  const spaced = name
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .trim()
  const words = spaced.split(' ').map((word) => (/^[A-Z]{2,}\d*$/.test(word) ? word : word.toLowerCase()))
  return words.join(' ') || 'value'
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const RENDERERS: Readonly<Record<DocStyle, (parts: Parts) => string[]>> = {
  google: ({ params, gives, raises }) => [
    ...section(
      'Args:',
      params.map(({ name, type, words }) => `    ${name}${type === null ? '' : ` (${type})`}: ${words}`),
    ),
    ...section(gives?.yields ? 'Yields:' : 'Returns:', gives ? [`    ${givesWords(gives)}`] : []),
    ...section(
      'Raises:',
      raises.map((raise) => `    ${raise.name}: ${raiseWords(raise)}`),
    ),
  ],
  numpy: ({ params, gives, raises }) => [
    ...underlined(
      'Parameters',
      params.flatMap(({ name, type, words }) => [type === null ? name : `${name} : ${type}`, `    ${words}`]),
    ),
    ...underlined(gives?.yields ? 'Yields' : 'Returns', gives ? [givesWords(gives)] : []),
    ...underlined(
      'Raises',
      raises.flatMap((raise) => [raise.name, `    ${raiseWords(raise)}`]),
    ),
  ],
  sphinx: ({ params, gives, raises }) => {
    const lines = [
      ...params.flatMap(({ name, type, words }) => [
        `:param ${name}: ${words}`,
        ...(type === null ? [] : [`:type ${name}: ${type}`]),
      ]),
      ...(gives ? [gives.yields ? `:yields: ${givesWords(gives)}` : `:rtype: ${givesWords(gives)}`] : []),
      ...raises.map((raise) => `:raises ${raise.name}: ${raiseWords(raise)}`),
    ]
    return lines.length === 0 ? [] : ['', ...lines]
  },
  jsdoc: (parts) => tags(parts, (type) => `{${type ?? '*'}} `),
  tsdoc: (parts) => tags(parts, () => ''),
}

const givesWords = ({ yields, type }: { readonly yields: boolean; readonly type: string | null }): string =>
  type ?? (yields ? 'One value after the other.' : 'The result.')

const raiseWords = ({ message }: Raise): string => (message === null ? 'See the body.' : sentence(message))

const sentence = (text: string): string => `${capital(text)}${/[.!?]$/.test(text) ? '' : '.'}`

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines]

const underlined = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, '-'.repeat(title.length), ...lines]

function tags({ params, gives, raises }: Parts, typed: (type: string | null) => string): string[] {
  const lines = [
    ...params
      // A parameter that is taken apart has no name to speak of.
      .filter(({ name }) => /^[\w$]+$/.test(name))
      .map(({ name, type, words }) => `@param ${typed(type)}${name} - ${words}`),
    ...(gives ? [givesTag(gives, typed)] : []),
    ...raises.map((raise) => `@throws {${raise.name}} ${raiseWords(raise)}`),
  ]
  return lines.length === 0 ? [] : ['', ...lines]
}

function givesTag(gives: NonNullable<Parts['gives']>, typed: (type: string | null) => string): string {
  const type = typed(gives.type)
  const words = gives.type === null ? givesWords(gives) : `\`${gives.type}\``
  return `@${gives.yields ? 'yields' : 'returns'} ${type === '' ? words : type.trim()}`
}
