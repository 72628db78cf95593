import { addFinding, newFindings, reportOf, severityOf } from './findings.ts'
import type { Output } from './output.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  /** Text up to the next tag. */
  readonly text: string
}

const ENTITIES = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&#10;', ' '],
  ['&#xA;', ' '],
])
const ATTRIBUTES_CHARS_MAX = 4_000

/** Opening tags in order; reports are flat enough that no tree is needed. */
function* tagsOf(text: string): Generator<Tag> {
  let open = text.indexOf('<')
  while (open !== -1) {
    const close = text.indexOf('>', open)
    if (close === -1) return
    const next = text.indexOf('<', close)
    const inner = text.slice(open + 1, Math.min(close, open + ATTRIBUTES_CHARS_MAX))
    const name = /^[A-Za-z]\w{0,40}/.exec(inner)?.[0]
    if (name !== undefined) {
      const body = text.slice(close + 1, next === -1 ? undefined : Math.min(next, close + 400))
      yield { name, attributes: attributesOf(inner.slice(name.length)), text: decoded(body.trim()) }
    }
    open = next
  }
}

function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const match of text.matchAll(/([A-Za-z]{1,40})="([^"]{0,2000})"/g)) {
    if (match[1] !== undefined) found.set(match[1], decoded(match[2] ?? ''))
  }
  return found
}

function decoded(text: string): string {
  return text.includes('&')
    ? text.replace(/&(?:lt|gt|amp|quot|apos|#10|#xA);/g, (entity) => ENTITIES.get(entity) ?? entity)
    : text
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

const junit: Reader = {
  tool: 'junit',
  names: [],
  recognises: ({ text }) => text.includes('<testcase') && /^\s{0,8}<testsuites?[ >]/m.test(text),
  read: ({ text }: Output): Report | undefined => {
    const findings = newFindings()
    const counts = { total: 0, failed: 0, errors: 0, skipped: 0 }
    let test: Tag | undefined
    for (const tag of tagsOf(text)) {
      if (tag.name === 'testcase') {
        counts.total += 1
        test = tag
      }
      if (tag.name === 'skipped') counts.skipped += 1
      if (tag.name !== 'failure' && tag.name !== 'error') continue
      if (tag.name === 'failure') counts.failed += 1
      else counts.errors += 1
      addFinding(findings, {
        path: test?.attributes.get('file') ?? test?.attributes.get('classname'),
        line: numberOf(test?.attributes.get('line')),
        test: test?.attributes.get('name'),
        severity: 'error',
        message: tag.attributes.get('message') ?? tag.text,
      })
    }
    const { total, failed, errors, skipped } = counts
    return reportOf(
      'junit',
      'tests',
      { passed: Math.max(0, total - failed - errors - skipped), failed, errors, skipped },
      findings,
    )
  },
}

const checkstyle: Reader = {
  tool: 'checkstyle',
  names: ['checkstyle'],
  recognises: ({ text }) => text.includes('<checkstyle') && /<checkstyle[ >]/.test(text),
  read: ({ text }: Output): Report | undefined => {
    const findings = newFindings()
    let path: string | undefined
    for (const { name, attributes } of tagsOf(text)) {
      if (name === 'file') path = attributes.get('name')
      if (name !== 'error') continue
      addFinding(findings, {
        path,
        line: numberOf(attributes.get('line')),
        column: numberOf(attributes.get('column')),
        code: attributes.get('source'),
        severity: severityOf(attributes.get('severity') ?? ''),
        message: attributes.get('message') ?? '',
      })
    }
    const { errors, warnings, total } = findings
    return reportOf('checkstyle', 'lint', { errors, warnings, diagnostics: total }, findings)
  },
}

export const xmlReports: readonly Reader[] = [junit, checkstyle]
