import { defined, type JsonObject } from '../core/event/json.ts'
import { objectAt, textAt, timeIn } from './fields.ts'
import { aboutOf, type Session } from './format.ts'
import { stepsOfMessage, stepsOfPart } from './opencode-parts.ts'
import { personSteps, type Step } from './trajectory.ts'

export interface OpenCodeMessage {
  readonly info: JsonObject
  readonly parts: Iterable<JsonObject>
}

export function openCodeSession(info: JsonObject, messages: () => Iterable<OpenCodeMessage>): Session {
  const [id, parent, cwd] = ['id', 'parentID', 'directory'].map((name) => textAt(info, name))
  return {
    ...aboutOf(
      'opencode',
      {
        session: parent ?? id,
        helper: parent === undefined ? undefined : id,
        project: cwd,
        started: timeIn(objectAt(info, 'time')['created']),
      },
      { session: id, parent, cwd, version: textAt(info, 'version'), title: textAt(info, 'title') },
    ),
    steps: { [Symbol.iterator]: () => stepsOf(messages()) },
  }
}

function* stepsOf(messages: Iterable<OpenCodeMessage>): Generator<Step> {
  for (const { info, parts } of messages) {
    const { created, completed } = objectAt(info, 'time')
    if (textAt(info, 'role') === 'user') {
      const said = [...parts].flatMap((part) =>
        textAt(part, 'type') === 'text' && part['synthetic'] !== true ? (textAt(part, 'text') ?? []) : [],
      )
      yield* personSteps(said.join('\n'), timeIn(created))
      continue
    }
    const isSummary = info['summary'] === true
    for (const part of parts)
      for (const step of stepsOfPart({ messageID: info['id'] ?? '', ...part }, isSummary))
        yield { ...defined({ at: timeIn(created) }), ...step }
    for (const step of stepsOfMessage(info)) yield { ...defined({ at: timeIn(completed) }), ...step }
  }
}
