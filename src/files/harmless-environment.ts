import { delimiter, isAbsolute } from 'node:path'

const HARMLESS =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LC_\w+|TZ|NODE_COMPILE_CACHE|XDG_\w+|TWOTRACK_\w+)$/

/**
 * What a program that is started for us needs to know: where things are, and no key. Its PATH has nothing that a project
 * brings: no relative folder, and none of those that `npx` and `npm run` put before the others.
 */
export const harmlessEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => HARMLESS.test(name))),
  PATH: (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'))
    .join(delimiter),
})
