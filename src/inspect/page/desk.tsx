import type { InspectedTurn } from '../../app/inspected/turn.ts'
import { visible } from '../../audit/visible.ts'

const STATUS = { open: 'to do', active: 'in work', done: 'done', dropped: 'dropped' } as const

/** Plan, files, facts and open problems, as they were when the calls of the turn were chosen. */
export function DeskPanel({ packet }: { readonly packet: InspectedTurn['packet'] }) {
  const { plan, files, changed, diagnostics, knowledge, omitted } = packet
  const facts = Object.entries(knowledge)
  const isEmpty = [plan, files, changed, diagnostics, facts].every(({ length }) => length === 0)
  if (isEmpty) return <p class="empty small">No plan, no file and no fact was on the desk yet.</p>
  return (
    <div class="desk">
      {plan.length > 0 && (
        <section>
          <h3>Plan</h3>
          <ul class="plan">
            {plan.map(({ text, status }) => (
              <li key={text} class={status}>
                <span class={`status ${status}`}>{STATUS[status]}</span> {visible(text)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {diagnostics.length > 0 && (
        <section>
          <h3>Open problems</h3>
          <ul class="problems">
            {diagnostics.map((text) => (
              <li key={text}>{visible(text)}</li>
            ))}
          </ul>
        </section>
      )}
      {files.length > 0 && (
        <section>
          <h3>Files as they were</h3>
          {files.map(({ path, text }) => (
            <details key={path} open={files.length < 3}>
              <summary>
                {visible(path)} {changed.some((one) => one.path === path) && <span class="tag">changed</span>}
              </summary>
              <pre>{visible(text)}</pre>
            </details>
          ))}
        </section>
      )}
      {facts.length > 0 && (
        <section>
          <h3>Known</h3>
          <dl>
            {facts.map(([name, { value, source_turn, stale }]) => (
              <div key={name}>
                <dt>{visible(name)}</dt>
                <dd>
                  {visible(typeof value === 'string' ? value : JSON.stringify(value))}{' '}
                  <small>
                    since turn {source_turn}
                    {stale === null ? '' : ', before the last change'}
                  </small>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {omitted.length > 0 && (
        <section>
          <h3>Left out for want of space</h3>
          <ul>
            {omitted.map((text) => (
              <li key={text}>{visible(text)}</li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
