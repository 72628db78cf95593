import { isQuiet, keepsLines, type Program, type ShellCommand } from '../../text/shell.ts'

/** What of each package manager deals with dependencies; the rest (`npm run`, `cargo build`) is other programs' output. */
const ACTIONS: Readonly<Record<string, string>> = {
  npm: 'install i add ci uninstall un remove rm update up upgrade audit outdated ls list ll dedupe prune why explain',
  pnpm: 'install i add remove rm update up upgrade audit outdated ls list dedupe prune why',
  yarn: 'install add remove upgrade up audit outdated list why info dedupe',
  bun: 'install i add remove rm update outdated audit why pm',
  pip: 'install uninstall list freeze show download check inspect',
  uv: 'add remove sync lock tree',
  poetry: 'install add remove update show lock sync',
  pipenv: 'install uninstall update sync lock graph',
  conda: 'install remove update list create',
  cargo: 'add remove rm update fetch tree install uninstall generate-lockfile vendor',
  go: 'get mod install',
  apt: 'install remove purge update upgrade list autoremove',
  apk: 'add del update upgrade info',
  brew: 'install uninstall upgrade update list outdated deps',
  bundle: 'install update add remove list outdated',
  gem: 'install uninstall update list outdated',
  composer: 'install require update remove show outdated audit',
  dotnet: 'add remove restore list package',
  mvn: 'dependency:tree dependency:list dependency:resolve dependency:go-offline dependency:analyze',
  gradle: 'dependencies dependencyInsight',
}
const ALIASES: Readonly<Record<string, string>> = {
  pip3: 'pip',
  'apt-get': 'apt',
  mamba: 'conda',
  micromamba: 'conda',
  bundler: 'bundle',
  mvnw: 'mvn',
  gradlew: 'gradle',
}

export interface PackageCall {
  readonly manager: string
  readonly action: string
}

/** The package managers' calls of a command, when what it shows comes from nothing else. */
export function packageCalls(programs: ShellCommand): readonly PackageCall[] {
  const calls: PackageCall[] = []
  for (const [first, ...filters] of programs) {
    const call = first === undefined ? undefined : packageCall(first)
    if (call && filters.every(keepsLines)) calls.push(call)
    else if (first && !isQuiet(first)) return []
  }
  return calls
}

function packageCall(program: Program): PackageCall | undefined {
  const [name, ...args] = unwrapped([program.name, ...program.args])
  const manager = ALIASES[name ?? ''] ?? name ?? ''
  const actions = Object.hasOwn(ACTIONS, manager) ? ACTIONS[manager]?.split(' ') : undefined
  const words = args.filter((arg) => !arg.startsWith('-'))
  const action = words.find((word) => actions?.includes(word))
  if (action !== undefined && words.indexOf(action) <= 1) return { manager, action }
  return manager === 'yarn' && words.length === 0 ? { manager, action: 'install' } : undefined
}

/** `python -m pip …` and `uv pip …` are pip. */
function unwrapped(words: readonly string[]): readonly string[] {
  const [first = '', second] = words
  if (first === 'uv' && second === 'pip') return words.slice(1)
  return words
}
