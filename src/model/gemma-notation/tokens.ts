/** FunctionGemma's control tokens, as its tokenizer spells them. */
export const BOS = '<bos>'
export const TURN = '<start_of_turn>'
export const END_TURN = '<end_of_turn>'
export const DECLARATION = '<start_function_declaration>'
export const END_DECLARATION = '<end_function_declaration>'
export const CALL = '<start_function_call>'
export const END_CALL = '<end_function_call>'
export const RESPONSE = '<start_function_response>'
export const END_RESPONSE = '<end_function_response>'
export const ESCAPE = '<escape>'

const ALL = [
  ...[BOS, '<eos>', '<pad>', '<unk>', '<mask>', TURN, END_TURN, ESCAPE],
  ...[DECLARATION, END_DECLARATION, CALL, END_CALL, RESPONSE, END_RESPONSE],
]

/**
 * Text that holds no control token: each loses the bracket that made it one. Everything else stays as it is,
 * tabs and line breaks included, because arguments may be code.
 */
export function withoutTokens(text: string): string {
  return text.includes('<')
    ? ALL.reduce((left, token) => left.replaceAll(token, `‹${token.slice(1)}`), text)
    : text
}
