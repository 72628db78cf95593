import type { ToolDeclaration } from '../../src/core/event/event.ts'
import { EMPTY_PACKET, type Packet } from '../../src/core/packet/packet.ts'
import type { Prompt } from '../../src/core/view/prompt.ts'
import { render, VIEW } from '../../src/core/view/view.ts'
import type { ModelRequest } from '../../src/model/model.ts'

export const weather: ToolDeclaration = {
  name: 'get_current_weather',
  description: 'Gets the current weather in a given location.',
  parameters: {
    type: 'object',
    properties: {
      location: {
        type: 'string',
        description: 'The city and state, e.g. "San Francisco, CA" or "Tokyo, JP"',
      },
      unit: {
        type: 'string',
        enum: ['celsius', 'fahrenheit'],
        description: 'The unit to return the temperature in.',
      },
    },
    required: ['location'],
  },
}

export const packetWith = (fields: Partial<Packet> = {}): Packet => ({
  ...EMPTY_PACKET,
  agent_id: 'agent-1',
  turn: 3,
  goal: 'Tell the weather in Tokyo.',
  operation: 'task',
  constraints: { max_turns: 10, safety: [] },
  ...fields,
})

export function promptWith(packet: Packet, instructions = ''): Prompt {
  const body = render(packet, { view: VIEW, rendering: 'outline' })
  const text = instructions === '' ? body : `${instructions}\n\n${body}`
  return { instructions, body, text, declarations: '', packet, tokens: 0 }
}

export function requestWith(fields: Partial<Packet> = {}, more: Partial<ModelRequest> = {}): ModelRequest {
  const packet = packetWith(fields)
  return {
    prompt: promptWith(packet),
    tools: [weather],
    callRequired: true,
    ...more,
  }
}
