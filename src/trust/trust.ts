import { TwotrackError } from '../errors.ts'
import { sha256 } from '../sha256.ts'

/** Something a project brings that runs code or decides where text goes. It is used only once a person trusts it. */
export interface TrustRequest {
  /**
   * `agent`: its definition, scripts and modules · `settings` of twotrack.yaml · `linter`: the project's tools · `tests` of
   * the project · `logs` that need not be the person's.
   */
  readonly kind: 'agent' | 'settings' | 'linter' | 'tests' | 'logs'
  readonly name: string
  /** All of it, as it is shown to the person. Other text is another request. */
  readonly text: string
}

/** Whether a person trusts this, exactly as it is now. */
export type Trusts = (request: TrustRequest) => boolean

/** What a decision is remembered by. */
export const digestOf = ({ kind, name, text }: TrustRequest): string =>
  sha256(JSON.stringify([kind, name, text]))

/**
 * Throws `untrusted` unless a person trusts it. A tool calls it with its context before it runs or loads what the
 * project brings; its `trustRequests` say the same in advance, so that a person is asked before the agent begins.
 */
export function requireTrust({ trusts }: { readonly trusts?: Trusts }, request: TrustRequest): void {
  if (trusts?.(request) !== true) throw untrusted([request])
}

export function untrusted(requests: readonly TrustRequest[]): TwotrackError {
  const names = requests.map(({ kind, name }) => `${kind} ${name}`)
  return new TwotrackError(
    'untrusted',
    `Not trusted yet: ${names.join(', ')}. It would run with your rights, or decide where your text goes, so you are asked once. ` +
      'See all of it and decide: "twotrack trust"; for one command: --trust.',
    {
      details: {
        requests: requests.map((one) => ({ kind: one.kind, name: one.name, digest: digestOf(one) })),
      },
    },
  )
}

/** The tests of a project are code, and so is everything they import: no digest could cover it. */
export const projectTests: TrustRequest = {
  kind: 'tests',
  name: 'of this project',
  text: 'The tests of this project, their configuration and all code that they import, as it is now and as it will be, run with your rights.\n',
}
