import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { edits } from '../../src/summarize/edits.ts'
import { fileRead } from '../../src/summarize/files.ts'
import { testSummarizer } from '../../src/testing/summarizer.ts'

const read = (args: Json, text: string) => testSummarizer(fileRead, { args, text })
const edit = (args: Json, text = 'The file has been updated.') => testSummarizer(edits, { args, text })
const path = 'a.py'

describe('a file that was read is its own lines', () => {
  test.for([
    ['cat -n', '     1\tdef f():\n     2\t\n     3\t    return 1', 1],
    ['a viewer’s arrows', '  10→def f():\n  11→\n  12→    return 1', 10],
    ['numbers and colons', '[File: a.py (3 lines total)]\n1:def f():\n2:\n3:    return 1', 1],
    ['numbers and bars', '7|def f():\n8|\n9|    return 1', 7],
    [
      'str_replace_editor',
      "Here's the result of running `cat -n` on a.py:\n     4\tdef f():\n     5\t\n     6\t    return 1\n",
      4,
    ],
    ['plain', 'def f():\n\n    return 1\n', 1],
  ] as const)('%s', ([, text, from]) => {
    expect(read({ path }, text)).toMatchObject({
      output: null,
      files: [{ kind: 'read', path, from, text: 'def f():\n\n    return 1' }],
    })
  })

  test('a range has the numbers that were asked for, blank first lines counted', () => {
    expect(read({ command: "sed -n '10,12p' a.py" }, '\n    x\n\n')).toMatchObject({
      summary: 'Read a.py lines 10-12',
      files: [{ from: 10, text: '\n    x\n' }],
    })
  })

  test('a viewer that shows what it edited changed the file', () => {
    const shown = '[File: /repo/a.py (3 lines total)]\n1:def f():\n2:\n3:    return 1\nFile updated.'
    expect(read({ command: 'edit 3:3\n    return 1\nend_of_edit' }, shown)).toMatchObject({
      summary: 'Edited /repo/a.py around line 1',
      files: [
        { kind: 'touch', path: '/repo/a.py' },
        { kind: 'read', path: '/repo/a.py', from: 1 },
      ],
    })
  })

  test('what the harness cut off is not the file’s', () => {
    const { output, files } =
      read({ command: 'cat a.py' }, 'one\ntwo\nthr\n⋮ 90 characters elided\nlast') ?? {}
    expect(files).toMatchObject([{ from: 1, text: 'one\ntwo' }])
    expect(output).toBe('thr\n⋮ 90 characters elided\nlast')
    expect(
      read({ path, offset: 3 }, 'x\n\n... (8 more lines not shown. Use offset=4 to continue)'),
    ).toMatchObject({
      output: null,
      files: [{ from: 3, text: 'x' }],
    })
  })

  test('a tail has no known numbers: it stays output', () => {
    expect(read({ command: 'tail -2 a.py' }, 'x\ny')?.files).toBeUndefined()
  })

  test('numbers of a data file are its own', () => {
    expect(read({ command: 'cat ids.tsv' }, '1\ta\n2\tb')?.files).toMatchObject([{ text: '1\ta\n2\tb' }])
  })

  test('a file that is not there was not read', () => {
    expect(read({ command: 'cat a.py' }, 'cat: a.py: No such file or directory')).toMatchObject({
      outcome: 'error',
    })
    expect(read({ path }, 'Error: ENOENT: no such file or directory')?.files).toBeUndefined()
  })

  test('an empty one is said to be empty', () => {
    expect(read({ path }, '')?.summary).toBe('a.py is empty')
  })
})

describe('a file that was changed', () => {
  test('says how many lines became how many', () => {
    const args = { path, old: 'const a = 1', new: 'const a = 2\nconst b = 3' }
    expect(edit(args)).toEqual({
      summary: 'Edited a.py: 1 line became 2',
      output: null,
      files: [{ kind: 'edit', path, before: 'const a = 1', after: 'const a = 2\nconst b = 3' }],
    })
    expect(edit({ path, content: 'a\nb\n' })?.summary).toBe('Wrote a.py: 2 lines')
  })

  test('an edit that failed changes nothing', () => {
    for (const text of [
      'No replacement was performed, old_str `x` did not appear verbatim in a.py.',
      '<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>',
      'ERROR:\nParameter `old_str` is required for command: str_replace.',
      'Found 3 matches of the string to replace, but replace_all is false.',
    ]) {
      const failed = edit({ path, old_string: 'x', new_string: 'y' }, text)
      expect(failed, text).toMatchObject({ outcome: 'error' })
      expect(failed?.files).toEqual([])
      expect(failed?.summary).toContain('a.py was not changed')
    }
  })

  test('an insertion is told by the lines above it', () => {
    const text =
      "Here's the result of running `cat -n` on a snippet of a.py:\n     1\ta\n     2\tb\n     3\tnew\n     4\tc"
    expect(edit({ command: 'insert', path, insert_line: 2, new_str: 'new\n' }, text)?.files).toEqual([
      { kind: 'edit', path, before: 'a\nb', after: 'a\nb\nnew' },
      { kind: 'read', path, from: 1, text: 'a\nb\nnew\nc' },
    ])
  })
})

test('a change is told by what it defines, never by a word that opens a part of code', async () => {
  const script = [
    'import os',
    'try:',
    '  size = 1',
    'except OSError:',
    '  pass',
    'else:',
    '  pass',
    'def total():',
    '  pass',
    'def größe_gesamt():',
    '  pass',
  ]
  const memory = await Memory.open({ store: memoryStore(), agentId: 'a', goal: 'Fix it.' })
  await memory.recordToolRun(
    { tool: 'bash', args: { command: `cat > fix.py <<'EOF'\n${script.join('\n')}\nEOF` } },
    async () => '',
  )
  expect(memory.packet.changed).toMatchObject([{ path: 'fix.py', what: '+11 in size, total, größe_gesamt' }])
  await memory.close()
})
