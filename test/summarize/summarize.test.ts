import { describe, expect, test } from 'vitest'
import { registryOf } from '../../src/summarize/built-in.ts'
import { type Registry, summarize } from '../../src/summarize/summarize.ts'
import type { Observation } from '../../src/summarize/summarizer.ts'
import { defineSummarizer, type Summarizer } from '../../src/summarize/summarizer.ts'
import { observed } from '../../src/testing/summarizer.ts'

const seen = (more: Partial<Observation> = {}) => observed({ text: 'the output', ...more })

const says = (name: string, knowledge: Record<string, number> = { [name]: 1 }): Summarizer => ({
  name,
  summarize: () => ({ summary: `by ${name}`, knowledge }),
})

const registry = (more: Partial<Registry> = {}): Registry => ({
  mode: 'tool_specific',
  byTool: {},
  general: [],
  ...more,
})

const action = (summarized: ReturnType<typeof summarize>) => summarized.delta.add_action?.[0]?.summary

describe('order of precedence', () => {
  const all = registry({ byTool: { tool: says('specific') }, general: [says('general')] })

  test('the tool’s own words, then its summarizer, then the general ones, then the generic one', () => {
    expect(summarize(seen({ own: { summary: 'mine', knowledge: { own: 1 } } }), all)).toMatchObject({
      summarizer: 'tool',
      delta: { add_action: [{ summary: 'mine' }], update_knowledge: { own: 1 } },
    })
    expect(summarize(seen(), all).summarizer).toBe('specific')
    expect(summarize(seen({ tool: 'other' }), all).summarizer).toBe('general')
    expect(summarize(seen(), registry()).summarizer).toBe('generic')
  })

  test('summary and knowledge are chosen apart', () => {
    expect(summarize(seen({ own: { summary: 'mine' } }), all).delta).toMatchObject({
      add_action: [{ summary: 'mine' }],
      update_knowledge: { specific: 1 },
    })
    expect(summarize(seen({ own: { knowledge: { own: 1 } } }), all).delta).toMatchObject({
      add_action: [{ summary: 'by specific' }],
      update_knowledge: { own: 1 },
    })
  })

  test('the mode decides who is asked', () => {
    expect(summarize(seen(), { ...all, mode: 'generic' }).summarizer).toBe('generic')
    const alone = summarize(seen(), { ...all, mode: 'tool_only' })
    expect(alone.summarizer).toBe('none')
    expect(alone.delta.update_knowledge).toBeUndefined()
    expect(action(alone)).toContain('tool')
  })

  test('one that has nothing to say passes to the next; one that throws is passed over and named', () => {
    const silent: Summarizer = { name: 'silent', summarize: () => undefined }
    const broken: Summarizer = {
      name: 'broken',
      summarize: () => {
        throw new Error('no field "issues"')
      },
    }
    const { summarizer, delta } = summarize(
      seen(),
      registry({ byTool: { tool: broken }, general: [silent, says('last')] }),
    )
    expect(summarizer).toContain('last')
    expect(summarizer).toContain('broken failed: no field "issues"')
    expect(delta.update_knowledge).toEqual({ last: 1 })
  })

  test('tools with names of Object.prototype are ordinary tools', () => {
    for (const tool of ['__proto__', 'constructor', 'toString'])
      expect(summarize(seen({ tool }), registryOf()).summarizer).toBe(
        summarize(seen(), registryOf()).summarizer,
      )
  })

  test('a run’s own come before the built-in ones, by name or as a list', () => {
    expect(summarize(seen({ tool: 'run_linter' }), registryOf({ run_linter: says('own') })).summarizer).toBe(
      'own',
    )
    expect(summarize(seen(), registryOf([says('listed')])).summarizer).toBe('listed')
  })

  test('a summarizer’s name is checked as it is defined', () => {
    expect(() => defineSummarizer(says('Not A Name'))).toThrow(/lower-case/)
    expect(defineSummarizer(says('a-name')).name).toBe('a-name')
  })
})

describe('the delta', () => {
  test('an error sets the last error, anything else clears it', () => {
    const failed = summarize(seen({ outcome: 'error', error: 'no such file' }), registryOf())
    expect(failed.delta.set_error).toBe('no such file')
    expect(failed.outcome).toBe('error')
    for (const outcome of ['success', 'partial'] as const)
      expect(summarize(seen({ outcome }), registryOf()).delta.set_error).toBeNull()
  })

  test('falsy results are results', () => {
    for (const [text, output] of [
      ['0', 0],
      ['false', false],
      ['null', null],
      ['[]', []],
      ['""', ''],
    ] as const) {
      const { delta } = summarize(seen({ text, output: output as never }), registryOf())
      expect(delta.add_action).toHaveLength(1)
      expect(delta.set_error).toBeNull()
    }
  })
})
