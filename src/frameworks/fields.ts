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

/** The same object, but for some of its methods. */
export const withMethods = <T extends object>(object: T, methods: Readonly<Record<string, unknown>>): T =>
  new Proxy(object, {
    get(target, key) {
      if (typeof key === 'string' && Object.hasOwn(methods, key)) return methods[key]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

/** Of what a person said only words can stand in a packet. */
export const notWords = (part: string): TwotrackError =>
  new TwotrackError(
    'bad_argument',
    `A message with a part of type ${part} can't be given: a packet is text. Give the model a tool that reads it.`,
  )

/** Throws for options that let a server add text of its own to a prompt: the log would not have it. */
export function assertNothingAdded(options: unknown): void {
  const adding = Object.entries(fieldsOf(options))
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name]) => name)
    .filter((name) => /^(?:prompt|instructions|conversation|previous_?response_?id)$/i.test(name))
  if (adding.length === 0) return
  throw new TwotrackError(
    'bad_argument',
    `The request has ${adding.join(', ')}, with which the model's server adds text that no log has. Leave it out: the memory gives the model what it needs of the conversation.`,
  )
}
