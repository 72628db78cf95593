import { hash } from 'node:crypto'

/** Lower-case hex sha256 of text (as UTF-8) or bytes. */
export const sha256 = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex')
