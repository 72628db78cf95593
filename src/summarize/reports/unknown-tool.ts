import { countedReport, severityOf } from './findings.ts'
import type { Output, PlaceLine } from './output.ts'
import { extensionOf } from './place.ts'
import { placeFindings, type Said, splitRule } from './place-lines.ts'
import type { Reader } from './reader.ts'

/**
 * `path:line:column: message` of a tool that nobody has described yet. A search result looks alike, so that
 * at least one line must end in a rule or begin with a code, and most must read as prose.
 */
export const unknownTool: Reader = {
  tool: 'linter',
  names: [],
  recognises: (output) => {
    const places = output.places()
    const spoken = places.filter((place) => said(place.rest, place) !== undefined)
    const marked = spoken.filter((place) => isMarked(place))
    return marked.length > 0 && spoken.length * 2 > places.length && marked.length * 2 > spoken.length
  },
  read: (output: Output) => {
    const findings = placeFindings(output, said)
    return findings.total === 0 ? undefined : countedReport('linter', 'lint', findings)
  },
}

const NOT_SOURCE = new Set(['md', 'txt', 'log', 'json', 'csv', 'com', 'net', 'org', 'io', 'lock'])

function said(rest: string, { column, path }: PlaceLine): Said | undefined {
  if (column === undefined || NOT_SOURCE.has(extensionOf(path))) return undefined
  if (!/^ [A-Za-z'"`[]/.test(rest) || /[{;,=]$|=>|\)\s*;| = |\(\)/.test(rest) || !rest.trim().includes(' '))
    return undefined
  const level = /^ \[?(error|warning|info|note|hint)\]?:? (.{1,500})$/i.exec(rest)
  return {
    severity: level === null ? undefined : severityOf(level[1] ?? ''),
    ...splitRule(level?.[2] ?? rest),
  }
}

function isMarked({ rest }: PlaceLine): boolean {
  return (
    /^ \[?[A-Z]{1,5}-?\d{2,5}\b/.test(rest) ||
    /^ \[?(?:error|warning|info)\b/i.test(rest) ||
    /[[(][a-z][\w@./-]{2,60}[\])]$/.test(rest)
  )
}
