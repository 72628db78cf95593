import { decodeXML } from 'entities/decode'
import type { Output } from './output.ts'
import { addFinding, newFindings, type Reader, type Report, reportOf } from './report.ts'

const TAG_CHARS_MAX = 4_000
const TEXT_CHARS_MAX = 400
const STATED = ['tests', 'failures', 'errors', 'skipped'] as const

/** JUnit's XML: the totals of its outermost suites, or its test cases counted. */
export const junit: Reader = {
  tool: 'junit',
  names: [],
  recognises: ({ text }) => /<testsuites?[ >]/.test(text),
  read: ({ text }: Output): Report | undefined => {
    const findings = newFindings()
    const counted = { tests: 0, failures: 0, errors: 0, skipped: 0 }
    const stated = { tests: 0, failures: 0, errors: 0, skipped: 0 }
    let [depth, total] = [0, false]
    let test = ''
    for (const [, close, name = '', attributes = '', body = ''] of text.matchAll(TAG)) {
      if (name === 'testsuites' || name === 'testsuite') {
        const outermost = depth === 0 || (depth === 1 && !total)
        if (!close && outermost && attributeOf(attributes, 'tests') !== undefined) {
          total = true
          for (const key of STATED) stated[key] += Number(attributeOf(attributes, key) ?? 0)
        }
        depth += close ? -1 : attributes.endsWith('/') ? 0 : 1
      }
      if (close) continue
      if (name === 'testcase') {
        counted.tests++
        test = attributes
      } else if (name === 'skipped') counted.skipped++
      else if (name === 'failure' || name === 'error') {
        counted[name === 'failure' ? 'failures' : 'errors']++
        const line = Number(attributeOf(test, 'line') ?? Number.NaN)
        addFinding(findings, {
          path: attributeOf(test, 'file') ?? attributeOf(test, 'classname'),
          line: Number.isNaN(line) ? undefined : line,
          test: attributeOf(test, 'name'),
          severity: 'error',
          message: attributeOf(attributes, 'message') ?? decodeXML(body.slice(0, TEXT_CHARS_MAX)).trim(),
        })
      }
    }
    const { tests, failures, errors, skipped } = total && stated.tests >= counted.tests ? stated : counted
    const passed = Math.max(0, tests - failures - errors - skipped)
    return reportOf('junit', 'tests', { passed, failed: failures, errors, skipped }, findings)
  },
}

const TAG = new RegExp(
  `<(/?)(testsuites?|testcase|skipped|failure|error)((?:\\s[^>]{0,${TAG_CHARS_MAX}})?/?)>([^<]{0,${TEXT_CHARS_MAX}})`,
  'g',
)

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]{0,2000})"`).exec(attributes)?.[1]
  return value === undefined ? undefined : decodeXML(value)
}
