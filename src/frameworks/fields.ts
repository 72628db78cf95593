import { isObject, type JsonObject, toJson } from '../core/event/json.ts'
import { messageOf, TwotrackError } from '../errors.ts'

/** What frameworks pass is read field by field: their types change with their versions. */
export const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(messageOf(thrown))

/** A schema of arguments as JSON. */
export function schemaIn(value: unknown): JsonObject {
  const json = toJson(value ?? {})
  return isObject(json) ? (json as JsonObject) : {} // an object of JSON is one
}

export const modelNameOf = (model: object): string => {
  const { model: name, modelName } = fieldsOf(model)
  return textIn(name) || textIn(modelName) || model.constructor.name
}

/** Of what a person said only words can stand in a packet. */
export const notWords = (part: string): TwotrackError =>
  new TwotrackError(
    'bad_argument',
    `A message with a part of type ${part} can't be given: a packet is text. Give the model a tool that reads it.`,
  )
