import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'

const PLACES = [
  process.env['CHROMIUM'] ?? '',
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
    (name) => `/usr/bin/${name}`,
  ),
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const place = () => PLACES.find((path) => path !== '' && existsSync(path))

const INSTALL_MS_MAX = 300_000

/** A Chromium of this system, installed first where that can be done; or why there is none. */
function find(): { readonly path: string } | { readonly missing: string } {
  const found = place()
  if (found !== undefined) return { path: found }
  const missing = { missing: 'no Chromium: install Debian’s "chromium", or set CHROMIUM to its path' }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return missing
  try {
    const args = ['install', '-y', '--no-install-recommends', 'chromium']
    execFileSync('/usr/bin/apt-get', args, { stdio: 'ignore', timeout: INSTALL_MS_MAX, env: process.env })
  } catch {
    return missing
  }
  const installed = place()
  return installed === undefined ? missing : { path: installed }
}

export const browser = find()

export interface Opened {
  readonly context: BrowserContext
  close(): Promise<void>
}

/** The browser with a profile of its own, that goes with it. */
export async function openBrowser(
  options: { readonly dark?: boolean; readonly width?: number } = {},
): Promise<Opened> {
  if ('missing' in browser) throw new Error(browser.missing)
  const profile = mkdtempSync(join(tmpdir(), 'twotrack-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser.path,
    headless: true,
    viewport: { width: options.width ?? 1440, height: 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    args: [
      ...[
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
      ],
      ...['--disable-component-update', '--disable-sync'],
    ],
  })
  return {
    context,
    async close() {
      await context.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
