import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deltaSchema } from '../../src/core/event/delta.ts'
import { genericSummarizer } from '../../src/summarize/generic.ts'
import { observe } from '../../src/summarize/observe.ts'
import type { Observation } from '../../src/summarize/summarizer.ts'
import { toDelta } from '../../src/summarize/summarizer.ts'
import { observed } from '../../src/testing/summarizer.ts'
import { texts, values } from '../core/memory/histories.ts'
import { SEED, seeded } from '../core/memory/seeded.ts'
import { learned } from './learned.ts'

const observations = fc
  .record({
    tool: texts,
    args: values,
    text: fc.array(texts, { maxLength: 5 }).map((parts) => parts.join('\n')),
    outcome: fc.constantFrom('success' as const, 'error' as const, 'partial' as const),
    turn: fc.nat(50),
    packet: fc.constant(undefined),
  })
  .map(observe)

const grep = { tool: 'shell', args: { command: 'grep -rn foo src' }, turn: 1, packet: undefined }

const ran = (text: string, more: Partial<Observation> = {}) =>
  learned(genericSummarizer, { tool: 'shell', args: { command: 'make' }, text, ...more })

describe(`the generic summarizer (SEED=${SEED})`, () => {
  test('answers anything with a delta that can be recorded, the same every time', () => {
    fc.assert(
      fc.property(observations, (observation) => {
        const summary = genericSummarizer.summarize(observation)
        if (!summary) throw new Error('it was silent')
        expect(deltaSchema.safeParse(toDelta(observation, summary)).error).toBeUndefined()
        expect(genericSummarizer.summarize(observation)).toEqual(summary)
        expect(summary.summary.length).toBeLessThan(300)
      }),
      seeded(200),
    )
  })

  test('says how it ended: the last line, or the line that tells what failed', () => {
    expect(ran(`${'a\n'.repeat(6)}all done\n`).said).toBe('$ make: 7 lines, the last "all done"')
    expect(ran('a\nb\n\nall done\n').said).toBe('$ make: 4 lines: "a", "b", "all done"')
    expect(ran('a\nException occurred:\nb\nKeyError: c\n', { outcome: 'error' }).said).toBe(
      '$ make: failed, "KeyError: c"',
    )
    const stopped = 'Error in the debugger: it has no inspector\nwaiting\nstill waiting\nCommand aborted\n'
    expect(ran(stopped, { outcome: 'error' }).said).toBe('$ make: failed, "Command aborted"')
    expect(ran('42').said).toBe('$ make: "42"')
    const failed = ran('building\nsrc/a.c:3: error: missing ;\nmake: leaving', {
      text: 'Exit code 2\nbuilding\nsrc/a.c:3: error: missing ;\nmake: leaving',
    })
    expect(failed.said).toBe('$ make: failed with exit code 2, "src/a.c:3: error: missing ;"')
    expect(failed.failedAttempt).toContain('missing ;')
  })

  test('the place that an error names must stay when the output is cut', () => {
    const text = `${'compiling a module\n'.repeat(300)}src/net/socket.rs:481: error[E0308]: mismatched types\nand more\n`
    expect(ran(text, { outcome: 'error' }).highlighted[0]).toContain('src/net/socket.rs:481')
  })

  test('errors in text that was only shown are nobody’s', () => {
    const text = 'a.py\nraise ValueError("x")\nError: y\nFAILED\n'
    expect(ran(text, { args: { command: 'cat a.py b.py' } }).highlights).toEqual([])
  })

  test('where the files of a diff begin stays when it is cut', () => {
    const text = `diff --git a/x.py b/x.py\n${'+x = 1\n'.repeat(9)}diff --git a/y.py b/y.py\n+error: 1\n`
    expect(ran(text, { args: { command: 'git diff' } }).highlights).toEqual([0, 10])
  })

  test('a search that finds nothing is a result, also where the searcher ends with 1', () => {
    for (const text of ['', 'Exit code 1\n'])
      expect(ran(text, grep)).toMatchObject({
        said: 'search "foo" in src: nothing found',
      })
    // Some harnesses call that an error, without a word of what it was.
    expect(observe({ ...grep, text: '', outcome: 'error', error: 'failed' }).outcome).toBe('success')
    const missing = 'grep: src: No such file or directory'
    expect(observe({ ...grep, text: missing, outcome: 'error', error: missing }).outcome).toBe('error')
  })

  test('a huge output becomes a small summary', () => {
    const seen = observed({ text: 'src/deep/file.ts:12: error in some_function_name\n'.repeat(300_000) })
    expect(JSON.stringify(genericSummarizer.summarize(seen)).length).toBeLessThan(2_000)
  })

  test('output of nothing is said to be nothing', () => {
    for (const text of ['', '\n\n', '   '])
      expect(ran(text)).toMatchObject({ said: '$ make: no output', output: null })
  })
})
