import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClusterPrograms } from './programs.ts'

const NETWORK = '10.77.77'
const BRIDGE = 'twotrack'
const DISK_BYTES = 1024 * 1024 * 1024
/** Without flushing its journal: what the file system has not written by then is lost, as when the power goes. */
const CUT = `
import fcntl, os, struct, sys
disks = [os.open(path, os.O_RDONLY) for path in sys.argv[1:]]
for disk in disks: fcntl.ioctl(disk, 0x8004587d, struct.pack('I', 2))`

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe' })

/** A machine: a network, processes and a disk of its own, on which Patroni keeps a PostgreSQL and etcd elects who leads. */
export interface Machine {
  readonly name: string
  readonly address: string
  readonly disk: string
  start(): void
  /** All of its processes at once. */
  kill(): Promise<void>
  /** All of its processes stand still, or go on. */
  pause(isPaused: boolean): void
  /** Nothing gets from it to these machines, though both are there for everybody else; or to nobody at all. */
  cutOff(from: readonly Machine[] | 'all', isCut: boolean): void
}

/** The network between machines, and to whoever started them. */
export function makeNetwork(): void {
  run('ip', 'link', 'set', 'lo', 'up')
  run('ip', 'link', 'add', BRIDGE, 'type', 'bridge')
  run('ip', 'addr', 'add', `${NETWORK}.1/24`, 'dev', BRIDGE)
  run('ip', 'link', 'set', BRIDGE, 'up')
}

export function makeMachines(folder: string, programs: ClusterPrograms, names: readonly string[]): Machine[] {
  const places = names.map((name, n) => ({ name, address: `${NETWORK}.${11 + n}` }))
  return places.map(({ name, address }) => machine(folder, programs, name, address, places))
}

/**
 * Its first process starts the others and ends with its input, so with whoever started it. It waits for all that lost their
 * parents, as the first process of a machine does.
 */
const FIRST_PROCESS = `
  until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
  echo "$FIRST_PID" >/proc/sys/kernel/ns_last_pid
  ip link set lo up; ip addr add "$ADDRESS/24" dev eth0; ip link set eth0 up
  exec 3<&0
  (read -r line <&3; kill -KILL -1) &
  AS="setpriv --reuid=$RUN_UID --regid=$RUN_GID --clear-groups --no-new-privs"
  $AS "$ETCD" --config-file "$DISK/etcd.json" >>"$DISK/etcd.log" 2>&1 &
  $AS "$PYTHON" "$PATRONI" "$DISK/patroni.json" >>"$DISK/patroni.log" 2>&1 &
  wait`

function machine(
  folder: string,
  programs: ClusterPrograms,
  name: string,
  address: string,
  all: readonly { readonly name: string; readonly address: string }[],
): Machine {
  const disk = join(folder, name)
  const image = join(folder, `${name}.disk`)
  const outside = `tw-${name}`
  let first: ChildProcess | undefined
  let starts = 0
  mkdirSync(disk)
  run('truncate', '-s', String(DISK_BYTES), image)
  run('mkfs.ext4', '-q', image)
  mountDisk(image, disk)
  writeFileSync(join(disk, 'etcd.json'), JSON.stringify(etcdSettings(disk, name, address, all)))
  const settings = patroniSettings(disk, name, address, all, programs.postgres)
  writeFileSync(join(disk, 'patroni.json'), JSON.stringify(settings))
  run('chown', '-R', `${programs.uid}:${programs.gid}`, disk)

  return {
    name,
    address,
    disk,
    start() {
      const inside = ['--net', '--pid', '--mount-proc', '--fork', '--kill-child', 'sh', '-c', FIRST_PROCESS]
      first = spawn('unshare', inside, {
        env: {
          ...programs.env,
          ...{ ADDRESS: address, DISK: disk, RUN_UID: String(programs.uid), RUN_GID: String(programs.gid) },
          // What files of before say of a process is not to fit another one by chance.
          FIRST_PID: String(++starts * 1_000),
          ...{ ETCD: programs.etcd, PYTHON: programs.python, PATRONI: programs.patroni },
        },
        stdio: ['pipe', 'ignore', 'inherit'],
      })
      run(
        'ip',
        'link',
        'add',
        outside,
        'type',
        'veth',
        'peer',
        'name',
        'eth0',
        'netns',
        String(netOf(first.pid ?? 0)),
      )
      run('ip', 'link', 'set', outside, 'master', BRIDGE, 'up')
    },
    async kill() {
      const { exitCode, signalCode } = first ?? {}
      if (!first || exitCode != null || signalCode != null) return
      const ended = new Promise((resolve) => first?.once('exit', resolve))
      const pids = processesOf(first.pid ?? 0)
      first.kill('SIGKILL')
      await ended
      // The system may take its time to remove a network that nobody is in.
      spawnSync('ip', ['link', 'del', outside], { stdio: 'ignore' })
      // Who stood still is only gone once the system took note of it: its disk is held as long.
      while (pids.some(isThere)) await new Promise((resolve) => setTimeout(resolve, 20))
    },
    pause(isPaused) {
      // Whoever was born meanwhile stands still as well.
      for (const _ of [1, 2, 3])
        for (const pid of processesOf(first?.pid ?? 0))
          try {
            process.kill(pid, isPaused ? 'SIGSTOP' : 'SIGCONT')
          } catch {}
    },
    cutOff(from, isCut) {
      if (from === 'all') return void run('ip', 'link', 'set', outside, isCut ? 'down' : 'up')
      for (const { address: other } of from)
        run(
          ...(['nsenter', '-t', String(netOf(first?.pid ?? 0)), '-n'] as const),
          ...['ip', 'route', isCut ? 'add' : 'del', 'blackhole', `${other}/32`],
        )
    },
  }
}

