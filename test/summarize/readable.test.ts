import { describe, expect, test } from 'vitest'
import { readable, unwrap } from '../../src/summarize/readable.ts'

const PNG = `iVBORw0KGgoAAAANSUhEUg${'aB3dE5gH'.repeat(80)}`

describe('what a person reads of an output', () => {
  test('indentation, blank lines and spaces at the end of a line stay', () => {
    const text = '\n    def run(self):  \n\n\t\treturn 1\n'
    expect(readable(text)).toBe('\n    def run(self):  \n\n\t\treturn 1')
  })

  test('escapes are gone, and a redrawn line is in its last state', () => {
    expect(readable('\x1b[31mred\x1b[0m\r\n10%\r50%\rdone\n')).toBe('red\ndone')
  })

  test('output of spaces alone is none', () => {
    expect(readable('  \n\n ')).toBe('')
  })
})

describe('what a harness puts around an output gives way', () => {
  test.for([
    ['<returncode>2</returncode>\n<output>\n  a\nb\n</output>', '  a\nb', 2],
    ['Exit code 1\nerror: no such option', 'error: no such option', 1],
    ['boom\n\nCommand exited with code 127', 'boom', 127],
    ['a\n[The command completed with exit code 0.]', 'a', 0],
    [
      'Chunk ID: 1f2e\nWall time: 0.0512 seconds\nProcess exited with code 0\nOriginal token count: 5\nOutput:\na',
      'a',
      0,
    ],
    ['Execution logs:\n42\nLast output from code snippet:\nNone', '42', undefined],
    ['<tool_use_error>String not found.</tool_use_error>', 'String not found.', undefined],
    ['     1\ta\n\n<system-reminder>\nBe good.\n</system-reminder>\n', '     1\ta', undefined],
    ['(Bash completed with no output)', '', undefined],
    [
      'Command: ls /nowhere &&\nls\nDirectory: (root)\nOutput: ls: /nowhere: none\n  b\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 32088',
      'ls: /nowhere: none\n  b',
      2,
    ],
    [
      'Command: grep -c x y\nDirectory: src\nStdout: (empty)\nStderr: (empty)\nError: (none)\nExit Code: 1\nSignal: 0\nBackground PIDs: 7, 8\nProcess Group PGID: (none)',
      '',
      1,
    ],
    ['Output: a\n  b\nProcess Group PGID: 4', 'a\n  b', undefined],
    [
      'x\n[Jupyter current working directory: /w]\n[Jupyter Python interpreter: /usr/bin/python]',
      'x',
      undefined,
    ],
  ] as const)('%j', ([raw, text, exit]) => {
    expect(unwrap(raw)).toMatchObject({ text, ...(exit === undefined ? {} : { exit }) })
  })

  test('what was left out between head and tail is said', () => {
    const raw =
      '<returncode>0</returncode><warning>too long</warning><output_head>\na\n</output_head>\n<elided_chars>\n90 characters elided\n</elided_chars>\n<output_tail>\nz\n</output_tail>'
    expect(readable(raw)).toBe('a\n⋮ 90 characters elided\nz')
  })

  test('the same words inside an output stay', () => {
    for (const text of [
      'Output: a\nb',
      'Command: a\nDirectory: b',
      'print("Exit code 1")\nx = 1',
      'a <output> b',
      '<div>\n  <p>x</p>\n</div>',
    ])
      expect(readable(text)).toBe(text)
  })
})

describe('base64 is a line that says what it is', () => {
  test('a data address, a block of a protocol, a run without a type', () => {
    expect(readable(`![x](data:image/png;base64,${PNG})`)).toBe('![x]([image/png, 496 B])')
    expect(readable(`{"data":"${PNG}","mimeType":"image/png","type":"image"}`)).toBe('[image/png, 496 B]')
    expect(
      readable(`{"type":"image","source":{"type":"base64","media_type":"image/webp","data":"${PNG}"}}`),
    ).toBe('[image/webp, 496 B]')
    expect(readable(`key ${'Zm9vYmFyMTIz'.repeat(100)}`)).toMatch(/^key \[base64, 900 B: Zm9vYmFy.*…\]$/)
  })

  test('hashes, long words and paths are no base64', () => {
    for (const text of ['a'.repeat(900), 'e3b0c442'.repeat(8), `src/${'very_long_folder/'.repeat(40)}a.ts`])
      expect(readable(text)).toBe(text)
  })
})

test('any size and any repetition is read', () => {
  for (const unit of ['x', '\n', 'aB3', '<output>', '\r', ' ', '='])
    expect(readable(unit.repeat(20_000_000 / unit.length)).length).toBeLessThanOrEqual(20_000_000)
})
