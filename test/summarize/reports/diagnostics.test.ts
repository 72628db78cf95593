import { describe, expect, it } from 'vitest'
import { readable } from '../../../src/summarize/readable.ts'
import { readReport } from '../../../src/summarize/reports/reports.ts'

/** What a linter, compiler, type checker or formatter prints, and what must be read from it. */
const OUTPUTS = [
  {
    tool: 'eslint',
    text: "\n/srv/app/src/a.js\n  1:10  error    'x' is defined but never used  no-unused-vars\n  3:20  warning  Missing semicolon               semi\n\n✖ 2 problems (1 error, 1 warning)\n",
    counts: { errors: 1, warnings: 1, diagnostics: 2 },
    first: { path: '/srv/app/src/a.js', line: 1, column: 10, code: 'no-unused-vars', severity: 'error' },
  },
  {
    tool: 'eslint',
    text: '[{"filePath":"/srv/a.js","messages":[{"ruleId":"semi","severity":2,"message":"Missing semicolon.","line":3,"column":9}],"errorCount":1,"warningCount":0}]',
    counts: { errors: 1, warnings: 0, diagnostics: 1 },
    first: { path: '/srv/a.js', line: 3, column: 9, code: 'semi', severity: 'error' },
  },
  {
    tool: 'tsc',
    text: "src/a.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.\n  more\nsrc/b.ts(1,1): error TS2304: Cannot find name 'x'.\n",
    counts: { errors: 2, diagnostics: 2 },
    first: { path: 'src/a.ts', line: 4, column: 7, code: 'TS2322' },
  },
  {
    tool: 'tsc',
    text: "src/a.ts:4:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n4 const x: number = 'a'\n        ~\n\n\nFound 1 error in src/a.ts:4\n",
    counts: { errors: 1 },
    first: { path: 'src/a.ts', line: 4, column: 7, code: 'TS2322' },
  },
  {
    tool: 'biome',
    text: 'src/a.ts:3:7 lint/correctness/noUnusedVariables  FIXABLE  ━━━━━━━━━━━━\n\n  ! This variable is unused.\n\n  > 3 │ const x = 1\n\nChecked 4 files in 12ms. No fixes applied.\nFound 1 warning.\n',
    counts: { errors: 0, warnings: 1, diagnostics: 1 },
    first: { path: 'src/a.ts', line: 3, severity: 'warning', message: 'This variable is unused.' },
  },
  {
    tool: 'mypy',
    text: 'shop/cart.py:12: error: Incompatible return value type (got "int", expected "str")  [return-value]\nFound 1 error in 1 file (checked 3 source files)\n',
    counts: { errors: 1, diagnostics: 1 },
    first: { path: 'shop/cart.py', line: 12, code: 'return-value', severity: 'error' },
  },
  {
    tool: 'pyright',
    text: '/srv/shop/cart.py\n  /srv/shop/cart.py:12:9 - error: "x" is possibly unbound (reportPossiblyUnbound)\n1 error, 0 warnings, 0 informations \n',
    counts: { errors: 1, warnings: 0, diagnostics: 1 },
    first: { path: '/srv/shop/cart.py', line: 12, column: 9, code: 'reportPossiblyUnbound' },
  },
  {
    tool: 'ruff',
    text: 'shop/cart.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n[*] 1 fixable with the `--fix` option.\n',
    counts: { errors: 1, diagnostics: 1 },
    first: { path: 'shop/cart.py', line: 1, code: 'F401', message: '`os` imported but unused' },
  },
  { tool: 'ruff', text: 'All checks passed!\n', counts: { errors: 0, diagnostics: 0 } },
  {
    tool: 'flake8',
    text: './shop/cart.py:9:80: E501 line too long (82 > 79 characters)\n',
    counts: { diagnostics: 1 },
    first: { path: './shop/cart.py', line: 9, column: 80, code: 'E501' },
  },
  {
    tool: 'black',
    text: 'would reformat shop/cart.py\nOh no! 💥 💔 💥\n1 file would be reformatted, 3 files would be left unchanged.\n',
    counts: { diagnostics: 1 },
    first: { path: 'shop/cart.py' },
  },
  {
    tool: 'go build',
    text: '# example.com/shop\n./cart.go:12:9: undefined: total\n./cart.go:20:2: missing return\n',
    counts: { errors: 2, diagnostics: 2 },
    first: { path: './cart.go', line: 12, column: 9, message: 'undefined: total' },
  },
  {
    tool: 'golangci-lint',
    text: 'cart.go:12:9: Error return value of `f.Close` is not checked (errcheck)\n\tf.Close()\n\t       ^\n1 issues:\n* errcheck: 1\n',
    counts: { diagnostics: 1 },
    first: { path: 'cart.go', code: 'errcheck' },
  },
  {
    tool: 'rustc',
    text: 'error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:4:27\n  |\n4 | fn f() -> i32 { x }\n  |                 ^ not found\n\nwarning: unused variable: `y`\n --> src/lib.rs:9:9\n  |\n\nerror: could not compile `shop` (lib) due to 1 previous error; 1 warning emitted\n',
    counts: { errors: 1, warnings: 1, diagnostics: 2 },
    first: { path: 'src/lib.rs', line: 4, column: 27, code: 'E0425', severity: 'error' },
  },
  {
    tool: 'gcc',
    text: "a.c: In function 'main':\na.c:2:27: error: 'y' undeclared (first use in this function)\na.c:2:17: warning: unused variable 'x' [-Wunused-variable]\nmake: *** [Makefile:3: a.o] Error 1\n",
    counts: { errors: 1, warnings: 1, diagnostics: 2 },
    first: { path: 'a.c', line: 2, column: 27, severity: 'error' },
  },
  {
    tool: 'dotnet',
    text: "/src/Cart.cs(12,9): error CS0103: The name 'x' does not exist [/src/Shop.csproj]\n\nBuild FAILED.\n\n/src/Cart.cs(12,9): error CS0103: The name 'x' does not exist [/src/Shop.csproj]\n    0 Warning(s)\n    1 Error(s)\n",
    counts: { errors: 1, warnings: 0, diagnostics: 1 },
    first: {
      path: '/src/Cart.cs',
      line: 12,
      column: 9,
      code: 'CS0103',
      message: "The name 'x' does not exist",
    },
  },
  {
    tool: 'linter',
    text: 'Inspecting 2 files\n.C\n\nOffenses:\n\nlib/cart.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings.\n    x = "a"\n        ^^^\n\n2 files inspected, 1 offense detected\n',
    counts: { diagnostics: 1 },
    first: { path: 'lib/cart.rb', line: 3, column: 5, severity: 'info' },
  },
  {
    tool: 'phpstan',
    text: ' ------ ---------------------------------\n  Line   src/Cart.php\n ------ ---------------------------------\n  12     Undefined variable: $total\n ------ ---------------------------------\n\n [ERROR] Found 1 error\n',
    counts: { errors: 1, diagnostics: 1 },
    first: { path: 'src/Cart.php', line: 12, message: 'Undefined variable: $total' },
  },
  {
    tool: 'yamllint',
    text: 'ci.yml\n  1:1       warning  missing document start "---"  (document-start)\n  4:81      error    line too long (90 > 80 characters)  (line-length)\n',
    counts: { errors: 1, warnings: 1, diagnostics: 2 },
    first: { path: 'ci.yml', line: 1, code: 'document-start', severity: 'warning' },
  },
  {
    tool: 'CodeQL',
    text: '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"CodeQL"}},"results":[{"ruleId":"js/xss","level":"error","message":{"text":"Cross-site scripting"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/a.js"},"region":{"startLine":7}}}]}]}]}',
    counts: { errors: 1, diagnostics: 1 },
    first: { path: 'src/a.js', line: 7, code: 'js/xss' },
  },
  {
    tool: 'annotations',
    text: '::error file=src/a.ts,line=3,col=7,title=lint/unused::This variable is unused.\n',
    counts: { errors: 1, diagnostics: 1 },
    first: { path: 'src/a.ts', line: 3, column: 7, code: 'lint/unused' },
  },
  {
    tool: 'linter',
    text: 'conf/site.conf:3:5: directive is not allowed here\nconf/site.conf:9:1: unexpected end of file\n',
    counts: { diagnostics: 2 },
    first: { path: 'conf/site.conf', line: 3, column: 5, message: 'directive is not allowed here' },
  },
]

