import { describe, expect, test } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'

const TASK =
  'A symbol that ends in a digit is not shown by the printer of formulas.\nMake `print_symbol` show it.'

/** A run in which a model speaks and calls a shell or an editor, and what its packet tells then. */
async function session() {
  const memory = await Memory.open({ store: memoryStore(), agentId: 'a', goal: TASK })
  const finish = async (tool: string, args: Record<string, string>, returned: unknown) => {
    const call = await memory.recordCall({ tool, args })
    await memory.recordResult({ call, returned })
  }
  return {
    memory,
    async say(text: string): Promise<void> {
      await memory.startTurn()
      await memory.record({ type: 'model_response', data: { model: 'm', text } })
    },
    run: (command: string, exit_code: number, stdout = ''): Promise<void> =>
      finish('bash', { command }, { exit_code, stdout, stderr: '' }),
    write: (path: string, content: string): Promise<void> => finish('write', { path, content }, 'ok'),
    told: () => memory.packet.conclusions.map(({ text }) => text),
    failed: () => memory.packet.failed_attempts.join('\n'),
  }
}

async function toldOf(...texts: readonly string[]): Promise<string[]> {
  const { say, told } = await session()
  for (const text of texts) await say(text)
  return told()
}

describe('what a model says is known later', () => {
  test('what it states of things that it names, without a word that says so', async () => {
    const words = [
      '`split_name` is given the whole symbol and gives back its base and `digits`.',
      'The tests of the printer start at line 745 of tests/test_print.py.',
    ]
    expect(await toldOf(words.join(' '))).toEqual(words)
  })

  test.each([
    ['what it will do', 'Let me look at `print_symbol` and `split_name` in printer.py.'],
    ['what it asks', 'Does `print_symbol` call `split_name` before it looks at the digits?'],
    ['what it only supposes', 'Maybe `split_name` drops the digits that `print_symbol` needs.'],
    ['what it did itself', 'I was looking for `print_symbol` and `split_name` there.'],
    ['what the task says', 'A symbol that ends in a digit is not shown by the printer, so `print_symbol` …'],
    ['what it cites from the task', 'The issue description names `print_symbol` and `split_name` too.'],
    ['code', 'return `a`, [...names].map((one) => one.split_name); // print_symbol'],
  ])('not %s', async (_, words) => {
    expect(await toldOf(words)).toEqual([])
  })

  test('what the cause is counts more than what else is stated, of which two sentences are noted', async () => {
    const facts = Array.from({ length: 9 }, (_, at) => `\`name_${at}\` is a part of \`module_${at}\` there.`)
    const told = await toldOf([...facts, 'The root cause is that `split_name` drops the digits.'].join(' '))
    expect(told).toContain('The root cause is that `split_name` drops the digits.')
    expect(told).toHaveLength(3)
  })

  test('without a line above that spoke of something else', async () => {
    const found = '`split_name` gives back the base and the `digits` of a symbol.'
    expect(await toldOf(`Wait, the output I see is:\n\n\`\`\`\nx2\n\`\`\`\n\n${found}`)).toEqual([found])
    expect(await toldOf(`What comes back:\n\n- ${found}`)).toEqual([`What comes back: ${found}`])
  })

  test('an abbreviation ends no sentence', async () => {
    const whole = 'The printer drops a part (e.g. `x2`) because `split_name` gives it back as a subscript.'
    expect(await toldOf(whole)).toEqual([whole])
  })

  test('said again the newest stays, unless what was said before says more', async () => {
    const cause =
      'The root cause is that `split_name` drops the digits of a symbol before `print_symbol` sees it.'
    const newer =
      'The root cause is that `split_name` drops all digits of a symbol before `print_symbol` sees it.'
    expect(await toldOf(cause, newer)).toEqual([newer])
    expect(await toldOf(cause, '`split_name` drops the digits of `print_symbol`.')).toEqual([cause])
  })
})

describe('what failed', () => {
  test('has for its reason what is said of it first, whatever the words', async () => {
    const { say, run, failed } = await session()
    await run('git add src/print.py', 128, "fatal: pathspec 'src/print.py' did not match any files")
    await say('The shell is still in `src/`. Let me adjust the path.')
    expect(failed()).toContain('because: The shell is still in `src/`.')
  })

  test('is told when the model says that something did not do what it was for', async () => {
    const { say, failed } = await session()
    await say("The regex didn't catch multiline constructions. Let me try another one.")
    expect(failed()).toContain("The regex didn't catch multiline constructions.")
  })

  test.each([
    ['without a program before it', 'rtk bun run test', 'bun run test'],
    ['with other options', 'git rm -q src/print.py', 'git rm -qf src/print.py && git status'],
    ['from elsewhere', 'git add src/print.py', 'cd /repo && git add src/print.py'],
    ['at everything', 'go test ./svg/', 'go test ./...'],
  ])('was done later %s', async (_, before, now) => {
    const { run, failed } = await session()
    await run(before, 1, 'error: it does not go this way')
    await run(now, 0, 'done')
    expect(failed()).toContain(`later: $ ${now.replace('cd /repo && ', '')}: "done"`)
  })

  test.each([
    [
      'another command of the same program',
      'git -C /repo rebase ebcac0c1',
      'git -C /repo diff ebcac0c1',
      'a',
    ],
    ['the same elsewhere', 'pytest tests/test_print.py', 'pytest tests/test_name.py', 'done'],
    ['a part of what was checked', 'pytest', 'pytest tests/test_name.py', 'done'],
    [
      'what complains though a pipe hides how it ended',
      'npm run check',
      'npm run check | tail -1',
      'npm error x',
    ],
    ['that what failed is removed', 'python try.py', 'rm try.py', ''],
  ])('is not settled by %s', async (_, before, now, output) => {
    const { run, failed } = await session()
    await run(before, 1, 'error: it does not go this way')
    await run(now, 0, output)
    expect(failed()).not.toContain('later:')
  })
})

describe('what was said of a change', () => {
  test('is told with the sentence before where it names nothing itself', async () => {
    const { memory, say, write } = await session()
    await say('Now add the `save_symbol` method. I will put it after `print_symbol`.')
    await write('printer.py', 'def save_symbol():\n    pass\n')
    expect(memory.packet.changed[0]?.said).toEqual([
      'Now add the `save_symbol` method. I will put it after `print_symbol`.',
    ])
  })
})
