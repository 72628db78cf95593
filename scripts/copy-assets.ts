/** After the compiler: whatever `src` holds besides TypeScript stands at the same place in `dist`. */
import { cpSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
  const file = join('src', name)
  if (statSync(file).isFile() && !name.endsWith('.ts')) cpSync(file, join('dist', name))
}
