import type { ProjectOptions } from '../app/context.ts'

/** The options that every command has. */
export interface CommonOptions extends ProjectOptions {
  readonly json?: boolean
}
