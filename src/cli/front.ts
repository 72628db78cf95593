import type { Front } from '../app/front.ts'
import type { TrustRequest } from '../trust/trust.ts'
import { paint, remark, safe, wrapped } from './output.ts'
import { askYes } from './terminal.ts'

/** The person at the terminal. */
export const terminal: Front = {
  note: (line) => remark(wrapped(`twotrack: ${safe(line)}`)),
  agrees: agreed,
}

/** Whether somebody is there who can be asked. */
export const isAtTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** Shows all of it and waits for a yes. Without a terminal nobody is there to give one. */
async function agreed(requests: readonly TrustRequest[], project: string): Promise<boolean> {
  if (!isAtTerminal()) return false
  remark(
    `${safe(project)} brings what would run with your rights, or decide where your text goes. What you trust is used from now on without asking:\n`,
  )
  for (const request of requests) remark(requestText(request))
  return askYes(
    'Do you trust it? You are asked again only when something other than what is shown here is to be used. [y/N] ',
  )
}

/** All of a request, nothing in it hidden from the eye. */
export const requestText = ({ kind, name, text }: TrustRequest): string =>
  [
    paint('bold', `${kind} ${safe(name)}`),
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${safe(line)}`),
    '',
  ].join('\n')
