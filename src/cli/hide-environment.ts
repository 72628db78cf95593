import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/** Where /proc/PID/stat says that the environment began and ended, counted from the field after the name. */
const [ENV_START, ENV_END] = [47, 48]

/**
 * Overwrites the block of memory in which the system gave this process its environment. On Linux every process of the
 * same user can read that block in /proc/PID/environ, so a command that got no key could take it from there; a changed
 * `process.env` does not change it. `process.env` itself stays as it is. Elsewhere there is no such way, and nothing is
 * done: see docs/security.md.
 */
export function hideEnvironment(): void {
  if (process.platform !== 'linux') return
  // Set again, each variable gets memory of its own, and nothing points to the block any more.
  for (const [name, value] of Object.entries(process.env)) process.env[name] = value
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])]
    if (!(start > 0 && end > start)) return
    const memory = openSync('/proc/self/mem', 'r+')
    try {
      writeSync(memory, Buffer.alloc(end - start), 0, end - start, start)
    } finally {
      closeSync(memory)
    }
  } catch {
    // A system that does not let a process write its own memory so: then only process namespaces hide the block.
  }
}
