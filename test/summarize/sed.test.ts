import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FileChange } from '../../src/core/event/delta.ts'
import { changeFiles } from '../../src/core/packet/files.ts'
import type { State } from '../../src/core/packet/state.ts'
import { sedChanges } from '../../src/summarize/call/sed.ts'
import { given } from '../../src/testing/given.ts'
import { call, result } from '../core/view/desk1/drafts.ts'

const folder = mkdtempSync(join(tmpdir(), 'twotrack-sed-'))
const file = join(folder, 'a.py')

const isGnu = (() => {
  try {
    return execFileSync('sed', ['--version'], { encoding: 'utf8', stdio: 'pipe' }).includes('GNU')
  } catch {
    return false
  }
})()

/** The lines that are known of a file after changes, by number; what is known of its parts as they were read. */
function known(read: readonly { from: number; lines: readonly string[] }[], changes: readonly FileChange[]) {
  const state = { files: {}, changed: [], settings: { caps: { changed_files: 10 } } } as unknown as State
  const reads = read.map(({ from, lines }) => ({
    kind: 'read' as const,
    path: 'a.py',
    from,
    text: lines.join('\n'),
  }))
  const { files } = changeFiles(state, [...reads, ...changes], { seq: 1, turn: 1, from: 'tool' })
  return (files['a.py']?.regions ?? []).flatMap(({ from, lines }) =>
    lines.map((line, at) => [from + at, line] as const),
  )
}

describe('what sed does to lines', () => {
  const address = fc.tuple(fc.integer({ min: 1, max: 11 }), fc.integer({ min: 0, max: 3 }))
  const text = fc.stringMatching(/^[a-z]( {0,3}[a-z(){}.]{1,5}){0,3}$/)
  const script = fc.oneof(
    address.map(([from, more]) => `${from},${from + more}d`),
    address.map(([from]) => `${from}d`),
    fc
      .tuple(address, fc.constantFrom('c', 'c\\'), text)
      .map(([[from, more], verb, said]) => `${from},${from + more}${verb}  ${said}`),
    fc
      .tuple(address, fc.constantFrom('i\\', 'a\\', 'i ', 'a '), text, text)
      .map(([[from], verb, one, two]) => `${from}${verb}    ${one}\\n  ${two}`),
    fc.tuple(address, text).map(([[from], said]) => `${from}s/line_/${said}_/`),
    fc.tuple(address, text).map(([[from], said]) => `${from}s/^/${said}\\n/`),
  )

  test.skipIf(!isGnu)('what is known of a file after it is what stands there (needs GNU sed)', () => {
    fc.assert(
      fc.property(
        script,
        fc.integer({ min: 1, max: 14 }),
        fc.integer({ min: 0, max: 6 }),
        (program, split, gap) => {
          const lines = Array.from({ length: 14 }, (_, at) => `line_${at + 1}`)
          writeFileSync(file, `${lines.join('\n')}\n`)
          execFileSync('sed', ['-i', program, file])
          const after = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n')
          const changes = sedChanges(['-i', program, 'a.py'])
          expect(changes, program).toHaveLength(1)
          const read = [
            { from: 1, lines: lines.slice(0, split) },
            { from: split + gap + 1, lines: lines.slice(split + gap) },
          ].filter((part) => part.lines.length > 0)
          const shown = known(read, changes)
          expect(shown.length).toBeGreaterThan(0)
          for (const [number, line] of shown)
            expect(line, `${program}, line ${number}`).toBe(after[number - 1])
        },
      ),
      { numRuns: 150, seed: 11 },
    )
  })

  test('the newest text of a line stands in the packet, with the lines below moved', () => {
    const read = result('Read a.py', '', [{ kind: 'read', path: 'a.py', from: 10, text: 'one\ntwo\nthree' }])
    const change = sedChanges(['-i', '11c\\    TWO\\n    AND A HALF', 'a.py'])
    const steps = [call('bash', { command: 'cat a.py' }), read, call('bash', { command: 'sed -i …' })]
    const { packet } = given(steps).when(result('Edited a.py', '', change))
    expect(packet.files[0]?.regions).toEqual([{ from: 10, text: 'one\n    TWO\n    AND A HALF\nthree' }])
  })
})
