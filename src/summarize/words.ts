import { onOneLine } from '../text/lines.ts'
import { specificNames } from '../text/names.ts'

/** What the words of a sentence tell of it. The first group of cues that one stands in counts; add rows as needed. */
const CUES: readonly {
  readonly says: 'found' | 'chose' | 'failed'
  readonly score: number
  readonly cue: RegExp
}[] = [
  {
    says: 'found',
    score: 6,
    cue: /\b(?:root cause|the (?:real |actual |main |underlying |core )?(?:cause|culprit|reason|bug|fix|solution|answer|key)\b.{0,60}\b(?:is|was|are|lies|comes)|turns out|caused by|this (?:means|explains|confirms|proves|shows)|that(?:'s| is) (?:why|because)|this is (?:why|because)|which (?:means|is why|explains|causes|breaks)|the (?:problem|issue|error|failure|difference)\b.{0,60}\b(?:is|was|are|lies|comes|happens|occurs))\b/i,
  },
  {
    says: 'failed',
    score: 4,
    cue: /\b(?:(?:did|does|do|was|is|are|were|has|have|could|would|can) ?n(?:o|')t (?:\w+ ){0,2}(?:work|exist|match|support|run|build|compile|pass|fix|help|find|apply|handle|load|available|found|installed)(?:e?s|e?d|ing)?\b|still (?:fail|broken|wrong|the same|not)\w*|(?:fails|failed|failing|broke|breaks|broken|crash\w*) (?:because|since|with|on|at|due|when|for|as)|no effect|wrong (?:approach|place|file|assumption)|my (?:mistake|error|first (?:try|attempt|pass|version|fix)|earlier (?:fix|change|assumption))|i (?:mis\w+|made an? (?:mistake|error)|broke|forgot)|revert\w*|unfortunately|not what)\b/i,
  },
  {
    says: 'chose',
    score: 4,
    cue: /\b(?:instead(?: of)?|rather than|decid\w+|i(?:'ll| will| should| can| need to| am going to| chose| prefer)\b.{0,80}\b(?:because|since|so that|to avoid|to keep|to preserve|to ensure|without)|better (?:to|approach|way|option)|best (?:to|approach|way|option)|safer|simplest|cleaner|the right (?:way|place|approach|fix)|so that|to avoid|in order to|on purpose|deliberate\w*|must (?:not|be|stay|keep)|should (?:not|be|stay|keep|come|go)|needs? to be)\b/i,
  },
  {
    says: 'found',
    score: 2,
    cue: /\b(?:because|due to|therefore|thus|hence|since|i (?:see|found|understand|realized?|notice|noticed|learned|confirmed|verified|know)|found (?:it|that|the)|confirm(?:s|ed)|it (?:seems|looks like|appears)|looks like|actually|in fact|the only|only (?:when|if|one)|already|is (?:missing|wrong|incorrect|correct|unrelated|expected|defined|called|used|set|handled)|are (?:missing|wrong|unrelated|expected|identical|defined|called|used)|not (?:related|caused|needed|necessary|affected)|passes|passing|succeeded|works|worked|clean)\b/i,
  },
]

/** What only says what is done next. */
const ANNOUNCES =
  /^(?:(?:wait|hmm|oh|ok(?:ay)?|good|great|perfect|excellent|right|now|next|then|first|also|so|and|but|alright)\b[,.!:;]?\s+)*(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|i should|i want to|we need to|we should|we can|i can|i'm (?:thinking|considering|wondering|planning|weighing)|now|next|checking|running|looking|reading|verifying)\b/i
/** What is only supposed may turn out otherwise, and what the task says is known. */
const SUPPOSES =
  /\b(?:(?:PR|issue|task|problem) (?:description|statement)|the user (?:said|says|asked|wants)|maybe|perhaps|possibly|might be|not sure|i (?:think|wonder|guess)|let me (?:check|see|verify) (?:if|whether))\b/i
const CHARS_MIN = 24
/** A shorter sentence tells nothing by itself. */
const WORDS_MIN = 5
/** "Great, the issue is reproduced." */
const WORDS_WITHOUT_NAMES_MIN = 8
const CHARS_MAX = 300
/** Of what is longer only both ends are listened to. */
const TEXT_CHARS_MAX = 24_000
const SENTENCES_MAX = 400

/** A sentence, and what its words make it. */
export interface Sentence {
  readonly text: string
  readonly says: 'found' | 'chose' | 'failed' | 'nothing'
  readonly announces: boolean
  readonly score: number
}

/** The sentences of prose as they stand in it, without blocks of code and the marks of headings and lists. */
export function sentencesIn(text: string): Sentence[] {
  const whole =
    text.length <= TEXT_CHARS_MAX
      ? text
      : `${text.slice(0, TEXT_CHARS_MAX >> 1)}\n${text.slice(-TEXT_CHARS_MAX >> 1)}`
  const prose = whole.replace(/```[\s\S]*?(?:```|$)/g, '\n').replace(/^[ \t]*<\/?[\w-]+>[ \t]*$/gm, '')
  const found: Sentence[] = []
  let head = ''
  for (const line of prose.split('\n')) {
    const own = onOneLine(line.replace(/^\s*(?:[-*+•>]|\d+[.)]|#{1,6})\s+/, ''))
    if (own === '' || isCode(line)) continue
    // What a line that ends in a colon speaks of stands behind it.
    if (/^[^.!?]{3,70}:\**$/.test(own)) {
      head = `${own} `
      continue
    }
    for (const part of own.split(/(?<=[.!?]["')\]*]{0,3})\s+(?=["'(*]{0,3}[\p{Lu}\d`])/u)) {
      if (found.length === SENTENCES_MAX) return found
      found.push(sentenceOf(`${head}${part}`.trim()))
      head = ''
    }
  }
  return found
}

/** Indented by four, a row of a table, or with more signs than words. */
const isCode = (line: string): boolean =>
  /^(?: {4,}|\t)\S|^ *\|.*\|$/.test(line) ||
  (line.match(/[{}()[\];=<>|\\]/g)?.length ?? 0) * 6 > line.trim().length + 12

function sentenceOf(sentence: string): Sentence {
  const text =
    sentence.length <= CHARS_MAX ? sentence : `${sentence.slice(0, sentence.lastIndexOf(' ', CHARS_MAX))} …`
  // Two stars may be emphasis or code (`2**10`), which nobody may change: only cues look past them.
  return { text, ...judged(text.replaceAll('**', '')) }
}

function judged(text: string): Omit<Sentence, 'text'> {
  const announces = ANNOUNCES.test(text)
  // What is asked, quoted or only supposed was not found.
  const isOpen = /\?["')]*$|^["'“]|^(?:(?:so|but|and|wait|now|then),? )*if\b/i.test(text)
  const said =
    text.length < CHARS_MIN || isOpen || text.split(' ').length < WORDS_MIN
      ? undefined
      : CUES.find(({ cue }) => cue.test(text))
  if (!said) return { says: 'nothing', announces, score: 0 }
  const quoted = text.match(/`[^`]+`/g)?.length ?? 0
  const names = Math.min(3, Math.max(quoted, specificNames(text).length))
  const isEmpty = names === 0 && text.split(' ').length < WORDS_WITHOUT_NAMES_MIN
  const doubt = (announces && said.score < 6) || SUPPOSES.test(text) || isEmpty ? 3 : 0
  const score = Math.max(0, said.score + names - doubt)
  return { says: said.says, announces, score }
}

/** The sentence with which a change was announced: the last that says what is done, else the last. */
export function announcementIn(text: string): string | undefined {
  const sentences = sentencesIn(text).filter(({ text: said }) => said.length >= 12)
  const found = sentences.findLast(({ announces, says }) => announces || says === 'chose') ?? sentences.at(-1)
  return found?.text.replace(/\s*:(\**)$/, '$1')
}
