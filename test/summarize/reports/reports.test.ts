import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readable } from '../../../src/summarize/readable.ts'
import { readReport } from '../../../src/summarize/reports/reports.ts'
import { withoutEscapes } from '../../../src/text/escapes.ts'
import { fixture } from './fixture.ts'

const SEED = Number(process.env['SEED'] ?? 20_260)

describe('recognition', () => {
  const others = {
    'a readme':
      '# Shop\n\nRun the tests with `npm test`.\nAll 12 tests passed in our CI.\n\n```\n$ npm install\n```\n',
    'a Python file':
      'import os\n\n\ndef test_total():\n    """Fails: 2 failed, 1 passed."""\n    assert total() == 3, "error: wrong"\n',
    'a TypeScript file':
      "export function error(x: number): never {\n  throw new Error('src/a.ts:1:2: error: boom')\n}\n",
    'ls -la':
      'total 16\ndrwxr-xr-x  2 root root 4096 Jan  1 10:00 .\n-rw-r--r--  1 root root  120 Jan  1 10:00 error.log\n',
    JSON: '{"name":"shop","errors":[],"files":["a.js"],"results":[{"path":"a"}]}',
    'a list in JSON': '[{"id":1,"message":"hello","line":3},{"id":2}]',
    'log lines':
      '2026-01-01 10:00:00 ERROR [main] failed to connect to 10.0.0.1:5432\n2026-01-01 10:00:01 INFO retry\n',
    'log lines with places': 'server.py:12: listening on port 80\nserver.py:15: request failed\n',
    'grep -n':
      "src/a.ts:12:  const error = 'x'\nsrc/a.ts:20:import { y } from 'z'\nsrc/b.ts:3:// error: not really\n",
    'rg --vimgrep': 'src/a.ts:12:3:  const error = 1\nsrc/b.go:20:1:func main() {\n',
    'a search through a log': 'build.log:12:error: it broke\nbuild.log:20:warning: careful\n',
    'git log': '928140e fix: 3 failed tests in cart\n1f0c2aa test: cover errors\n',
    'git diff':
      'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-print("1 failed")\n+print("2 passed")\n',
    HTML: '<html><body><h1>Errors</h1><p>3 errors found</p></body></html>',
    nothing: '',
  }
  for (const [name, text] of Object.entries(others)) {
    it(`takes ${name} for no report`, () => {
      expect(readReport(text)).toBeUndefined()
    })
  }
})

describe('any text', () => {
  it('reads the same with colours, carriage returns and noise around it', () => {
    const files = ['pytest.txt', 'unittest.txt', 'jest.txt', 'go-test.txt', 'cargo-test.txt', 'rspec.txt']
    const noise = fc.constantFrom(
      '',
      'npm warn deprecated x@1.0.0\n',
      '> shop@1.0.0 test\n> run\n\n',
      '$ make check\n',
    )
    const dress = fc.record({
      file: fc.constantFrom(...files),
      noise,
      crlf: fc.boolean(),
      colour: fc.boolean(),
    })
    fc.assert(
      fc.property(dress, ({ file, noise, crlf, colour }) => {
        const plain = fixture(file)
        const dressed = plain
          .split('\n')
          .map((line) => (colour && line !== '' ? `\x1b[1m\x1b[31m${line}\x1b[0m` : line))
          .join(crlf ? '\r\n' : '\n')
        expect(readReport(readable(noise + dressed + noise))).toEqual(readReport(plain))
      }),
      { seed: SEED, numRuns: 60 },
    )
  })

  it('never throws and stays bounded, whatever is cut from or put into an output', () => {
    const texts = ['pytest.txt', 'jest.txt', 'go-test.txt', 'tap.txt', 'surefire.txt'].map(fixture)
    const mixed = fc.tuple(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat(),
      fc.string({ unit: 'binary', maxLength: 60 }),
    )
    fc.assert(
      fc.property(mixed, ([text, from, to, junk]) => {
        const cut = text.slice(from % text.length) + junk + text.slice(0, to % text.length)
        const report = readReport(cut)
        for (const count of Object.values(report?.counts ?? {}))
          expect(Number.isSafeInteger(count)).toBe(true)
        expect(report?.problems.length ?? 0).toBeLessThanOrEqual(200)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('removes every kind of escape and nothing else', () => {
    expect(withoutEscapes('a\x1b[1;31mb\x1b[0m')).toBe('ab')
    expect(withoutEscapes('\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ end')).toBe('link end')
    expect(withoutEscapes('cut \x1b[')).toBe('cut ')
    expect(withoutEscapes('no escape [31m')).toBe('no escape [31m')
  })
})

const SHARED = process.env['TWOTRACK_SHARED'] ?? new URL('../../../../shared', import.meta.url).pathname
const OUTPUTS = `${SHARED}/tool_outputs`

describe.skipIf(!existsSync(`${OUTPUTS}/INDEX.csv`))(
  'recorded outputs (skipped without the shared folder)',
  () => {
    it('agrees with at least 98 % of the stated counts', () => {
      const rows = readFileSync(`${OUTPUTS}/INDEX.csv`, 'utf8').trim().split('\n').slice(1)
      const stated = rows.flatMap((row) => {
        const counts = /,"(\{[^}]*\})"\s*$/.exec(row)?.[1]?.replaceAll('""', '"')
        return counts === undefined ? [] : [{ file: row.slice(0, row.indexOf(',')), counts }]
      })
      const wrong = stated.filter(({ file, counts }) => {
        const report = readReport(readable(readFileSync(`${OUTPUTS}/${file}`, 'utf8')))
        const found = new Map(Object.entries(report?.counts ?? {}))
        return Object.entries(JSON.parse(counts)).some(([name, count]) => (found.get(name) ?? 0) !== count)
      })
      expect(stated.length).toBeGreaterThan(100)
      const names = wrong.map(({ file }) => file).join(', ')
      expect(wrong.length, names).toBeLessThanOrEqual(stated.length * 0.02)
    })
  },
)
