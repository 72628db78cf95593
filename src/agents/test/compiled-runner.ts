import { homedir } from 'node:os'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { tryParse } from '../../core/event/json.ts'
import { lstatOrAbsent } from '../../files/confine.ts'
import { foldersOf, noRunner, type Runner, type RunnerPlace, seenFrom } from './runner.ts'

/** Go and Rust tests, which their compilers run; undefined for files of other languages. */
export async function compiledRunner({ workspace }: RunnerPlace, file: string): Promise<Runner | undefined> {
  const [name, manifest] = file.endsWith('.go')
    ? (['go test', 'go.mod'] as const)
    : file.endsWith('.rs')
      ? (['cargo test', 'Cargo.toml'] as const)
      : []
  if (name === undefined) return undefined
  const folder = await folderWith(workspace, file, manifest)
  if (folder === undefined) throw noRunner(`${file} is in no folder with a ${manifest}`)
  return name === 'go test' ? goTest(folder) : cargoTest(folder)
}

async function folderWith(workspace: string, file: string, name: string): Promise<string | undefined> {
  for (const folder of foldersOf(file)) if (await lstatOrAbsent(join(workspace, folder, name))) return folder
  return undefined
}

/** Commands have a home of their own; what was downloaded and compiled before is in the real one. */
const atHome = (names: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names).map(([name, path]) => [name, process.env[name] ?? join(homedir(), path)]),
  )

const goTest = (folder: string): Runner => ({
  name: 'go test',
  folder,
  env: { ...atHome({ GOPATH: 'go', GOCACHE: '.cache/go-build' }), GOWORK: 'off' },
  sources: {
    argv: ['go', 'list', '-deps', '-test', '-f', '{{if not .Standard}}{{.Dir}}{{end}}', './...'],
    paths: (output) => output.split('\n').filter((line) => line !== ''),
  },
  // Without -v nobody learns how many passed.
  argv: (files) => [
    'go',
    'test',
    '-v',
    ...new Set(files.map((file) => seenFrom(folder, posix.dirname(file)))),
  ],
})

const metadataSchema = z.object({ packages: z.array(z.object({ manifest_path: z.string() })) })

/** A file under `tests/` is a target of its own; every other file is tested with its package. */
const cargoTest = (folder: string): Runner => ({
  name: 'cargo test',
  folder,
  env: atHome({ CARGO_HOME: '.cargo', RUSTUP_HOME: '.rustup' }),
  sources: {
    argv: ['cargo', 'metadata', '--format-version=1', '--offline'],
    paths: (output) =>
      metadataSchema.parse(tryParse(output)).packages.map(({ manifest_path }) => manifest_path),
  },
  argv: (files) => {
    const targets = files.flatMap(
      (file) => /^tests\/(\w+)\.rs$/.exec(posix.relative(folder, file))?.[1] ?? [],
    )
    const all = targets.length === files.length ? targets.flatMap((target) => ['--test', target]) : []
    return ['cargo', 'test', '--no-fail-fast', ...all]
  },
})
