import { extensionOf, type Place } from '../place.ts'
import { type LineFormat, lineReader } from './line-format.ts'
import type { Output } from './output.ts'
import type { Findings, Report } from './report.ts'

type Named = readonly [string, Report['kind']]

const IN_BRACKETS = String.raw`^\s{0,8}(?<path>[^\s(][^(]{0,400})\((?<line>\d{1,7}),(?<column>\d{1,6})\): `

/** Which compiler wrote it, by the extension in `path:line: error: message`. */
const BY_EXTENSION: readonly (readonly [RegExp, Named])[] = [
  [/^(?:pyi?|ipynb)$/, ['mypy', 'types']],
  [/^(?:[chms]|cc|cpp|cxx|hpp|hh|mm|cu|ino|inc)$/, ['gcc', 'compile']],
  [/^scala$/, ['scalac', 'compile']],
  [/^rs$/, ['rustc', 'compile']],
]

/** Not indented, one space and prose: `go test` logs and `grep -n` differ in one of them. */
const isGoProse = ({ path, rest, indented }: Place): boolean =>
  extensionOf(path) === 'go' &&
  !indented &&
  /^ [^\s*/}{()]/.test(rest) &&
  !rest.startsWith(' +0x') &&
  rest.trim().includes(' ') &&
  !/[{;]$|:= /.test(rest)

/** What go vet's analyzers say; under `go test` and old versions nothing else names it. */
const VET =
  /possible misuse of|self-assignment of|unreachable code|printf? (?:format|call)|passes lock by value|uses unkeyed fields|call not used|struct field tag|the cancel function|loop variable|\+build comment|assignment to atomic value/i

function goTool({ text }: Output, { problems }: Findings): Named {
  const codes = problems.map((problem) => problem.code ?? '')
  if (codes.some((code) => /^G\d{3}$/.test(code))) return ['gosec', 'lint']
  if (codes.some((code) => /^(?:SA|S|ST|QF|U)\d{4}$/.test(code))) return ['staticcheck', 'lint']
  if (/^\d{1,6} issues?[.:]/m.test(text) || codes.some((code) => /^[a-z]{3,30}$/.test(code)))
    return ['golangci-lint', 'lint']
  if (/should have comment|should be of the form|don't use underscores/.test(text)) return ['golint', 'lint']
  return /^vet(?:\.exe)?: |^# \[/m.test(text) || VET.test(problems[0]?.message ?? '')
    ? ['go vet', 'lint']
    : ['go build', 'compile']
}

const FORMATS: readonly LineFormat[] = [
  {
    tool: 'tsc',
    kind: 'types',
    names: 'tsc, vue tsc, tsgo, ng build, astro check, svelte check',
    signature: ' TS',
    rows: [
      new RegExp(
        `${IN_BRACKETS}(?<severity>error|warning|message) (?<code>TS\\d{1,6}): (?<message>.{0,500})`,
      ),
      /^(?<path>\S.{0,400}?):(?<line>\d{1,7}):(?<column>\d{1,6}) - (?<severity>error|warning|message) (?<code>TS\d{1,6}): (?<message>.{0,500})/,
      /^(?<severity>error|warning|message) (?<code>TS\d{1,6}): (?<message>.{0,500})/,
    ],
    totals: [/^Found (?<errors>\d{1,6}) errors?\b(?! in \d+ files? \(checked)/gm],
  },
  {
    tool: 'dotnet',
    kind: 'compile',
    names: 'dotnet build, dotnet, msbuild, dotnet publish, dotnet run, cl',
    once: true,
    rows: [
      new RegExp(
        `${IN_BRACKETS}(?<severity>error|warning) (?<code>(?!TS)[A-Z]{1,8}\\d{1,6}) ?: (?<message>.{1,600}?)(?: \\[[^\\]]{1,300}\\])?$`,
      ),
      /^ {0,8}(?:MSBUILD|CSC) ?: (?<severity>error|warning) (?<code>[A-Z]{2,8}\d{1,6}) ?: (?<message>.{1,600})$/,
    ],
    totals: [/^ {4}(?<warnings>\d{1,6}) Warning\(s\)$/gm, /^ {4}(?<errors>\d{1,6}) Error\(s\)$/gm],
    clean: /^Build succeeded(?: in |\.)/m,
  },
  {
    tool: 'rustc',
    kind: 'compile',
    names: 'cargo build, cargo check, cargo clippy, cargo run, cargo, rustc, typos, ty, ty check',
    rows: [/^(?<severity>error|warning)(?:\[(?<code>[\w:-]{1,60})\])?: (?<message>.{1,300})/],
    below: /^ {0,12}--> (?<path>.{1,400}?):(?<line>\d{1,7}):(?<column>\d{1,6})$/,
    clean: /^ {4}Finished `?\w+`? .{0,80}target\(s\) in |^error: could not compile /m,
    named: ({ text }) => {
      if (/`[^`\n]{1,80}` should be `/.test(text)) return ['typos', 'lint']
      return [text.includes('clippy::') ? 'clippy' : 'rustc', 'compile']
    },
  },
  {
    tool: 'go build',
    kind: 'compile',
    names:
      'go build, go vet, go install, go run, golangci lint, staticcheck, golint, gosec, govet, revive, go generate',
    messages: [
      /^ (?<message>.{1,500}) \(Rule:(?<code>\w{1,20}), Severity:(?<severity>\w{1,10}), Confidence:\w{1,10}\)$/,
      /^ (?<message>.{1,600})$/,
    ],
    place: isGoProse,
    rows: [
      /^vet(?:\.exe)?: (?<path>\S.{0,300}?\.go):(?<line>\d{1,7})(?::(?<column>\d{1,6}))?: (?<message>.{1,500})$/,
      /^\[(?<path>[^\]]{1,400}\.go):(?<line>\d{1,7})\] - (?<code>G\d{3}) (?:\([\w-]{1,20}\))?: (?<message>.{1,500})$/,
    ],
    sure: ({ text }, { problems }) =>
      problems.some(({ column, code }) => column !== undefined || /^G\d/.test(code ?? '')) ||
      /^# \S{3,300}(?: \[|$)/m.test(text),
    totals: [/^(?<diagnostics>\d{1,6}) issues?(?:\.|:\n\* \w)/gm],
    clean: /^0 issues\.$/m,
    named: goTool,
  },
  {
    tool: 'compiler',
    kind: 'compile',
    names:
      'mypy, dmypy, pyright, basedpyright, gcc, g++, clang, clang++, cc, c++, scalac, sbt compile, javac, kotlinc, swiftc, swift build, ghc, stack build, cabal build, clang tidy',
    messages: [
      /^ ?(?:- )?(?<severity>fatal error|error|warning|note|info|information|remark|hint|style)(?:\[(?<code>[\w:-]{1,60})\])?(?:: | - )(?<message>.{1,1000})$/i,
    ],
    // Without a space or a column it is a search through a log.
    place: ({ rest, column }) => rest[0] === ' ' || column !== undefined,
    totals: [
      /^Found (?<errors>\d{1,6}) errors? in \d{1,6} files? \(/gm,
      /^(?<errors>\d{1,7}) errors?, (?<warnings>\d{1,7}) warnings?, \d{1,7} (?:informations?|notes?)/gm,
    ],
    clean: /^Success: no issues found in \d/m,
    named: ({ text }, { problems }) => {
      if (/^Found \d+ errors? in \d+ files? \(|^Success: no issues/m.test(text)) return ['mypy', 'types']
      if (/ - error: .{1,300}\(report[A-Z]\w+\)$|^\d+ errors?, \d+ warnings?, /m.test(text))
        return ['pyright', 'types']
      const extension = extensionOf(problems[0]?.path ?? '')
      return BY_EXTENSION.find(([pattern]) => pattern.test(extension))?.[1] ?? ['compiler', 'compile']
    },
  },
]

export const compilers = FORMATS.map(lineReader)
