import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { commandLinter } from './command.ts'
import type { Linter } from './linter.ts'
import type { Where } from './programs.ts'
import { requirePlugins } from './requests.ts'
import { type LinterRow, oxlint } from './rows.ts'

const require = createRequire(import.meta.url)
const manifest = require.resolve('oxlint/package.json')
const { version } = z.object({ version: z.string() }).parse(require(manifest))

/** Rules whose fix is right whatever the project is configured for, and stays within one expression. */
const ALWAYS = [
  ...['no-extra-boolean-cast', 'no-useless-escape', 'no-useless-rename', 'no-unsafe-negation'],
  ...['typescript/prefer-as-const', 'typescript/no-extra-non-null-assertion'],
]
const unconfigured: LinterRow = {
  ...oxlint,
  fix: `oxlint --format=json --fix -A all ${ALWAYS.map((rule) => `-D ${rule}`).join(' ')} {files}`,
}

/** For projects that are linted with oxlint and have it not installed, and for those without a linter. */
export function bundledOxlint(where: Where, folder: string, config: string | undefined): Linter {
  const linter = commandLinter({
    row: config === undefined ? unconfigured : oxlint,
    program: {
      file: process.execPath,
      args: [join(dirname(manifest), 'bin', 'oxlint')],
      // A configuration can ask for types; oxlint would then start a program of the project's node_modules.
      env: { OXLINT_TSGOLINT_PATH: 'oxlint of the project: install it' },
      label: 'bundled oxlint',
      version,
    },
    config: config ?? "no configuration: oxlint's defaults",
    folder,
    covers: () => true,
  })
  return {
    ...linter,
    isUnchosen: config === undefined,
    async check(tree, paths) {
      const folders = new Map(paths.map((path) => [dirname(path), path]))
      for (const path of folders.values()) await requirePlugins({ workspace: tree.root, path, ...where })
      return linter.check(tree, paths)
    },
  }
}
