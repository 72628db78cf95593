/**
 * The control tokens of model families with public weights. Where a prompt is made into tokens by a server, a text that
 * spells one of these becomes it, so none may stand in a prompt unless the template put it there.
 *
 * Sources: `T` is the family's chat template as llama.cpp carries it (models/templates/), `V` the token names that
 * llama.cpp knows (src/llama-vocab.cpp, src/llama-chat.cpp); otherwise the document that the maker publishes.
 * A family is its name and source, and its tokens below. Tokens that begin with `<|`, `<｜` or `[|` are examples: every text
 * of that shape is taken.
 */
const FAMILIES = `
Gemma 1 to 3: ai.google.dev/gemma/docs/formatting; T google-gemma-2-2b-it; the Gemma 3 tokenizer
  <bos> <eos> <pad> <unk> <mask> <start_of_turn> <end_of_turn> <start_of_image> <end_of_image>
  <image_soft_token> <unused0> <unused98> [multimodal]
FunctionGemma: ai.google.dev/gemma/docs/functiongemma
  <start_function_declaration> <end_function_declaration> <start_function_call> <end_function_call>
  <start_function_response> <end_function_response> <escape>
Gemma 4: ai.google.dev/gemma/docs/core/prompt-formatting-gemma4; T google-gemma-4-31B-it
  <|turn> <turn|> <|channel> <channel|> <|think|> <|tool> <tool|> <|tool_call> <tool_call|> <|tool_response>
  <tool_response|> <|"|> <|image> <image|> <|image|> <|audio> <audio|> <|audio|>
Llama 2: V llama-chat.cpp
  <s> </s> [INST] [/INST] <<SYS>> <</SYS>>
Code Llama: V; <PRE> is left out, it is an element of HTML
  <SUF> <MID> <EOT>
Llama 3 and 4: T meta-llama-Llama-3.x; V
  <|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|> <|python_tag|>
  <|header_start|> <|header_end|> <|eot|> <|finetune_right_pad_id|> <|reserved_special_token_0|>
Qwen, MiMo and others on ChatML: T Qwen-Qwen3, Qwen3-Coder, Qwen3.5, MiMo-VL
  <|im_start|> <|im_end|> <|endoftext|> <tool_call> </tool_call> <tool_response> </tool_response> <tools>
  </tools> <think> </think> <|vision_start|> <|image_pad|> <|object_ref_start|> <|fim_prefix|> <|repo_name|>
  <|file_sep|>
Mistral, Devstral, Ministral: T mistralai-*, unsloth-mistral-Devstral; docs.mistral.ai tokenization
  [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_CALLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CONTENT]
  [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [MODEL_SETTINGS] [/MODEL_SETTINGS] [THINK] [/THINK] [ARGS] [CALL_ID] [IMG]
  [IMG_BREAK] [IMG_END] [AUDIO] [BEGIN_AUDIO] [TRANSCRIBE] [PREFIX] [MIDDLE] [SUFFIX] <SPECIAL_20>
DeepSeek: T deepseek-ai-DeepSeek-V3.1, V3.2, V4; V
  <｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜tool▁calls▁begin｜> <｜tool▁outputs▁begin｜>
  <｜fim▁begin｜> <｜DSML｜function_calls> </｜DSML｜function_calls> <|EOT|> <tool_result> </tool_result>
  <function_results> </function_results>
GLM: T GLM-4.6, GLM-4.7-Flash; V
  [gMASK] [sMASK] [MASK] <sop> <eop> <|system|> <|user|> <|assistant|> <|observation|> <|begin_of_image|>
  <|begin_of_box|> <arg_key> </arg_key> <arg_value> </arg_value>
EXAONE: V llama-chat.cpp (3 to 4)
  [|system|] [|user|] [|assistant|] [|tool|] [|endofturn|] [BOS] [EOS] [PAD] [UNK] <thought> </thought>
Seed-OSS and Seed-Coder: T ByteDance-Seed-OSS; the Seed-Coder tokenizer
  <seed:bos> <seed:eos> <seed:pad> <seed:think> </seed:think> <seed:tool_call> </seed:tool_call>
  <seed:cot_budget_reflect> </seed:cot_budget_reflect> <[begin▁of▁sentence]> <[end▁of▁sentence]> <[fim-prefix]>
  <[fim-suffix]> <[fim-middle]>
MiniMax: T MiniMax-M1, M2, M3
  <beginning_of_sentence> <end_of_sentence> <begin_of_document> ]~!b[ ]~b] [e~[ ]!p~[ ]!d~[ ]<]minimax[>[
  ]<]image[>[ ]<]video[>[ <minimax:tool_call> </minimax:tool_call> <mm:think> </mm:think> <tool_calls>
  </tool_calls>
Cohere Command: T CohereForAI-*, Cohere2MoE
  <BOS_TOKEN> <EOS_TOKEN> <EOP_TOKEN> <MASK_TOKEN> <PAD> <UNK> <CLS> <SEP> <|START_OF_TURN_TOKEN|>
  <|END_OF_TURN_TOKEN|> <|USER_TOKEN|> <|CHATBOT_TOKEN|> <|SYSTEM_TOKEN|> <|START_ACTION|> <|START_RESPONSE|>
  <|START_THINKING|> <|START_TOOL_RESULT|>
gpt-oss (harmony): T openai-gpt-oss-120b; V
  <|start|> <|end|> <|message|> <|channel|> <|constrain|> <|call|> <|return|> <|startoftext|>
Phi: T microsoft-Phi-3.5-mini-instruct; V
  <|system|> <|user|> <|assistant|> <|end|> <|im_sep|> <|tool|> <|/tool|> <|tool_call|>
Granite, StarCoder, SmolLM: T ibm-granite-*, HuggingFaceTB-SmolLM3-3B; V
  <|start_of_role|> <|end_of_role|> <|tool_call|> <fim_prefix> <fim_middle> <fim_suffix> <fim_pad> <fim-prefix>
  <fim-middle> <fim-suffix> <reponame> <filename> <gh_stars> <file_sep> <repo_name> <issue_start>
  <jupyter_start> <commit_before> <commit_msg> <commit_after> <empty_output> <end_of_utterance>
Kimi: T Kimi-K2-Instruct, Kimi-K2-Thinking, Kimi-K3
  <|im_user|> <|im_assistant|> <|im_system|> <|im_middle|> <|tool_calls_section_begin|> <|tool_call_begin|>
  <|tool_call_argument_begin|> [BOS] [EOS] [EOT] [start_header_id] [end_header_id]
Nemotron: T NVIDIA-Nemotron-Nano-v2, Nemotron-3-Nano
  <SPECIAL_10> <SPECIAL_11> <SPECIAL_12> <TOOLCALL> </TOOLCALL> <AVAILABLE_TOOLS> </AVAILABLE_TOOLS>
  <TOOL_RESPONSE> </TOOL_RESPONSE> <extra_id_0> <extra_id_1>
Hunyuan, ERNIE, StepFun: T tencent-Hy3, StepFun3.5-Flash; V
  <｜hy_User｜> <｜hy_Assistant｜> <｜hy_begin▁of▁sentence｜> <|extra_0|> <im_patch> <mask:1> <cls> <sep>
Laguna, Apriel, Ling, Functionary, Hermes: T poolside-Laguna-*, Apriel-1.6, meetkai-functionary, NousResearch-Hermes; V (Bailing)
  <system> </system> <user> </user> <assistant> </assistant> <available_tools> </available_tools> <role> </role>
  <|role_end|> <|from|> <|recipient|> <|content|> <atem:function_calls> </atem:function_calls> <tool_output>
  </tool_output> <tool_sep> <tool_def_sep>
MiniCPM, Pangu, InternLM, Baichuan, Falcon, T5: V llama-chat.cpp; T openbmb-MiniCPM5-1B; the tokenizers
  <用户> <AI> [unused9] [unused10] [UNUSED_TOKEN_145] <|action_start|> <|plugin|> <reserved_106> <oov>
  <extra_id_99>
calls that models write as text: T Qwen3-Coder, ByteDance-Seed-OSS, meetkai-functionary-medium-v3.1
  <function=name> <parameter=name> <function_call> </function_call> <function_response>
`

export interface TokenFamily {
  readonly family: string
  readonly tokens: readonly string[]
}

export const tokenFamilies: readonly TokenFamily[] = FAMILIES.trim()
  .split(/\n(?! )/)
  .map((text) => {
    const [head = '', ...tokens] = text.split('\n')
    const [family = ''] = head.split(': ', 1)
    return { family, tokens: tokens.join(' ').trim().split(/\s+/) }
  })
