import { onOneLine } from '../text/lines.ts'
import { specificNames } from '../text/names.ts'

/** What the words of a sentence tell of it. The first group of cues that one stands in counts; add rows as needed. */
const CUES: readonly {
  readonly says: 'found' | 'chose' | 'failed' | 'states'
  readonly score: number
  readonly cue: RegExp
}[] = [
  {
    says: 'found',
    score: 8,
    cue: /\b(?:root cause|culprit|(?:real|actual|underlying|core) (?:cause|reason|bug|issue|problem)|turns out|caused by)\b/i,
  },
  {
    says: 'found',
    score: 6,
    cue: /\b(?:the (?:main )?(?:cause|reason|bug|fix|solution|answer|key)\b.{0,60}\b(?:is|was|are|lies|comes)|that(?:'s| is) (?:why|because)|this is (?:why|because)|the (?:problem|issue|error|failure|difference)\b.{0,60}\b(?:is|was|are|lies|comes|happens|occurs))\b/i,
  },
  {
    says: 'found',
    score: 5,
    cue: /\b(?:(?:this|which) (?:means|explains|confirms|proves|shows|is why|causes|breaks))\b/i,
  },
  {
    says: 'failed',
    score: 4,
    cue: /\b(?:(?:did|does|do|was|is|are|were|has|have|could|would|can) ?n(?:o|')t (?:\w+ ){0,2}(?:work|exist|match|support|run|build|compile|pass|fix|help|find|apply|handle|load|available|found|installed)(?:e?s|e?d|ing)?\b|did ?n(?:o|')t (?:\w+ly )?(?:catch|take|remove|include|pick|clear|respect|reach|trigger|happen|show|update|cover|stop|appear)|too (?:strict|broad|slow|narrow|greedy)|still (?:fail|broken|wrong|the same|not)\w*|(?:fails|failed|failing|broke|breaks|broken|crash\w*) (?:because|since|with|on|at|due|when|for|as)|no effect|wrong (?:approach|place|file|assumption)|my (?:mistake|error|first (?:try|attempt|pass|version|fix)|earlier (?:fix|change|assumption))|i (?:mis\w+|made an? (?:mistake|error)|broke|forgot)|revert\w*|unfortunately|not what)\b/i,
  },
  {
    says: 'chose',
    score: 4,
    cue: /\b(?:instead(?: of)?|rather than|decid\w+|i(?:'ll| will| should| can| need to| am going to| chose| prefer)\b.{0,80}\b(?:because|since|so that|to avoid|to keep|to preserve|to ensure|without)|better (?:to|approach|way|option)|best (?:to|approach|way|option)|safer|simplest|cleaner|the right (?:way|place|approach|fix)|so that|to avoid|in order to|on purpose|deliberate\w*|must (?:not|be|stay|keep)|should (?:not|be|stay|keep|come|go)|needs? to be)\b/i,
  },
  {
    says: 'found',
    score: 2,
    cue: /\b(?:because|due to|therefore|thus|hence|since|i(?:'m)? (?:see(?:ing)?|found|understand|realiz(?:ed?|ing)|notic(?:ed?|ing)|learned|confirmed|verified|know)|found (?:it|that|the)|confirm(?:s|ed)|it (?:seems|looks like|appears)|looks like|actually|in fact|the only|only (?:when|if|one)|already|is (?:missing|wrong|incorrect|correct|unrelated|expected|defined|called|used|set|handled)|are (?:missing|wrong|unrelated|expected|identical|defined|called|used)|(?:is|are|was|were|do|does|has|have|can|could|would)(?:n't| not)|cannot|never|no longer|passes|passing|succeeded|works|worked|clean)\b/i,
  },
  // What is neither asked nor announced is a statement: what it names makes it worth knowing.
  { says: 'states', score: 1, cue: /^/ },
]

/** What only says what is done next. */
const ANNOUNCES =
  /^(?:(?:wait|hmm|oh|ok(?:ay)?|good|great|perfect|excellent|right|now|next|then|first|also|so|and|but|alright)\b[,.!:;]?\s+)*(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|i should|i want to|we need to|we should|we can|i can|i'm (?:thinking|considering|wondering|planning|weighing)|now|next|checking|running|looking|reading|verifying)\b/i
/** What the task says is known. */
const RECITES =
  /\b(?:(?:PR|issue|task|problem) (?:description|statement)|the user (?:said|says|asked|wants))\b/i
/** What the model says of itself is no finding by that alone. */
const TELLS_OF_ITSELF = /^(?:(?:wait|so|but|and|or|also|then),? )*(?:in `[^`]+`, )?(?:i|we)\b/i
/** What is only supposed may turn out otherwise. */
const SUPPOSES =
  /\b(?:maybe|perhaps|possibly|probably|likely|might be|must be|not sure|i bet|i (?:think|wonder|guess)|let me (?:check|see|verify) (?:if|whether))\b/i
/** The first sentence after a result says what was seen in it. */
const FIRST = 1
const CHARS_MIN = 24
/** A shorter sentence tells nothing by itself. */
const WORDS_MIN = 5
/** "Great, the issue is reproduced." */
const WORDS_WITHOUT_NAMES_MIN = 8
const PLAIN_WORDS_MIN = 2
const CHARS_MAX = 300
/** Of what is longer only both ends are listened to. */
const TEXT_CHARS_MAX = 24_000
const SENTENCES_MAX = 400

/** A sentence, and what its words make it. */
export interface Sentence {
  readonly text: string
  readonly says: (typeof CUES)[number]['says'] | 'nothing'
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
  let [head, isNear] = ['', true]
  for (const line of prose.split('\n')) {
    const own = onOneLine(line.replace(ITEM, ''))
    isNear &&= own !== ''
    if (own === '') continue
    // What a line that ends in a colon speaks of stands right behind it, or in a list.
    if (isCode(line) || !(isNear || ITEM.test(line))) head = ''
    isNear = true
    if (isCode(line)) continue
    if (/^[^.!?]{3,70}:\**$/.test(own)) {
      head = `${own} `
      continue
    }
    for (const part of own.split(END)) {
      if (found.length === SENTENCES_MAX) return found
      const isFirst = found.every(({ says }) => says === 'nothing')
      found.push(sentenceOf(`${head}${part}`.trim(), isFirst))
      head = ''
    }
  }
  return found
}

const ITEM = /^\s*(?:[-*+•>]|\d+[.)]|#{1,6})\s+/
/** Where a sentence ends; one does not after `e.g.` */
const END = /(?<=[.!?]["')\]*]{0,3})(?<!\b(?:e\.g|i\.e|vs|cf)\.)\s+(?=["'(*]{0,3}[\p{Lu}\d`])/u

/** Indented by four, a row of a table, or with more signs than words. */
const isCode = (line: string): boolean =>
  /^(?: {4,}|\t)\S|^ *\|.*\|$/.test(line) ||
  (line.match(/[{}()[\];=<>|\\]/g)?.length ?? 0) * 6 > line.trim().length + 12

function sentenceOf(sentence: string, isFirst: boolean): Sentence {
  const text =
    sentence.length <= CHARS_MAX ? sentence : `${sentence.slice(0, sentence.lastIndexOf(' ', CHARS_MAX))} …`
  // Two stars may be emphasis or code (`2**10`), which nobody may change: only cues look past them.
  return { text, ...judged(text.replaceAll('**', ''), isFirst) }
}

function judged(text: string, isFirst: boolean): Omit<Sentence, 'text'> {
  const announces = ANNOUNCES.test(text)
  // What is asked, quoted or only supposed was not found.
  const isOpen = /\?["')]*$|^["'“]|^(?:(?:so|but|and|wait|now|then),? )*if\b/i.test(text)
  const words = text.split(' ').length
  const isShort = text.length < CHARS_MIN || words < WORDS_MIN
  const said = isShort || isOpen || RECITES.test(text) ? undefined : CUES.find(({ cue }) => cue.test(text))
  if (!said) return { says: 'nothing', announces, score: 0 }
  const quoted = text.match(/`[^`]+`/g)?.length ?? 0
  const states = said.says === 'states'
  const names = Math.min(states ? 2 : 3, Math.max(quoted, specificNames(text).length))
  const supposes = SUPPOSES.test(text)
  const doubts = [
    states && (TELLS_OF_ITSELF.test(text) || isMostlyCode(text)),
    announces && (said.score < 6 || supposes),
    supposes,
    names === 0 && words < WORDS_WITHOUT_NAMES_MIN && !(isFirst && said.says === 'failed'),
  ]
  const first = isFirst && (said.says === 'failed' || (states && names === 1)) ? FIRST : 0
  const score = said.score + names + first - 3 * doubts.filter((one) => one).length
  return { says: said.says, announces, score: Math.max(0, score) }
}

/** Outside of what is marked as code there is code, or too little else. */
function isMostlyCode(text: string): boolean {
  const plain = text.replace(/`[^`]*`/g, ' ')
  return /[;{}]|=>|==|\)\./.test(plain) || (plain.match(/\p{L}{2,}/gu)?.length ?? 0) < PLAIN_WORDS_MIN
}

/**
 * The sentence with which a change was announced: the last that says what is done, else the last. What it speaks of without
 * naming it (`I'll add it after …`) the sentence before it names.
 */
export function announcementIn(text: string, charsMax: number): string | undefined {
  const sentences = sentencesIn(text).filter(({ text: said }) => said.length >= 12)
  const last = sentences.findLastIndex(({ announces, says }) => announces || says === 'chose')
  const at = last < 0 ? sentences.length - 1 : last
  const [before, found] = [sentences[at - 1]?.text, sentences[at]?.text.replace(/\s*:(\**)$/, '$1')]
  const isWhole = before === undefined || !/\b(?:it|them|this|that|these|those)\b/i.test(found ?? '')
  return isWhole || `${before} ${found}`.length > charsMax ? found?.slice(0, charsMax) : `${before} ${found}`
}

/** Whether a sentence says again what a line of a text says. */
export function saysAgain(sentence: string, lines: readonly ReadonlySet<string>[]): boolean {
  const words = [...wordsIn(sentence)]
  return lines.some((line) => words.filter((word) => line.has(word)).length * 3 >= words.length * 2)
}

const TOLD_CHARS_MAX = 16_000

export const wordsOfLines = (text: string): ReadonlySet<string>[] =>
  text
    .slice(0, TOLD_CHARS_MAX)
    .split('\n')
    .map(wordsIn)
    .filter(({ size }) => size >= WORDS_MIN)

const wordsIn = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu))
