import type { ComponentChildren } from 'preact'
import type { AgentSummary } from '../../run/agent-summary.ts'

/** What stands above every page. */
export const Top = ({ children }: { readonly children?: ComponentChildren }) => (
  <header class="top">
    <a class="brand" href="#/" aria-label="Twotrack: all agents">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 8h18" />
        <path d="M3 16h8" />
      </svg>
      Twotrack
    </a>
    {children}
  </header>
)

/** How an agent stands, as a sign that is not only a colour. */
export const StandingMark = ({ of: { outcome, standing } }: { readonly of: AgentSummary }) => {
  const words = standing === 'open' ? 'at work' : standing.replaceAll('_', ' ')
  return <span class={`mark ${outcome} ${standing}`} role="img" aria-label={words} title={words} />
}

export const Failure = ({ text }: { readonly text: string }) => (
  <p class="failure" role="alert">
    {text}
  </p>
)

export const Waiting = ({ what }: { readonly what: string }) => (
  <p class="waiting" role="status">
    {what}
  </p>
)
