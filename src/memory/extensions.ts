import { z } from 'zod'
import { TwotrackError } from '../errors.ts'
import type { Delta } from '../event/delta.ts'
import type { Settings } from '../event/event.ts'

/** Checks a delta's extensions against the schemas that the run registered; refuses before anything is written. */
export function extensionChecks(settings: Settings): (delta: Delta) => void {
  const schemas = new Map(
    Object.entries(settings.extensions).map(([name, { schema }]) => [name, z.fromJSONSchema(schema)]),
  )
  return (delta) => {
    for (const [name, value] of Object.entries(delta.set_extension ?? {})) {
      const checked = schemas.get(name)?.safeParse(value)
      if (!checked || checked.success) continue // an unregistered name is refused by the fold
      const issue = checked.error.issues[0]
      throw new TwotrackError(
        'bad_packet',
        `Extension "${name}" does not fit its schema: at ${issue?.path.join('.') || 'the top'}: ${issue?.message}.`,
      )
    }
  }
}
