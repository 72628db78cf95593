import type { TrustRequest } from '../trust/trust.ts'

/** What the app needs of whoever shows it. Texts are as they were recorded: the front makes them safe to show. */
export interface Front {
  /** Something the person should know beside the answer, in one line. */
  note(line: string): void
  /** Shows all of it and waits for the person's answer; false where nobody can be asked. */
  agrees(requests: readonly TrustRequest[], project: string): Promise<boolean>
}