describe('diagnostics', () => {
  for (const { tool, text, counts, first } of OUTPUTS) {
    it(`reads ${tool}: ${text.trim().split('\n', 1)[0]?.slice(0, 50)}`, () => {
      const report = readReport(text)
      expect(report?.kind).toBe('lint')
      expect(report?.counts).toMatchObject(counts)
      if (first !== undefined) expect(report?.problems[0]).toMatchObject(first)
    })
  }

  it('keeps a bounded number of problems and an exact count', () => {
    const line = (n: number) => `shop/cart.py:${n}:1: E501 line too long`
    const report = readReport(Array.from({ length: 5_000 }, (_, i) => line(i + 1)).join('\n'))
    expect(report?.counts.diagnostics).toBe(5_000)
    expect(report?.problems).toHaveLength(200)
  })

  it('counts an output once that a harness printed twice', () => {
    const once =
      'src/a.ts(4,7): error TS2322: Type A is not assignable to type B.\nsrc/b.ts(1,1): error TS2304: x.\n'
    expect(readReport(readable(`Exit code 2\n${once}\n${once}`))?.counts.errors).toBe(2)
  })

  it('prefers the tool that found something when several ran', () => {
    const both = `Checked 4 files in 12ms. No fixes applied.\nsrc/a.ts(4,7): error TS2322: Type A is not B.\n`
    expect(readReport(both)?.problems).toMatchObject([{ path: 'src/a.ts', code: 'TS2322' }])
  })
})
