import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { program } from '../../src/cli/program.ts'
import { environment, folderWith, imported, twotrack } from './run.ts'

const { commands } = await program(() => {})

describe('help', () => {
  test.each(commands.map((command) => [command.name(), command]))(
    '%s has examples, and the options that every command has',
    (name, command) => {
      let help = ''
      command.configureOutput({
        writeOut: (text) => {
          help += text
        },
      })
      command.outputHelp()
      expect(help).toContain('Examples:\n  $ twotrack ')
      const common = name === 'completion' ? [] : ['--store', '--folder', '--config', '--set', '--json']
      for (const option of common) expect(help).toContain(option)
      for (const example of help.split('\n').filter((line) => line.startsWith('  $ ')))
        expect(example).toContain(`twotrack ${name}`)
    },
  )

  test('--help and --version exit with 0; a wrong command line with 2, naming what was meant', async () => {
    const cwd = folderWith()
    expect(await twotrack(cwd, ['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('import'),
    })
    expect(await twotrack(cwd, ['import', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Examples'),
    })
    expect(await twotrack(cwd, ['--version'])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` })
    const wrong: [string[], string][] = [
      [['impotr', 'x'], 'Did you mean import?'],
      [['runs', '--operaton', 'lint'], 'Did you mean --operation?'],
      [['runs', '--store', 'sqlite'], 'Allowed choices are memory, jsonl, kv'],
      [['diff', 'x'], "required option '--from <turn>' not specified"],
      [['replay', 'x', '--turn', 'one'], '"one" is not a whole number'],
      [['import'], "missing required argument 'files'"],
      [[], 'Usage: twotrack'],
    ]
    for (const [args, words] of wrong) {
      const { code, stderr } = await twotrack(cwd, args)
      expect(code, args.join(' ')).toBe(2)
      expect(stderr).toContain(words)
    }
  })
})

test('no colour goes to a pipe; FORCE_COLOR asks for it', async () => {
  const cwd = await imported()
  expect((await twotrack(cwd, ['runs'])).stdout).not.toContain('\u001b')
  expect((await twotrack(cwd, ['runs'], { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[1m')
})

describe('completion', () => {
  const shellWith = (shell: string) => {
    try {
      execFileSync(shell, ['-c', 'exit 0'])
      return true
    } catch {
      return false
    }
  }
  const scriptFor = async (shell: string) => {
    const cwd = folderWith()
    const { stdout } = await twotrack(cwd, ['completion', shell])
    const file = join(cwd, `completion.${shell}`)
    writeFileSync(file, stdout)
    return file
  }

  test.skipIf(!shellWith('bash'))('bash completes commands and their options', async () => {
    const file = await scriptFor('bash')
    execFileSync('bash', ['-n', file])
    const complete = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `. "${file}"; COMP_WORDS=(twotrack ${words.join(' ')}); COMP_CWORD=${words.length}; _twotrack; echo "\${COMPREPLY[@]}"`,
        ],
        { encoding: 'utf8', env: environment() },
      ).trim()
    expect(complete('im')).toBe('import')
    expect(complete('replay', '--vi')).toBe('--view --views')
    expect(complete('show', '--')).toContain('--follow')
  })

  test.skipIf(!shellWith('zsh'))('zsh reads its script', async () => {
    execFileSync('zsh', ['-n', await scriptFor('zsh')])
  })

  test.skipIf(!shellWith('fish'))('fish reads its script', async () => {
    execFileSync('fish', ['-n', await scriptFor('fish')])
  })

  test('another shell is refused with those that there are', async () => {
    const { code, stderr } = await twotrack(folderWith(), ['completion', 'tcsh'])
    expect(code).toBe(2)
    expect(stderr).toContain('Allowed choices are bash, zsh, fish')
  })
})
