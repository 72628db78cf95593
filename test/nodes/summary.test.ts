import { expect, test } from 'vitest'
import { parseNodes } from '../../src/nodes/parse.ts'
import { codeSummary } from '../../src/nodes/summary.ts'

test('says what a file defines, and what a function is', async () => {
  const { nodes } = await parseNodes(
    'shop/stock.py',
    '"""What is there."""\n\nclass Stock:\n    def put(self, n: int) -> None:\n        """Puts n."""\n\ndef total():\n    return 1\n',
  )
  const summaryOf = (key: string) => {
    const node = nodes.find((one) => one.key === key)
    return node && codeSummary(node, nodes)
  }
  expect(summaryOf('shop/stock.py')).toBe(
    'shop/stock.py, 8 lines at the start: What is there. Defines Stock (put), total.',
  )
  expect(summaryOf('shop/stock.py:Stock.put')).toBe('def put(self, n: int) -> None: Puts n.')
  const { nodes: none } = await parseNodes('empty.py', '')
  expect(none[0] && codeSummary(none[0], none)).toMatch(/^empty\.py, .*Defines nothing that has a name\.$/)
})
