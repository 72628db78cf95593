import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configKeys } from '../../src/config/keys.ts'
import { valueText } from '../../src/config/render.ts'
import { CONFIG_ALIASES_MAX } from '../../src/config/yaml.ts'
import { CONFIG_BYTES_MAX } from '../../src/limits.ts'

const PAGE = new URL('../../docs/configuration.md', import.meta.url)
const table = [
  '| key | type | default | what it does |',
  '|---|---|---|---|',
  ...configKeys().map(
    (key) => `| \`${key.path}\` | ${key.type} | \`${valueText(key.default)}\` | ${key.description} |`,
  ),
].join('\n')

function withTable(page: string): string {
  const start = page.indexOf('-->', page.indexOf('<!-- keys:')) + '-->'.length
  return `${page.slice(0, start)}\n${table}\n${page.slice(page.indexOf('<!-- /keys -->'))}`
}

/** Without the padding that formatters of Markdown put into tables. */
const plain = (page: string) =>
  page
    .replace(/ +\|/g, ' |')
    .replace(/\| +/g, '| ')
    .replace(/\| ?-+ ?(?=\|)/g, '|---')

test('the page lists exactly the keys of the schema', () => {
  const page = readFileSync(PAGE, 'utf8')
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(PAGE, withTable(page))
  else expect(plain(page)).toBe(plain(withTable(page)))
})

test('the page gives the limits as they are', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toContain(`${CONFIG_BYTES_MAX / 1024} KiB`)
  expect(page).toContain(`resolved up to ${CONFIG_ALIASES_MAX} times`)
})

test('no two keys share an environment variable', () => {
  const variables = configKeys().map((key) => key.variable)
  expect(new Set(variables).size).toBe(variables.length)
})
