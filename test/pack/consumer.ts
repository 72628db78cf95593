import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const MODULES = join(ROOT, 'node_modules')

/** npm and what it starts run on the Node that runs the tests. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { npm_config_prefix: _, npm_lifecycle_event: __, ...environment } = process.env
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`
  try {
    const options = { cwd, env: { ...environment, PATH }, maxBuffer: 64e6 }
    return (await promisify(execFile)(command, args, options)).stdout
  } catch (thrown) {
    const { stdout = '', stderr = '' } = thrown as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: thrown })
  }
}

export const node = (cwd: string, ...args: string[]) => run(cwd, process.execPath, ...args)

/** A fresh package that has installed ours, as people do. */
export interface Consumer {
  readonly folder: string
  readonly tarball: string
  /** Installs the optional packages too, by links: they are here already. */
  addOptionalPackages(): void
  /** Writes a program there and runs it. */
  program(name: string, code: string): Promise<string>
  dispose(): void
}

export async function installElsewhere(): Promise<Consumer> {
  const place = mkdtempSync(join(tmpdir(), 'twotrack-pack-'))
  const folder = join(place, 'consumer')
  await run(ROOT, 'npm', 'pack', '--pack-destination', place) // prepack builds
  const tarball = join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '')
  mkdirSync(folder)
  const consumer = { name: 'consumer', private: true, type: 'module' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(consumer))
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run(folder, 'npm', 'install', tarball, ...quiet)
  return {
    folder,
    tarball,
    addOptionalPackages() {
      for (const name of Object.keys(manifest.peerDependencies)) {
        if (!Object.hasOwn(manifest.devDependencies, name)) continue
        const link = join(folder, 'node_modules', name)
        mkdirSync(dirname(link), { recursive: true })
        // The sandbox may read the packages beside it alone, so what it loads is copied.
        if (name === 'quickjs-emscripten') {
          for (const part of [name, 'quickjs-emscripten-core', '@jitl'])
            cpSync(join(MODULES, part), join(folder, 'node_modules', part), { recursive: true })
        } else symlinkSync(join(MODULES, name), link, 'junction')
      }
    },
    async program(name, code) {
      writeFileSync(join(folder, name), code)
      return node(folder, name)
    },
    dispose: () => rmSync(place, { recursive: true, force: true }),
  }
}

/**
 * Type checks files with the strictest options people use, by the compiler of now and the one before it. Declarations of
 * frameworks do not pass these: where `skipLibCheck` says so they are left out, and the compiler of now is asked alone.
 */
export async function typeCheck(
  folder: string,
  files: readonly string[],
  skipLibCheck = false,
): Promise<void> {
  if (files.length === 0) return
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck,
    typeRoots: [join(MODULES, '@types')],
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  await node(folder, join(MODULES, 'typescript', 'bin', 'tsc'), '-p', folder)
  if (!skipLibCheck) await node(folder, join(MODULES, 'typescript-5', 'bin', 'tsc'), '-p', folder)
}
