import type { ComponentChildren } from 'preact'

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

const WORDS: Readonly<Record<string, string>> = {
  done: 'done',
  failed: 'failed',
  open: 'at work',
  damaged: 'damaged',
}

/** How an agent stands, as a sign that is not only a colour. */
export const StandingMark = ({ outcome }: { readonly outcome: string }) => (
  <span
    class={`mark ${outcome}`}
    role="img"
    aria-label={WORDS[outcome] ?? outcome}
    title={WORDS[outcome] ?? outcome}
  />
)

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
