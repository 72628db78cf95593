import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Texts of others that are not part of this repository; tests that need them are skipped where they are not. */
const FOLDER = process.env['TWOTRACK_SHARED'] ?? resolve(import.meta.dirname, '../../../../shared')

export const sharedPath = (...parts: string[]): string => join(FOLDER, ...parts)
export const hasShared = (...parts: string[]): boolean => existsSync(sharedPath(...parts))
export const readShared = (...parts: string[]): string => readFileSync(sharedPath(...parts), 'utf8')
export const readSharedLines = (...parts: string[]): unknown[] =>
  readShared(...parts)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
