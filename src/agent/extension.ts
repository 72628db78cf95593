import { z } from 'zod'
import type { AgentDefinition } from './agent.ts'

/** The extension of an agent as `Memory.open` and `startAgent` take it. */
export const extensionsOf = ({ extension }: AgentDefinition) =>
  extension === undefined
    ? {}
    : { [extension.name]: { schema: z.fromJSONSchema(extension.schema), share: extension.share } }
