import type { Event } from '../event/event.ts'
import { remark, safe } from './output.ts'

const BAR_CHARS = 24
const SHOWN_MAX = 10

/** How a run goes, on standard error: a live view on a terminal, a plain line per ended agent elsewhere. */
export interface Progress {
  begin(agentId: string, what: string): void
  happened(event: Event): void
  end(agentId: string, line: string): void
  /** A line about the run as a whole. */
  tell(line: string): void
  /** Leaves the terminal to a question, until it is released. */
  hold(): void
  release(): void
  close(): void
}

export function progressOf(total: number): Progress {
  return process.stderr.isTTY ? liveView(total) : plainLines(total)
}

function plainLines(total: number): Progress {
  let ended = 0
  return {
    begin() {},
    happened() {},
    end(_agentId, line) {
      remark(`[${++ended}/${total}] ${safe(line)}`)
    },
    tell: (line) => remark(safe(line)),
    hold() {},
    release() {},
    close() {},
  }
}

function liveView(total: number): Progress {
  const active = new Map<string, { what: string; line: string; tokens: number }>()
  let ended = 0
  let drawn = 0
  let held = false
  const wipe = () => {
    if (drawn > 0) process.stderr.write(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }
  const draw = () => {
    if (held) return
    wipe()
    const width = process.stderr.columns || 80
    const full = Math.round((BAR_CHARS * ended) / Math.max(1, total))
    const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CHARS - full)}`
    // What scrolled out of a low terminal could not be wiped again.
    const shown = Math.min(SHOWN_MAX, Math.max(0, (process.stderr.rows || SHOWN_MAX + 3) - 3))
    const rows = [...active.values()].slice(0, shown).map(({ what, line }) => `  ${what}  ${line}`)
    if (active.size > shown) rows.push(`  and ${active.size - shown} more`)
    const lines = [`${bar} ${ended} of ${total}`, ...rows].map((line) => cutTo(line, width - 1))
    process.stderr.write(`${lines.join('\n')}\n`)
    drawn = lines.length
  }
  return {
    begin(agentId, what) {
      active.set(agentId, { what: safe(what), line: 'starting', tokens: 0 })
      draw()
    },
    happened(event) {
      const row = active.get(event.agent_id)
      if (!row) return
      if (event.type === 'model_request' && event.data.purpose === 'turn')
        row.tokens += event.data.prompt_tokens
      if (event.type !== 'tool_result') return
      const what = event.delta?.add_action?.[0]?.summary ?? event.data.tool
      row.line = safe(`turn ${event.turn} · ${row.tokens} tokens · ${what}`)
      draw()
    },
    end(agentId, line) {
      active.delete(agentId)
      ended++
      wipe()
      remark(safe(line))
      draw()
    },
    tell(line) {
      wipe()
      remark(safe(line))
      draw()
    },
    hold() {
      wipe()
      held = true
    },
    release() {
      held = false
      draw()
    },
    close() {
      wipe()
    },
  }
}

const cutTo = (text: string, width: number): string =>
  [...text].length > width ? `${[...text].slice(0, width - 1).join('')}…` : text
