/** Counts tokens. Pure and synchronous: the bound asks it while folding a view. */
export interface Tokenizer {
  /** Recorded in `run_start`; a replay needs the tokenizer of that name. */
  readonly name: string
  count(text: string): number
}
