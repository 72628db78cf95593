import { delimiter, dirname, isAbsolute } from 'node:path'

/** The URL of a shared store may hold a password. */
const HARMLESS =
  /^(?:HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LC_\w+|TZ|NODE_COMPILE_CACHE|XDG_\w+|TWOTRACK_(?!RUNNER_MEMORY_URL$)\w+)$/

/** May hold the password of the shared store. */
const STORE_URL = 'TWOTRACK_RUNNER_MEMORY_URL'

/** What a program that is started for us needs to know: where things are, and no key. */
export const harmlessEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => HARMLESS.test(name) && name !== STORE_URL)),
  PATH: programFolders(env).join(delimiter),
})

/**
 * The PATH without what a project brings: no relative folder, and none of those that `npx` and `npm run` put before the
 * others. The Node that runs this may be in such a one, and is found all the same.
 */
export function programFolders(env: NodeJS.ProcessEnv): string[] {
  const isOwn = (folder: string) => folder.includes('node_modules')
  const folders = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isOwn(folder))
  return isOwn(process.execPath) ? [dirname(process.execPath), ...folders] : folders
}
