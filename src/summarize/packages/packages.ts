import { cut } from '../../text/cut.ts'
import { onOneLine, quoted } from '../../text/lines.ts'
import { isQuiet, keepsLines, type Program, plainWords, type ShellCommand } from '../../text/shell.ts'
import { highlightsIn } from '../highlights.ts'
import { failedStep, type Summarizer } from '../summarizer.ts'
import { linesOf } from '../within.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const MANAGERS = words(
  'npm pnpm yarn bun pip pip3 uv poetry pipenv conda mamba cargo go apt apt-get apk brew bundle gem composer dotnet mvn mvnw gradle gradlew',
)
/** What they do with dependencies; all else (`npm run`, `cargo build`) is other programs' output. */
const ACTIONS = words(
  'install i add ci uninstall un remove rm del purge autoremove update up upgrade sync restore require get mod download create lock fetch vendor audit outdated ls list show info freeze tree graph why deps dedupe prune pm pip package dependencies dependencyInsight dependency:tree dependency:list dependency:resolve dependency:go-offline',
)

const PROBLEM =
  /^\s{0,4}(?:npm (?:ERR!|error) (?:code )?|ERR_PNPM_\w{1,60}\s{1,4}|(?:ERROR|error|E|Error)(?:\[\w{1,20}\])?: |\[ERROR\] |× |go: (?=.*(?:no matching|invalid version|unknown revision|cannot find|not found)))(\S.{0,300})$/
const ASIDE =
  /^(?:A complete log|For a full report|Note that|Fix the|tarball, folder|node_modules\/|While resolving|Could not resolve)/
/** Lines in which a manager says what it did, in its own words. */
const RESULT =
  /^\s{0,4}(?:(?:added|removed|changed|up to date|audited)\b.{0,200}|(?:found )?\d{1,9} (?:\w{1,20} )?(?:severity )?vulnerabilit.{0,200}|Successfully (?:installed|uninstalled) .{0,300}|(?:Resolved|Installed|Uninstalled|Audited|Locking) \d{1,9} packages?.{0,80}|\d{1,9} packages? installed.{0,80}|Package operations: .{1,100}|Bundle complete!.{0,150}|Nothing to install.{0,80}|No dependencies to .{0,80}|OK: \d.{0,60}|\d{1,9} upgraded, \d{1,9} newly installed.{0,80}|go: (?:added|upgraded|downgraded|removed) .{1,200}|\s{0,6}(?:Adding|Updating|Removing) \S{1,80} v\d.{0,80}|Done in .{1,40}|[+-] \S{1,80}(?:@|==| v?)\d.{0,60}|installed \S{1,80}@\d.{0,60}|(?:[-•*] |\(\d+\/\d+\) )?(?:Installing|Updating|Upgrading|Removing|Setting up) \S{1,80} \(.{1,80}|info\s{0,4}: PackageReference for package .{1,200})$/i
const SHOWN_MAX = 3

/** A package manager dealt with dependencies: what it did, or what failed and why, in its own words. */
export const packages: Summarizer = {
  name: 'packages',
  summarize({ call, shown, outcome }) {
    if (call.intent.kind !== 'run' || !isPackageCall(call.programs)) return undefined
    const { lines, place } = linesOf(shown)
    const problems = [...new Set(lines.flatMap((line) => problemIn(line) ?? []))]
    const results = lines.filter((line) => RESULT.test(line)).map(onOneLine)
    const failed = problems.length > 0 && (outcome === 'error' || results.length === 0)
    const words =
      problems.length > 0
        ? `failed, ${quoted(cut(problems.slice(0, SHOWN_MAX).join('; '), 180))}`
        : results.slice(-SHOWN_MAX).join('; ')
    if (words === '') return undefined
    const summary = cut(`${call.label}: ${words}`, 290)
    const vulnerable = results.some((result) => /^(?:found )?[1-9]\d* .{0,40}vulnerab/.test(result))
    return {
      ...(failed ? failedStep(summary) : { summary }),
      ...(!failed && (problems.length > 0 || vulnerable) ? { outcome: 'partial' } : {}),
      highlights: highlightsIn(lines).map(place),
    }
  },
}

function problemIn(line: string): string | undefined {
  const words = PROBLEM.exec(line)?.[1]
  return words === undefined || ASIDE.test(words) ? undefined : words
}

/** Whether all that a command shows comes from package managers. */
function isPackageCall(programs: ShellCommand): boolean {
  const shown = programs.filter(([first]) => first !== undefined && !isQuiet(first))
  return (
    shown.length > 0 &&
    shown.every(([first, ...filters]) => first !== undefined && isManager(first) && filters.every(keepsLines))
  )
}

function isManager({ name, args }: Program): boolean {
  const asked = plainWords(args).slice(0, 2)
  return (
    MANAGERS.has(name) && (asked.some((word) => ACTIONS.has(word)) || (name === 'yarn' && asked.length === 0))
  )
}
