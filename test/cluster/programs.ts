import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { librariesOf, postgresPrograms, postgresRunner, unpacked } from '../postgres-server.ts'

/** What a machine of the cluster runs, and as whom. */
export interface ClusterPrograms {
  readonly postgres: string
  readonly etcd: string
  readonly python: string
  readonly patroni: string
  readonly env: Readonly<Record<string, string>>
  readonly uid: number
  readonly gid: number
}

/** Python's own libraries that Debian's Patroni is made with, and etcd; the interpreter is that of the system. */
const PACKAGES = [
  ...['patroni', 'etcd-server', 'libpq5', 'libyaml-0-2', 'python3-cdiff', 'python3-click'],
  ...[
    'python3-colorama',
    'python3-dateutil',
    'python3-dnspython',
    'python3-etcd',
    'python3-pkg-resources',
    'python3-prettytable',
  ],
  ...[
    'python3-psutil',
    'python3-psycopg2',
    'python3-six',
    'python3-urllib3',
    'python3-wcwidth',
    'python3-yaml',
  ],
]
const PYTHON = '/usr/bin/python3'

/** The programs, or one line that says why there are none. */
export function clusterPrograms(): ClusterPrograms | string {
  if (process.getuid?.() !== 0 || process.platform !== 'linux')
    return 'needs root on Linux: each machine is a network, processes and a disk of its own'
  for (const tool of ['unshare', 'nsenter', 'setpriv', 'ip', 'mkfs.ext4', 'losetup'])
    if (!isOnPath(tool)) return `needs ${tool}: apt-get install util-linux iproute2 e2fsprogs`
  const found = postgresPrograms()
  if (typeof found === 'string') return found
  const runner = postgresRunner()
  if (typeof runner === 'string') return runner
  const tools = unpacked('patroni', toolsIn, () => PACKAGES)
  if (!tools || !existsSync(PYTHON))
    return 'needs Patroni and etcd as Debian packages, and the Python that they are made for'
  const libraries = [tools.env['LD_LIBRARY_PATH'], found.libraries].filter(Boolean).join(':')
  const env = {
    ...tools.env,
    LD_LIBRARY_PATH: libraries,
    PATH: process.env['PATH'] ?? '',
    LC_ALL: 'C',
    TZ: 'UTC',
  }
  return { ...tools, env, postgres: found.bin, uid: runner.uid ?? 0, gid: runner.gid ?? 0 }
}

function toolsIn(root: string) {
  const [patroni, etcd] = [join(root, 'usr/bin/patroni'), join(root, 'usr/bin/etcd')]
  if (!existsSync(patroni) || !existsSync(etcd)) return undefined
  const env = { PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'), LD_LIBRARY_PATH: librariesOf(root) }
  execFileSync(PYTHON, [patroni, '--version'], { env, stdio: 'pipe' })
  return { patroni, etcd, python: PYTHON, env }
}

function isOnPath(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}
