/**
 * Preloaded by every Node of a test run: writes down which files of the workspace and of the project were loaded.
 * Beside it stand where.json (workspace, project) and the folder seen/, one file per thread. Runners with a loader of
 * their own (vitest, jest) read sources with node:fs, so that is watched too.
 */
import fs from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { join, sep } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { threadId } from 'node:worker_threads'

const here = import.meta.dirname
const { workspace, project } = JSON.parse(fs.readFileSync(join(here, 'where.json'), 'utf8'))
const { appendFileSync, existsSync, realpathSync } = fs
const file = join(here, 'seen', `${process.pid}-${threadId}`)
const seen = new Set()

const write = (line) => appendFileSync(file, `${line}\n`)
const isBelow = (path, folder) => folder !== null && path.startsWith(folder + sep)

function note(given) {
  const text = given instanceof URL ? given.href : given
  if (typeof text !== 'string' || !/\.[cm]?[jt]sx?(?:\?[^/]*)?$/.test(text) || seen.has(text)) return
  seen.add(text)
  try {
    const path = realpathSync(text.startsWith('file:') ? fileURLToPath(text) : text.replace(/\?[^/]*$/, ''))
    if (path.includes(`${sep}node_modules${sep}`)) return
    if (isBelow(path, workspace)) write(`own\t${path}`)
    else if (isBelow(path, project)) {
      const own = workspace + path.slice(project.length)
      write(`other\t${path}\t${existsSync(own) ? own : ''}`)
    }
  } catch {
    // What is not there was not loaded.
  }
}

for (const [holder, name] of [
  [fs, 'readFileSync'],
  [fs, 'readFile'],
  [fs.promises, 'readFile'],
]) {
  const original = holder[name]
  holder[name] = function (path, ...rest) {
    note(path)
    return original.call(this, path, ...rest)
  }
}
syncBuiltinESMExports()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    note(resolved.url)
    return resolved
  },
})
write('node')