const mountDisk = (image: string, disk: string) => run('mount', '-o', 'loop', image, disk)

/** The power of all of them goes at once, and comes back: their disks are as they would be then. */
export async function powerCut(machines: readonly Machine[], folder: string): Promise<void> {
  run('python3', '-c', CUT, ...machines.map(({ disk }) => disk))
  await Promise.all(machines.map((one) => one.kill()))
  for (const { name, disk } of machines) {
    run('umount', disk)
    mountDisk(join(folder, `${name}.disk`), disk)
  }
}

/** The first process inside, whose network the machine has: the only child of the one that was started. */
function netOf(pid: number): number {
  for (const until = Date.now() + 10_000; Date.now() < until; ) {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    if (child) return Number(child)
  }
  throw new Error('A machine did not start.')
}

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function processesOf(started: number): number[] {
  const spaceOf = (pid: number | string) => {
    try {
      return readlinkSync(`/proc/${pid}/ns/pid`)
    } catch {
      return undefined
    }
  }
  const space = spaceOf(netOf(started))
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && spaceOf(name) === space)
    .map(Number)
}

type Places = readonly { readonly name: string; readonly address: string }[]

const etcdSettings = (disk: string, name: string, address: string, all: Places) => ({
  name,
  'data-dir': join(disk, 'etcd'),
  'listen-peer-urls': `http://${address}:2380`,
  'initial-advertise-peer-urls': `http://${address}:2380`,
  'listen-client-urls': `http://${address}:2379`,
  'advertise-client-urls': `http://${address}:2379`,
  'initial-cluster': all.map((one) => `${one.name}=http://${one.address}:2380`).join(','),
  // Patroni 3.0 renews its leadership by the newer protocol without a look at who leads: docs/many-machines.md.
  'enable-v2': true,
})

/** As docs/many-machines.md has it: every acknowledged commit is on at least two disks, on three while all are there. */
const patroniSettings = (disk: string, name: string, address: string, all: Places, bin: string) => ({
  scope: 'twotrack',
  name,
  restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
  etcd: { hosts: all.map((one) => `${one.address}:2379`) },
  bootstrap: {
    dcs: {
      ...{ ttl: 20, loop_wait: 2, retry_timeout: 5 },
      ...{ synchronous_mode: true, synchronous_mode_strict: true, synchronous_node_count: 2 },
      postgresql: {
        use_pg_rewind: true,
        parameters: { max_connections: 60, wal_retrieve_retry_interval: '1s' },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
  },
  postgresql: {
    listen: `${address}:5432`,
    connect_address: `${address}:5432`,
    data_dir: join(disk, 'postgres'),
    bin_dir: bin,
    authentication: {
      superuser: { username: 'twotrack' },
      replication: { username: 'twotrack' },
      rewind: { username: 'twotrack' },
    },
    pg_hba: ['local all all trust', 'host all all all trust', 'host replication all all trust'],
    parameters: { unix_socket_directories: '', shared_buffers: '32MB', max_wal_size: '256MB', jit: 'off' },
  },
})
