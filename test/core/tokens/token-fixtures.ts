/** Texts in the shape of what is counted, with the exact Gemma 3 counts as measured. */
export const FIXTURES: Readonly<Record<string, { readonly text: string; readonly exact: number }>> = {
  outline: {
    text: `goal: make the invoice totals agree with the ledger
turn 14
recent:
[11] Bash pytest -q tests/test_totals.py: 2 of 5 failed
[12] Read src/billing/invoice.py: 212 lines, class Invoice, def add_line, def total_cents
[13] Grep "round_half_even": src/billing/money.py:41, src/billing/money.py:77, tests/test_money.py:9
[14] Edit src/billing/invoice.py: replaced 3 lines at 120
known:
src/billing/money.py:41 def round_half_even(amount: Decimal, places: int = 2) -> Decimal:
src/billing/invoice.py:120 self.lines.append(InvoiceLine(sku, quantity, unit_price_cents))
failing_tests: test_total_with_discount, test_total_rounds_once
diagnostics:
src/billing/invoice.py:128:9 error TS2345: Argument of type 'string' is not assignable to parameter
focus src/billing/invoice.py:118
118	    def total_cents(self) -> int:
119	        subtotal = sum(line.unit_price_cents * line.quantity for line in self.lines)
120	        return int(round_half_even(Decimal(subtotal) * (1 - self.discountRate)))
+12 older actions (refs 3-38)
`,
    exact: 367,
  },
  json: {
    text: JSON.stringify({
      packet_version: 1,
      agent_id: 'lint-7f3a',
      turn: 6,
      goal: 'Remove unused imports in src/',
      recent_actions: [
        { turn: 5, tool: 'run_linter', summary: '3 issues, 2 fixable', outcome: 'partial', ref: 17 },
        { turn: 6, tool: 'apply_fix', summary: 'F401 fixed at line 3', outcome: 'success', ref: 20 },
      ],
      knowledge: { lint_errors_remaining: { value: 2, source_turn: 5 } },
      constraints: { max_turns: 15, safety: ['never write outside src/'] },
    }),
    exact: 134,
  },
  code: {
    text: `export const parseHeader = (line: string): Header | undefined => {
  const colon = line.indexOf(':')
  if (colon <= 0) return undefined
  return { name: line.slice(0, colon).toLowerCase(), value: line.slice(colon + 1).trim() }
}
`,
    exact: 69,
  },
  prose: {
    text: 'The second attempt failed for the same reason as the first: the cache was filled before the clock had been set, so every entry looked older than it was. Clearing it by hand makes the test pass, which hides the defect.',
    exact: 46,
  },
  digits: { text: '20261115 3.14159265358979 0x7f23b2e35cc0', exact: 39 },
  'white space': { text: 'a  b\n\n\n\tc        d\n', exact: 9 },
  hex: { text: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', exact: 59 },
  tree: {
    text: '├── src\n│   ├── main.ts\n│   └── limits.ts\n└── test ✓ → done\n────────────────\n',
    exact: 25,
  },
  'control tokens': { text: '<start_of_turn>user hello<end_of_turn>', exact: 4 },
  emoji: { text: '🚀🔥👩‍💻🇨🇭', exact: 7 },
  chinese: { text: '测试失败：第十二行缺少括号。', exact: 9 },
  german: { text: 'Die Prüfung schlägt fehl, weil der Schlüssel für größere Einträge fehlt.', exact: 15 },
}
