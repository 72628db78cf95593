import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { commandLinter } from './command.ts'
import { type LinterKind, oxlint, oxlintRule } from './kinds.ts'
import type { Linter } from './linter.ts'
import { requirePlugins } from './plugins.ts'
import type { Where } from './programs.ts'

const require = createRequire(import.meta.url)
const manifest = require.resolve('oxlint/package.json')
const { version } = z.object({ version: z.string() }).parse(require(manifest))
const PROGRAM = join(dirname(manifest), 'bin', 'oxlint')

/** Rules whose fix is right whatever the project is configured for, and stays within one expression. */
const ALWAYS = [
  ...['no-extra-boolean-cast', 'no-useless-escape', 'no-useless-rename', 'no-unsafe-negation'],
  ...['typescript/prefer-as-const', 'typescript/no-extra-non-null-assertion'],
]

const configured: LinterKind = {
  ...oxlint,
  check: (command) => [PROGRAM, ...oxlint.check(command)],
  fix: (command, options) => [PROGRAM, ...(oxlint.fix?.(command, options) ?? [])],
}

const unconfigured: LinterKind = {
  ...configured,
  fix: (_, { only, without = [] }) => {
    const left = without.map(oxlintRule)
    const rules = only === undefined ? ALWAYS.filter((rule) => !left.includes(rule)) : [oxlintRule(only.code)]
    return [PROGRAM, '--format=json', '--fix', '-A', 'all', ...rules.flatMap((rule) => ['-D', rule])]
  },
}

/** For projects that are linted with oxlint and have it not installed, and for those without a linter. */
export function bundledOxlint(where: Where, folder: string, config: string | undefined): Linter {
  const linter = commandLinter(config === undefined ? unconfigured : configured, {
    program: { file: process.execPath, version },
    label: 'bundled oxlint',
    config: config ?? "no configuration: oxlint's defaults",
    folder,
    command: [],
    covers: () => true,
    // A configuration can ask for types; oxlint would then start a program of the project's node_modules.
    env: { OXLINT_TSGOLINT_PATH: 'oxlint of the project: install it' },
  })
  return {
    ...linter,
    async check(tree, paths) {
      const folders = new Map(paths.map((path) => [dirname(path), path]))
      for (const path of folders.values()) await requirePlugins({ workspace: tree.root, path, ...where })
      return linter.check(tree, paths)
    },
  }
}
