import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The variable whose value marks every process that a command started, also one that left its process group. */
export const MARK = 'TWOTRACK_COMMAND'

const ROUNDS_MAX = 5
const ROUND_MS = 100

/** Kills a process group and, on Linux, every process that still carries the mark. */
export function killAll(group: number, mark: string): void {
  signal(-group)
  // Again until none is left: one may start another between being seen and being killed.
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const pids = marked(mark)
    if (pids.length === 0) return
    for (const pid of pids) signal(pid)
  }
}

/** The processes with the mark that do not end although they were killed. */
export async function survivors(mark: string): Promise<number[]> {
  for (let round = 0; ; round++) {
    const pids = marked(mark)
    if (pids.length === 0 || round === ROUNDS_MAX) return pids
    for (const pid of pids) signal(pid)
    await sleep(ROUND_MS)
  }
}

function marked(mark: string): number[] {
  if (process.platform !== 'linux') return []
  const wanted = `${MARK}=${mark}\0`
  return readdirSync('/proc')
    .filter((name) => name >= '0' && name < ':')
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(wanted))
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return '' // gone, or not ours
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone: that is what was wanted.
  }
}
