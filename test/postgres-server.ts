import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A PostgreSQL for tests, on a Unix socket that nobody else reaches; it ends with the process that asked for it. */
export interface PostgresServer {
  /** Of the database `twotrack`, as a role that may do everything in it. */
  readonly url: string
  /** Where its files are; undefined for one that is not ours. */
  readonly data: string | undefined
  dispose(): Promise<void>
}

/** Where the programs are, or one line that says what to install. */
export type Programs = { readonly bin: string; readonly libraries?: string } | string

/** What PostgreSQL runs as: it refuses root. */
export interface Runner {
  readonly uid?: number
  readonly gid?: number
}

const NEEDED =
  'needs PostgreSQL 15 or later: install it (apt-get install postgresql), or name one by TWOTRACK_PG=postgres://…'
const READY_MS = 60_000

/**
 * The server that `TWOTRACK_PG` names, else one of its own from the programs that are installed or that apt can bring;
 * a line that says why there is none.
 */
export async function postgresServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer | string> {
  const given = process.env['TWOTRACK_PG']
  if (given && Object.keys(settings).length === 0)
    return { url: given, data: undefined, dispose: async () => {} }
  const found = postgresPrograms()
  if (typeof found === 'string') return found
  const folder = mkdtempSync(join(tmpdir(), 'tw-pg-'))
  const data = join(folder, 'data')
  const runner = postgresRunner()
  if (typeof runner === 'string') return runner
  if (runner.uid !== undefined) execFileSync('chown', [`${runner.uid}:${runner.gid}`, folder])
  const env = programEnv(found)
  try {
    initCluster(found.bin, data, runner, env)
    const lines = {
      listen_addresses: '',
      unix_socket_directories: folder,
      jit: 'off',
      shared_buffers: '32MB',
      ...settings,
    }
    writeFileSync(
      join(data, 'postgresql.auto.conf'),
      Object.entries(lines)
        .map(([key, value]) => `${key} = '${value}'\n`)
        .join(''),
    )
    const server = startServer(found.bin, data, runner, env, folder)
    const url = (database: string) => `postgres://twotrack@localhost/${database}?host=${folder}`
    await isReady(found.bin, folder, 5432, env, server.exited)
    execFileSync(join(found.bin, 'createdb'), ['-h', folder, '-U', 'twotrack', 'twotrack'], {
      env,
      stdio: 'pipe',
    })
    return { url: url('twotrack'), data, dispose: server.stop }
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true })
    throw thrown
  }
}

/** Makes the files of a server, whose one role is `twotrack`. */
export function initCluster(bin: string, data: string, runner: Runner, env: NodeJS.ProcessEnv): void {
  const options = ['-D', data, '-U', 'twotrack', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '-k']
  execFileSync(join(bin, 'initdb'), options, { ...runner, env, cwd: '/', stdio: 'pipe' })
}

/**
 * Starts a server that ends when `stop` is called, or when this process is gone, however it ends: a shell between the two
 * waits for the end of its input. `folder` is removed then, if one is given.
 */
