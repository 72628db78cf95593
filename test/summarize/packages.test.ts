import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packages } from '../../src/summarize/packages/packages.ts'
import { type SeenCall, testSummarizer } from '../../src/testing/index.ts'

const shell = (command: string, text: string, more: SeenCall = {}) =>
  testSummarizer(packages, { tool: 'bash', args: { command }, text, ...more })
const told = (command: string, text: string) => shell(command, text)?.summary.replace(/ from \$ .*$/, '')

describe('what came, went and is there', () => {
  test.for([
    [
      'npm install',
      '\nadded 12 packages, removed 3 packages, and audited 120 packages in 2s\n\n3 vulnerabilities (1 moderate, 2 high)\n',
      '3 vulnerabilities (1 moderate, 2 high); added 12 packages, removed 3 packages, and audited 120 packages in 2s',
    ],
    [
      'npm ls',
      'shop@1.0.0 /srv/shop\n├── chalk@5.6.2\n└─┬ @scope/left-pad@1.3.0\n  └── deep@0.1.0 deduped\n',
      '3 packages: chalk 5.6.2, @scope/left-pad 1.3.0, deep 0.1.0',
    ],
    [
      'npm outdated',
      'Package   Current  Wanted  Latest  Location\nlodash    4.17.11  4.18.1  4.18.1  node_modules/lodash\n',
      '1 package outdated: lodash 4.17.11 → 4.18.1',
    ],
    [
      'pnpm add zod',
      'Progress: resolved 1, done\ndependencies:\n+ zod 4.1.0\n',
      'Added 1 package: zod 4.1.0',
    ],
    ['bun add zod', 'bun add v1.3.5\n\ninstalled zod@4.1.0\n', 'Added 1 package: zod 4.1.0'],
    [
      'python3 -m pip install requests',
      'Collecting requests\n  Downloading requests.whl\nSuccessfully installed charset-normalizer-3.5.2 requests-2.34.2\n',
      'Added 2 packages: charset-normalizer 3.5.2, requests 2.34.2',
    ],
    [
      'cd app && pip install requests 2>&1 | tail -5',
      'Requirement already satisfied: requests in ./lib (2.34.2)\nRequirement already satisfied: idna<4,>=2.5 in ./lib (from requests) (3.20)\n',
      'Nothing to add, there are 2 packages: requests 2.34.2, idna 3.20',
    ],
    [
      'pip list',
      'Package    Version\n---------- -------\nidna       3.20\npip        23.2.1\n',
      '2 packages: idna 3.20, pip 23.2.1',
    ],
    ['pip freeze', 'idna==3.20\nrequests==2.34.2\n', '2 packages: idna 3.20, requests 2.34.2'],
    ['pip show idna', 'Name: idna\nVersion: 3.20\nLocation: /srv/lib\n', '1 package: idna 3.20'],
    [
      'uv sync',
      'Resolved 5 packages in 3ms\nInstalled 1 package in 2ms\n + idna==3.20\n - idna==3.19\n',
      'Added 1 package: idna 3.20; removed 1 package: idna 3.19; Resolved 5 packages; Installed 1 package',
    ],
    [
      'poetry update',
      '  - Updating idna (3.19 -> 3.20)\n  - Installing httpx (0.28.1)\n',
      'Added 1 package: httpx 0.28.1; updated 1 package: idna 3.19 → 3.20',
    ],
    [
      'cargo update',
      '    Updating crates.io index\n    Updating serde v1.0.200 -> v1.0.210\n      Adding itoa v1.0.11\n',
      'Added 1 package: itoa v1.0.11; updated 1 package: serde v1.0.200 → v1.0.210',
    ],
    [
      'go get example.org/pty',
      'go: downloading example.org/pty v1.1.24\ngo: added example.org/pty v1.1.24\ngo: upgraded example.org/sys v0.1.0 => v0.2.0\n',
      'Added 1 package: example.org/pty v1.1.24; updated 1 package: example.org/sys v0.1.0 → v0.2.0',
    ],
    [
      'sudo apt-get install -y jq',
      'Reading package lists...\nSetting up jq (1.6-2.1) ...\n',
      'Added 1 package: jq 1.6-2.1',
    ],
    [
      'apk add jq',
      '(1/2) Installing oniguruma (6.9.9-r0)\n(2/2) Installing jq (1.7.1-r0)\nOK: 12 MiB in 17 packages\n',
      'Added 2 packages: oniguruma 6.9.9-r0, jq 1.7.1-r0; OK: 12 MiB in 17 packages',
    ],
    [
      'bundle install',
      'Using rake 13.2.1\nInstalling rack 3.1.0\nBundle complete! 2 Gemfile dependencies, 2 gems now installed.\n',
      'Added 1 package: rack 3.1.0; Bundle complete! 2 Gemfile dependencies, 2 gems now installed.',
    ],
    [
      'composer require a/b',
      'Package operations: 1 install, 0 updates, 0 removals\n  - Installing a/b (v1.2.3): Extracting archive\n',
      'Added 1 package: a/b v1.2.3; Package operations: 1 install, 0 updates, 0 removals',
    ],
    [
      'dotnet add package Json',
      "info : PackageReference for package 'Json' version '13.0.3' added to file 'a.csproj'.\n",
      'Added 1 package: Json 13.0.3',
    ],
    [
      './gradlew dependencies',
      '+--- org.slf4j:slf4j-api:2.0.13\n\\--- com.google.guava:guava:33.0.0-jre\n',
      '2 packages: org.slf4j:slf4j-api 2.0.13, com.google.guava:guava 33.0.0-jre',
    ],
    [
      'mvn dependency:tree',
      '[INFO] +- org.slf4j:slf4j-api:jar:2.0.13:compile\n',
      '1 package: org.slf4j:slf4j-api 2.0.13',
    ],
  ] as const)('%s', ([command, text, expected]) => {
    expect(told(command, text)).toBe(expected)
  })

  test('names with versions are kept, and lines of another kind with them', () => {
    const text = 'npm warn deprecated har@1.0.0: use another\n+ zod@4.1.0\n'
    expect(shell('npm i zod', text)?.knowledge).toEqual({
      '$ npm i zod': {
        about: '',
        lines: [
          [0, 'added zod 4.1.0'],
          [0, 'npm warn deprecated har@1.0.0: use another'],
        ],
      },
    })
  })

  test('vulnerabilities found are partial, none is success', () => {
    expect(shell('npm audit', '2 high severity vulnerabilities\n')?.outcome).toBe('partial')
    expect(shell('npm audit', 'found 0 vulnerabilities\n')?.outcome).toBeUndefined()
  })
})

