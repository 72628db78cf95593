const HARMLESS =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LC_\w+|TZ|NODE_COMPILE_CACHE|XDG_\w+|TWOTRACK_\w+)$/

/** What a program that is started for us needs to know: where things are, and no key. */
export const harmlessEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => HARMLESS.test(name)))
