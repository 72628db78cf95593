import { realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import { isWithin, lstatOrAbsent } from '../../files/confine.ts'
import { readInside } from '../../files/files.ts'
import { unescaped } from '../../trust/named.ts'
import { commandLinter } from './command.ts'
import type { Linter } from './linter.ts'
import type { Where } from './programs.ts'
import { type LinterRow, oxlint } from './rows.ts'

const require = createRequire(import.meta.url)
const manifest = require.resolve('oxlint/package.json')
const { version } = z.object({ version: z.string() }).parse(require(manifest))

/** What oxlint reads. JSON can hide letters as escapes; the others are programs. */
const NAMES = [
  ...['.oxlintrc.json', '.oxlintrc.jsonc'],
  ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((ending) => `oxlint.config.${ending}`),
]

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
      for (const folder of new Set(paths.map(dirname)))
        await assertPlain(await realpath(tree.root), await realpath(where.project), folder)
      return linter.check(tree, paths)
    },
  }
}

/**
 * Throws where oxlint would meet a configuration that loads code: in the workspace, and in the folders of the project that
 * the workspace is in, where it goes on looking.
 */
async function assertPlain(workspace: string, project: string, inside: string): Promise<void> {
  for (let folder = join(workspace, inside); ; folder = dirname(folder)) {
    const root = isWithin(workspace, folder) ? workspace : project
    if (!isWithin(root, folder)) return
    for (const name of NAMES) {
      const path = relative(root, join(folder, name)).split(sep).join('/')
      if (!(await lstatOrAbsent(join(root, path)))) continue
      // What can't be looked at throws: a link, a file that is too large, one among the records.
      const text = unescaped((await readInside(root, path)).toString())
      if (name.startsWith('.oxlintrc.') && !text.includes('jsPlugins') && !text.includes('extends')) continue
      throw new TwotrackError(
        'missing',
        `${path} loads code or another configuration, which the bundled oxlint does not do. Install oxlint in the project, then run again.`,
      )
    }
  }
}