describe('which package failed, and why', () => {
  test.for([
    [
      'npm i react-dom@17',
      'npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error\nnpm error While resolving: p@1.0.0\nnpm error Found: react@18.3.1\nnpm error node_modules/react\nnpm error peer react@"17.0.2" from react-dom@17.0.2\nnpm error A complete log of this run can be found in: /x.log\n',
      `Failed with ERESOLVE: "ERESOLVE unable to resolve dependency tree; Found: react@18.3.1; peer react@'17.0.2' from react-dom@17.0.2"`,
    ],
    [
      'npm i nope',
      "npm ERR! code E404\nnpm ERR! 404 Not Found - GET nope\nnpm ERR! 404\nnpm ERR! 404  'nope@*' is not in this registry.\n",
      `Failed with E404: "404 Not Found - GET nope; 404 'nope@*' is not in this registry."`,
    ],
    [
      'pip install nope',
      'ERROR: Could not find a version that satisfies the requirement nope (from versions: none)\nERROR: No matching distribution found for nope\n',
      'Failed: "Could not find a version that satisfies the requirement nope (from versions: none); No matching distribution found for nope"',
    ],
    [
      'apt-get update && apt-get install -y nope',
      'Reading package lists...\nE: Unable to locate package nope\n',
      'Failed: "Unable to locate package nope"',
    ],
    [
      'cargo add nope',
      '    Updating crates.io index\nerror: the crate `nope` could not be found\n',
      'Failed: "the crate `nope` could not be found"',
    ],
    [
      'go get example.org/x@v9',
      'go: example.org/x@v9: invalid version: unknown revision v9\n',
      'Failed: "example.org/x@v9: invalid version: unknown revision v9"',
    ],
  ] as const)('%s', ([command, text, expected]) => {
    const summary = shell(command, text)
    expect(summary?.summary.replace(/ from \$ .*$/, '')).toBe(expected)
    expect(summary).toMatchObject({ outcome: 'error', failedAttempt: expect.stringContaining('$ ') })
  })

  test('the failure is known without the command', () => {
    const text = 'npm error code E404\nnpm error 404 Not Found - GET nope\n'
    expect(testSummarizer(packages, { tool: 'output', text })?.summary).toMatch(/^Failed with E404: /)
  })
})

test('scripts that a package manager runs, and programs after it, are not its own output', () => {
  for (const command of [
    'npm run build',
    'bun test',
    'cargo build',
    'npm ci && npm test',
    'npx vitest',
    'go vet',
  ])
    expect(shell(command, 'added 12 packages in 2s\n'), command).toBeUndefined()
})

test('a real npm: a package from a folder, and one that is not there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'))
  mkdirSync(join(folder, 'dep'))
  writeFileSync(join(folder, 'dep/package.json'), '{"name": "dep", "version": "1.2.3"}')
  writeFileSync(join(folder, 'package.json'), '{"name": "app", "version": "1.0.0"}')
  const npm = (...args: string[]) => {
    const { stdout, stderr } = spawnSync('npm', [...args, '--offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return `${stdout}${stderr}`
  }
  expect(told('npm install ./dep', npm('install', './dep'))).toMatch(/^Added 1 package\b/)
  expect(told('npm ls', npm('ls'))).toMatch(/^1 package: dep 1\.2\.3/)
  expect(told('npm i ./gone', npm('install', './gone'))).toMatch(/^Failed with ENOENT: /)
  rmSync(folder, { recursive: true, force: true })
})

test('hostile output is answered within bounds', () => {
  for (const text of [
    'npm error 404 x\n'.repeat(10_000),
    `Because ${'depends on requires '.repeat(20_000)}`,
    'Requirement already satisfied: a(('.repeat(10_000),
    `${'├── '.repeat(40_000)}\n${'+- a:1:1:'.repeat(20_000)}`,
    `Package Version\n${'a 1\n'.repeat(50_000)}`,
    `Successfully installed ${'a-1 '.repeat(50_000)}`,
  ])
    expect(JSON.stringify(shell('npm install', text) ?? {}).length).toBeLessThan(40_000)
})
