import { checkUp, type DoctorOptions } from '../../app/doctor.ts'
import { type CommandWords, MODEL, TRUST } from '../command.ts'
import { terminal } from '../front.ts'
import { type Found, paint, safe, wrapped } from '../output.ts'

/** Looks at everything a run needs and says what is missing. */
async function doctorCommand(options: DoctorOptions): Promise<Found> {
  const found = await checkUp(options, terminal)
  return {
    json: found,
    code: found.every(({ ok }) => ok) ? 0 : 1,
    lines: () =>
      found.map(({ what, ok, says }) =>
        wrapped(`${ok ? paint('green', '✓') : paint('red', '✗')} ${what}: ${safe(says)}`, 0, 2),
      ),
  }
}

export default {
  examples: ['doctor', 'doctor --model ollama:qwen3', 'doctor --json'],
  options: [...MODEL, TRUST],
  call: doctorCommand,
} satisfies CommandWords
