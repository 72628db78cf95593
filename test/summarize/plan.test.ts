import { expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { plan } from '../../src/summarize/plan.ts'
import { testSummarizer } from '../../src/testing/summarizer.ts'

const planned = (args: Json, text = '', tool = 'tool') => testSummarizer(plan, { tool, args, text })

test('a whole list replaces the plan, whatever its tool calls the fields', () => {
  const items = [
    { id: '1', text: 'Read', status: 'done' },
    { id: '2', text: 'Write', status: 'active' },
    { id: '3', text: 'Test', status: 'open' },
  ]
  for (const args of [
    {
      todos: [
        { content: 'Read', status: 'completed', activeForm: 'Reading' },
        { content: 'Write', status: 'in_progress' },
        { content: 'Test', status: 'pending' },
      ],
    },
    {
      explanation: 'why',
      plan: [
        { step: 'Read', status: 'completed' },
        { step: 'Write', status: 'in_progress' },
        { step: 'Test', status: 'pending' },
      ],
    },
    { todos: '- [x] Read\n- [-] Write\n- [ ] Test' },
  ] as Json[])
    expect(planned(args)).toEqual({
      summary: 'Plan: 1 of 3 done, now "Write"',
      output: null,
      plan: [null, ...items],
    })
})

test('items are created and updated by their id', () => {
  expect(
    planned({ subject: 'Fix it', description: 'all' }, 'Task #3 created successfully: Fix it'),
  ).toMatchObject({
    plan: [{ id: '3', text: 'Fix it', status: 'open' }],
  })
  expect(planned({ taskId: '3', status: 'completed' }, 'Updated task #3 status')).toMatchObject({
    summary: 'Task 3 is done',
    plan: [{ id: '3', status: 'done' }],
  })
  expect(planned({ taskId: '3', status: 'deleted' }, 'Updated task #3')?.plan).toEqual([
    { id: '3', status: 'dropped' },
  ])
})

test('orders, bookings and other lists are no plan', () => {
  expect(planned({ order_id: '7', status: 'cancelled' }, 'Order cancelled')).toBeUndefined()
  expect(planned({ id: '7', status: 'pending' }, 'ok', 'update_order')).toBeUndefined()
  expect(planned({ passengers: [{ name: 'Ann', status: 'pending' }] })).toBeUndefined()
  expect(planned({ items: [{ name: 'Ann', status: 'gold' }] })).toBeUndefined()
})
