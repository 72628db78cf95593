// Loaded before a child's own code: ends the process, as `kill -9` does, after its n-th change to a file or database.
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const last = Number(process.env['KILL_AFTER'])
let done = 0

function count() {
  if (++done === last) process.kill(process.pid, 'SIGKILL')
}

function counted(object, name, isChange = () => true) {
  const original = object[name]
  object[name] = function (...args) {
    const result = original.apply(this, args)
    if (!isChange(...args)) return result
    if (!(result instanceof Promise)) {
      count()
      return result
    }
    return result.then((value) => {
      count()
      return value
    })
  }
}

const makesFile = (_path, flags) => /[wax]/.test(flags ?? 'r')

const handle = await promises.open('/dev/null', 'r')
for (const name of ['write', 'writeFile', 'truncate', 'chmod', 'sync', 'datasync'])
  counted(Object.getPrototypeOf(handle), name)
await handle.close()
for (const name of ['rename', 'rm', 'rmdir', 'unlink', 'mkdir', 'writeFile', 'appendFile', 'utimes', 'chmod'])
  counted(promises, name)
counted(promises, 'open', makesFile)
for (const name of [
  'mkdirSync',
  'rmSync',
  'rmdirSync',
  'writeFileSync',
  'appendFileSync',
  'writeSync',
  'fchmodSync',
  'renameSync',
  'fsyncSync',
  'fdatasyncSync',
  'fsync',
])
  counted(fs, name)
counted(fs, 'openSync', makesFile)
counted(DatabaseSync.prototype, 'exec')
counted(StatementSync.prototype, 'run')
syncBuiltinESMExports()
