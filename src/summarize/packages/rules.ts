/** What a line of a package manager tells. */
export type PackageFact =
  | { readonly kind: 'added' | 'removed' | 'present'; readonly name: string; readonly version: string }
  | { readonly kind: 'changed'; readonly name: string; readonly version: string; readonly from: string }
  | { readonly kind: 'problem' | 'count' | 'chatter'; readonly text: string }

type Rule = readonly [PackageFact['kind'], RegExp]

const NAME = String.raw`(?<name>@?[\w][\w.+/:\[\]-]{0,200})`
const VERSION = String.raw`(?<version>v?\d[\w.+~:!-]{0,100})`
const FROM = String.raw`(?<from>v?\d[\w.+~:-]{0,100})`

/** A rule in one word: its kind, and the pattern that a line begins with. */
const rule =
  (kind: PackageFact['kind']) =>
  (parts: TemplateStringsArray, ...values: readonly string[]): Rule => [
    kind,
    new RegExp(`^${String.raw(parts, ...values)}`),
  ]
const added = rule('added')
const removed = rule('removed')
const changed = rule('changed')
const present = rule('present')
const problem = rule('problem')
const count = rule('count')
const chatter = rule('chatter')

/** In order; the first that fits decides. Each is anchored and looks at a bounded piece of a line. */
const RULES: readonly Rule[] = [
  // npm, pnpm, yarn, bun
  count`(?<text>(?:added|removed|changed|up to date|audited) ?.{0,200})$`,
  count`(?<text>(?:found )?\d{1,9} (?:\w{1,20} (?:severity )?)?vulnerabilit.{0,200})$`,
  chatter`npm (?:ERR!|error) (?:A complete log|For a full report|Note that|Fix the|tarball, folder|node_modules/|/|\d{3}$|\d{3} {1,2}(?:Note|tarball)|While resolving|Could not resolve dependency)(?<text>.*)`,
  problem`npm (?:ERR!|error) (?<text>\S.{0,300})$`,
  chatter`npm (?:ERR!|error)(?<text>\s.*)?$`,
  problem`\s?(?:ERR_PNPM_\w{1,60}|error:? )\s{0,4}(?<text>\S.{0,300})$`,
  added`(?:\+|installed) ${NAME}(?:@| v?(?=\d))${VERSION}`,
  removed`- ${NAME}(?:@| (?=\d))${VERSION}$`,
  present`[├└│─┬ +|\\\x60-]{2,60}${NAME}@${VERSION}`,
  // pip, uv, poetry
  present`Requirement already satisfied: ${NAME}(?:[ ~<>=!;,(]{1}.{0,300}?\(${VERSION}\)$)?`,
  problem`(?:ERROR|error): (?<text>.{1,300})$`,
  problem`\s{0,4}× (?<text>.{1,300})$`,
  problem`(?<text>Because .{1,250}(?:depends on|requires|are unsatisfiable).{0,250})$`,
  added` \+ ${NAME}==${VERSION}`,
  removed` - ${NAME}==${VERSION}`,
  removed`\s{0,4}Successfully uninstalled ${NAME}-${VERSION}`,
  present`${NAME}==${VERSION}$`,
  count`(?<text>(?:Resolved|Installed|Uninstalled|Audited) \d{1,9} packages?)\b`,
  // poetry, composer, apk, bundler, cargo, gem
  changed`\s{0,12}(?:[-•*] )?(?:Updating|Upgrading|Downgrading) ${NAME} \(?${FROM} [=-]> ${VERSION}`,
  added`\s{0,12}(?:[-•*] |\(\d{1,6}/\d{1,6}\) )?(?:Installing|Adding) ${NAME} \(?${VERSION}`,
  removed`\s{0,12}(?:[-•*] |\(\d{1,6}/\d{1,6}\) )?(?:Removing|Purging|Uninstalling) ${NAME} \(?${VERSION}`,
  present`Using ${NAME} ${VERSION}`,
  count`(?<text>Package operations: .{1,100}|Bundle complete!.{0,150}|Nothing to install.{0,80}|OK: \d.{0,60})$`,
  problem`\s{0,4}(?<text>(?:Could not find|Could not resolve|Unable to find|Unable to locate|No matching|no matching|Your requirements could not).{1,300})$`,
  chatter`\s{0,12}(?<text>(?:Downloaded|Downloading|Fetching|Compiling|Collecting|Using cached|Building wheel|Preparing metadata|Installing collected|Installing build|Getting requirements|Locking|Unpacking|Selecting previously|Processing triggers|Reading package lists|Building dependency tree|Reading state|Get:\d|Hit:\d|Ign:\d|\(Reading database|Preparing to unpack|Attempting uninstall|Found existing|Updating crates|Stored in|Created wheel|Progress: |Resolving: |Packages: |[-━╸ ]{8}).*)`,
  // go
  added`go: added ${NAME} ${VERSION}`,
  changed`go: (?:upgraded|downgraded) ${NAME} ${FROM} => ${VERSION}`,
  removed`go: removed ${NAME} ${VERSION}`,
  chatter`go: (?<text>(?:downloading|finding|found|extracting) .*)`,
  problem`go: (?<text>.{1,300}(?:no matching versions|invalid version|unknown revision|cannot find|not found|no required module|404|conflict).{0,200})$`,
  // apt, brew
  added`Setting up ${NAME} \(${VERSION}\)`,
  present`${NAME} is already the newest version \(${VERSION}\)`,
  count`(?<text>\d{1,9} upgraded, \d{1,9} newly installed.{0,80})`,
  problem`(?:E|Error): (?<text>.{1,300})$`,
  added`🍺\s{1,4}\S{0,100}/Cellar/${NAME}/${VERSION}:`,
  // dotnet, maven, gradle
  added`info\s{0,4}: PackageReference for package '${NAME}' version '${VERSION}' added`,
  problem`(?:.{0,200}: )?(?<text>error NU\d{4}: .{1,300})$`,
  present`\s{1,9}> ${NAME}\s{1,80}(?:\S{1,60}\s{1,80})?${VERSION}$`,
  problem`\[ERROR\] (?<text>\S.{0,300})$`,
  present`(?:\[INFO\] )?[+|\\ -]{3,80}(?<name>[\w.-]{1,100}:[\w.-]{1,100})(?::[a-z][\w-]{0,30})?:(?<version>\d[\w.-]{0,100})`,
]

export function packageFact(line: string): PackageFact | undefined {
  for (const [kind, pattern] of RULES) {
    const groups = pattern.exec(line)?.groups
    if (!groups) continue
    const { name = '', version = '', from = '', text = '' } = groups
    switch (kind) {
      case 'added':
      case 'removed':
      case 'present':
        return { kind, name, version }
      case 'changed':
        return { kind, name, version, from }
      default:
        return { kind, text: text.trim() }
    }
  }
  return undefined
}
