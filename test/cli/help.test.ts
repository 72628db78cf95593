import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { program } from '../../src/cli/program.ts'
import { folderWith, imported, twotrack } from './run.ts'

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
      for (const option of ['--store', '--folder', '--config', '--set', '--json'])
        expect(help).toContain(option)
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
