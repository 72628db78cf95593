import { describe, expect, test } from 'vitest'
import { packages } from '../../src/summarize/packages/packages.ts'
import { testSummarizer } from '../../src/testing/summarizer.ts'

const shell = (command: string, text: string) =>
  testSummarizer(packages, { tool: 'bash', args: { command }, text })

describe('a package manager', () => {
  test.for([
    [
      'npm install',
      '\nadded 12 packages, and audited 120 packages in 2s\n\n3 vulnerabilities (1 moderate, 2 high)\n',
      'added 12 packages, and audited 120 packages in 2s; 3 vulnerabilities (1 moderate, 2 high)',
    ],
    [
      'cd app && pip install requests 2>&1 | tail -5',
      'Collecting requests\nSuccessfully installed idna-3.20 requests-2.34.2\n',
      'Successfully installed idna-3.20 requests-2.34.2',
    ],
    ['uv run pip install x', 'Successfully installed x-1.0\n', 'Successfully installed x-1.0'],
    ['python3 -m pip install x', 'Successfully installed x-1.0\n', 'Successfully installed x-1.0'],
    [
      'go get example.org/pty',
      'go: downloading example.org/pty v1.1.24\ngo: added example.org/pty v1.1.24\n',
      'go: added example.org/pty v1.1.24',
    ],
    [
      'cargo add nope',
      'error: the crate `nope` could not be found in registry index.',
      'failed, "the crate `nope` could not be found in registry index."',
    ],
    [
      'npm i nope',
      'npm error code E404\nnpm error 404 Not Found - GET https://r.example/nope\nnpm error A complete log of this run can be found in: /x\n',
      'failed, "E404; 404 Not Found - GET https://r.example/nope"',
    ],
  ] as const)('%s', ([command, text, said]) => {
    expect(shell(command, text)?.summary.slice(-said.length)).toBe(said)
  })

  test('what failed is an error, vulnerabilities are partial', () => {
    expect(shell('pip install nope', 'ERROR: No matching distribution found for nope')?.outcome).toBe('error')
    expect(shell('npm audit', '3 vulnerabilities (1 high)')?.outcome).toBe('partial')
    expect(
      shell('npm install', 'up to date, audited 3 packages in 1s\n\nfound 0 vulnerabilities')?.outcome,
    ).toBeUndefined()
  })

  test('scripts that it runs are not its own', () => {
    expect(shell('npm test', 'added 3 packages')).toBeUndefined()
    expect(shell('npm install && npm test', 'added 3 packages')).toBeUndefined()
  })
})
