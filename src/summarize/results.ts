import type { Json } from '../core/event/json.ts'

/** Results of actions that outlive them, by the words with which programs tell of them: `fact` names it, the rest is what. */
const RESULTS: readonly {
  readonly fact: (match: RegExpExecArray) => readonly [name: string, value: string]
  readonly told: RegExp
}[] = [
  {
    told: /^\[([\w./-]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (\S.{0,160})$/m,
    fact: ([, branch, commit, subject]) => [`commit ${commit}`, `"${subject}" on ${branch}`],
  },
  {
    told: /^Switched to (?:a new )?branch '([^'\n]{1,120})'$/m,
    fact: ([, branch]) => ['branch', `${branch}`],
  },
  {
    told: /^[ \t]+(?:[0-9a-f]{7,}\.{2,3}([0-9a-f]{7,})|\* \[new branch\])[ \t]+(\S+) -> (\S+)$/m,
    fact: ([, commit = '', from, to]) => [`pushed ${to}`, `${from} ${commit}`.trim()],
  },
  {
    told: /^(?:Created |Opened )?(https?:\/\/\S+\/(?:pull|merge_requests|issues|releases\/tag)\/[\w.-]+)$/m,
    fact: ([, address]) => ['created', `${address}`],
  },
  {
    told: /^Successfully (?:installed|built|created|deployed|published) (\S.{0,160})$/m,
    fact: ([whole]) => ['installed', whole],
  },
  {
    told: /\b(?:listening|running|serving|available|started)\b.{0,40}?(https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0)[:\d]*)/i,
    fact: ([, address]) => ['server', `${address}`],
  },
]
const VERSION =
  /^(?:([A-Za-z][\w .+-]{0,40}?)[ ,]+)?(?:version )?v?(\d+\.\d+(?:\.\d+)?[\w.+-]{0,24})\b.{0,80}$/
const CHARS_MAX = 40_000

/** What an output states that stays so: commits, branches, versions, addresses. */
export function resultsIn(output: string, command: string): Record<string, Json> {
  const text = output.slice(0, CHARS_MAX)
  const facts = new Map<string, Json>()
  for (const { told, fact } of RESULTS) {
    const match = told.exec(text)
    if (match) facts.set(...(fact(match) as [string, string]))
  }
  const first = text.split('\n', 1)[0] ?? ''
  const [, program = '', version] =
    (/(?:^|\s)-{1,2}v(?:ersion)?\b|\bversion\b/i.test(command) && VERSION.exec(first)) || []
  if (version !== undefined)
    facts.set(`version of ${program === '' ? command.split(' ', 1)[0] : program}`, version)
  return Object.fromEntries(facts)
}