export function startServer(
  bin: string,
  data: string,
  runner: Runner,
  env: NodeJS.ProcessEnv,
  folder?: string,
) {
  const log = join(data, 'server.log')
  const script = `
    "$1" -D "$2" >>"$3" 2>&1 </dev/null & pid=$!
    echo $pid
    read -r line
    kill -$5 $pid 2>/dev/null
    (sleep 20; kill -KILL $pid 2>/dev/null) >/dev/null 2>&1 & watch=$!
    wait $pid
    kill $watch 2>/dev/null
    [ -z "$4" ] || rm -rf "$4"`
  const child = spawn(
    'sh',
    ['-c', script, 'sh', join(bin, 'postgres'), data, log, folder ?? '', folder ? 'QUIT' : 'INT'],
    {
      ...runner,
      env,
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
      // Ctrl-C in a terminal must reach the tests alone, which then stop it.
      detached: true,
    },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const pid = new Promise<number>((resolve) =>
    child.stdout.once('data', (line) => resolve(Number(String(line)))),
  )
  // A test that ends without `stop` must not wait for it.
  child.unref()
  return {
    pid,
    exited,
    async stop() {
      child.ref()
      child.stdin.end()
      await exited
      if (folder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function isReady(
  bin: string,
  host: string,
  port: number,
  env: NodeJS.ProcessEnv,
  exited: Promise<void> = new Promise(() => {}),
): Promise<void> {
  let gone = false
  void exited.then(() => (gone = true))
  for (const until = Date.now() + READY_MS; ; await sleep(50)) {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-q', '-h', host, '-p', String(port)], { env, stdio: 'pipe' })
      return
    } catch (cause) {
      if (gone || Date.now() > until) throw new Error('PostgreSQL did not start.', { cause })
    }
  }
}

/** Root runs it as another user of this machine; everybody else as themselves. */
export function postgresRunner(): Runner | string {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody'])
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {}
  return 'needs a user besides root to run PostgreSQL as: postgres or nobody'
}

export const programEnv = (found: { readonly libraries?: string }): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  TZ: 'UTC',
  ...(found.libraries === undefined ? {} : { LD_LIBRARY_PATH: found.libraries }),
})

/** Installed ones, the newest first; else those that apt brings, unpacked and not installed. */
export function postgresPrograms(): Programs {
  const places = [
    ...foldersIn('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...foldersIn('/opt/homebrew/opt')
      .filter((name) => name.startsWith('postgresql'))
      .map((name) => `/opt/homebrew/opt/${name}/bin`),
    ...(process.env['PATH'] ?? '').split(':'),
  ]
  const installed = process.env['TWOTRACK_PG_UNPACK'] ? undefined : places.find((bin) => versionIn(bin) >= 15)
  if (installed !== undefined) return { bin: installed }
  return unpackedPrograms() ?? NEEDED
}

const foldersIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
  } catch {
    return []
  }
}

function versionIn(bin: string, libraries?: string): number {
  if (bin === '' || !existsSync(join(bin, 'postgres')) || !existsSync(join(bin, 'initdb'))) return 0
  try {
    const options = {
      encoding: 'utf8',
      stdio: 'pipe',
      env: programEnv(libraries === undefined ? {} : { libraries }),
    } as const
    execFileSync(join(bin, 'initdb'), ['--version'], options)
    const said = execFileSync(join(bin, 'postgres'), ['--version'], options)
    return Number(/\d+/.exec(said)?.[0] ?? 0)
  } catch {
    return 0
  }
}

/** Of Debian's and Ubuntu's package archive, with the libraries that they are linked with. */
function unpackedPrograms(): Exclude<Programs, string> | undefined {
  return unpacked(
    'postgresql',
    (root) => {
      const [version] = foldersIn(join(root, 'usr/lib/postgresql'))
      if (version === undefined) return undefined
      const bin = join(root, 'usr/lib/postgresql', version, 'bin')
      const libraries = librariesOf(root)
      return versionIn(bin, libraries) >= 15 ? { bin, libraries } : undefined
    },
    (dependencies) => {
      const server = /postgresql-\d+/.exec(dependencies('postgresql').join(' '))?.[0]
      if (server === undefined) return []
      const libraries = dependencies(server).filter((name) => /^lib(?!llvm)/.test(name))
      return [server, server.replace('postgresql', 'postgresql-client'), ...libraries]
    },
  )
}

/** Where the dynamic linker finds the libraries of unpacked packages. */
export const librariesOf = (root: string): string =>
  foldersIn(join(root, 'usr/lib'))
    .map((name) => join(root, 'usr/lib', name))
    .join(':')

/**
 * What is found among packages that apt brings, unpacked and not installed; undefined where apt can't. They are kept in the
 * temporary folder.
 */
export function unpacked<T>(
  name: string,
  find: (root: string) => T | undefined,
  packagesOf: (dependencies: (name: string) => readonly string[]) => readonly string[],
): T | undefined {
  const root = join(tmpdir(), `twotrack-${name}-unpacked-${process.getuid?.() ?? 0}`)
  // Other processes ask at the same time: what is found is whole.
  const own = mkdtempSync(`${root}-`)
  const apt = (command: string, ...args: string[]) =>
    execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe', cwd: own, timeout: 120_000 })
  const dependencies = (of: string) =>
    [...apt('apt-cache', 'depends', of).matchAll(/Depends: ([\w.+-]+)/g)].map(([, needed]) => needed ?? '')
  try {
    if (!existsSync(root)) {
      apt('apt-get', 'download', ...packagesOf(dependencies))
      const files = readdirSync(own).filter((one) => one.endsWith('.deb'))
      for (const file of files) apt('dpkg', '-x', file, join(own, 'unpacked'))
      chmodSync(join(own, 'unpacked'), 0o755)
      renameSync(join(own, 'unpacked'), root)
    }
  } catch {
    // There is no apt, or another process was first.
  }
  rmSync(own, { recursive: true, force: true })
  // Somebody else's folder of that name could hold anything.
  if (statSync(root, { throwIfNoEntry: false })?.uid !== process.getuid?.()) return undefined
  try {
    return find(root)
  } catch {
    return undefined
  }
}

/** What the server wrote to its log, for a test that fails. */
export const serverLog = (data: string): string => readFileSync(join(data, 'server.log'), 'utf8')
