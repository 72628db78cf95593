import { describe, expect, test } from 'vitest'
import { folderWith, twotrack } from './run.ts'

const PYTEST = `============================= test session starts ==============================
collected 3 items

test_cart.py .F.                                                         [100%]

=================================== FAILURES ===================================
_________________________________ test_total ___________________________________

    def test_total():
>       assert total([2, 3]) == 6
E       assert 5 == 6

test_cart.py:12: AssertionError
=========================== short test summary info ============================
FAILED test_cart.py::test_total - assert 5 == 6
========================= 1 failed, 2 passed in 0.03s ==========================
`

describe('summarize', () => {
  test('recognises a report by itself, and gives its counts', async () => {
    const cwd = folderWith({ 'output.txt': PYTEST })
    const { code, stdout } = await twotrack(cwd, ['summarize', 'output.txt', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ counts: { passed: 2, failed: 1 } })
  })

  test('a command tells what an output is', async () => {
    const cwd = folderWith({ 'output.txt': PYTEST })
    const { code, stdout } = await twotrack(cwd, ['summarize', 'output.txt', '--command', 'pytest -q'])
    expect(code).toBe(0)
    expect(stdout).toContain('1 of 3 tests failed')
    expect(stdout).toContain('test_cart.py:12')
  })

  test('standard input, and text that is no report', async () => {
    const { code, stdout } = await twotrack(folderWith(), ['summarize', '-', '--json'], {
      input: 'all quiet\n',
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).not.toHaveProperty('counts')
  })

  test('a file that is not there is refused', async () => {
    const { code, stderr } = await twotrack(folderWith(), ['summarize', 'nothing.txt'])
    expect(code).toBe(2)
    expect(stderr).toContain('nothing.txt')
  })
})
