/**
 * The control tokens of model families with public weights. Where a prompt is made into tokens by a server, a text that
 * spells one of these becomes it, so none may stand in a prompt unless the template put it there.
 *
 * Sources: `T` is the family's chat template as llama.cpp carries it (models/templates/), `V` the token names that
 * llama.cpp knows (src/llama-vocab.cpp, src/llama-chat.cpp); otherwise the document that the maker publishes.
 * Tokens that begin with `<|`, `<｜` or `[|` are listed as examples: every text of that shape is taken.
 */
export interface TokenFamily {
  readonly family: string
  readonly source: string
  /** Separated by white space. */
  readonly tokens: string
}

export const tokenFamilies: readonly TokenFamily[] = [
  {
    family: 'Gemma 1 to 3',
    source: 'ai.google.dev/gemma/docs/formatting; T google-gemma-2-2b-it; the Gemma 3 tokenizer',
    tokens: `<bos> <eos> <pad> <unk> <mask> <start_of_turn> <end_of_turn> <start_of_image> <end_of_image>
      <image_soft_token> <unused0> <unused98> [multimodal]`,
  },
  {
    family: 'FunctionGemma',
    source: 'ai.google.dev/gemma/docs/functiongemma',
    tokens: `<start_function_declaration> <end_function_declaration> <start_function_call> <end_function_call>
      <start_function_response> <end_function_response> <escape>`,
  },
  {
    family: 'Gemma 4',
    source: 'ai.google.dev/gemma/docs/core/prompt-formatting-gemma4; T google-gemma-4-31B-it',
    tokens: `<|turn> <turn|> <|channel> <channel|> <|think|> <|tool> <tool|> <|tool_call> <tool_call|>
      <|tool_response> <tool_response|> <|"|> <|image> <image|> <|image|> <|audio> <audio|> <|audio|>`,
  },
  {
    family: 'Llama 2',
    source: 'V llama-chat.cpp',
    tokens: '<s> </s> [INST] [/INST] <<SYS>> <</SYS>>',
  },
  {
    family: 'Code Llama',
    source: 'V; <PRE> is left out, it is an element of HTML',
    tokens: '<SUF> <MID> <EOT>',
  },
  {
    family: 'Llama 3 and 4',
    source: 'T meta-llama-Llama-3.x; V',
    tokens: `<|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|> <|python_tag|>
      <|header_start|> <|header_end|> <|eot|> <|finetune_right_pad_id|> <|reserved_special_token_0|>`,
  },
  {
    family: 'Qwen, MiMo and others on ChatML',
    source: 'T Qwen-Qwen3, Qwen3-Coder, Qwen3.5, MiMo-VL',
    tokens: `<|im_start|> <|im_end|> <|endoftext|> <tool_call> </tool_call> <tool_response> </tool_response> <tools> </tools>
      <think> </think> <|vision_start|> <|image_pad|> <|object_ref_start|> <|fim_prefix|> <|repo_name|> <|file_sep|>`,
  },
  {
    family: 'Mistral, Devstral, Ministral',
    source: 'T mistralai-*, unsloth-mistral-Devstral; docs.mistral.ai tokenization',
    tokens: `[INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_CALLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CONTENT]
      [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [MODEL_SETTINGS] [/MODEL_SETTINGS] [THINK] [/THINK] [ARGS] [CALL_ID] [IMG] [IMG_BREAK]
      [IMG_END] [AUDIO] [BEGIN_AUDIO] [TRANSCRIBE] [PREFIX] [MIDDLE] [SUFFIX] <SPECIAL_20>`,
  },
  {
    family: 'DeepSeek',
    source: 'T deepseek-ai-DeepSeek-V3.1, V3.2, V4; V',
    tokens: `<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜tool▁calls▁begin｜> <｜tool▁outputs▁begin｜>
      <｜fim▁begin｜> <｜DSML｜function_calls> </｜DSML｜function_calls> <|EOT|> <tool_result> </tool_result> <function_results>
      </function_results>`,
  },
  {
    family: 'GLM',
    source: 'T GLM-4.6, GLM-4.7-Flash; V',
    tokens: `[gMASK] [sMASK] [MASK] <sop> <eop> <|system|> <|user|> <|assistant|> <|observation|> <|begin_of_image|>
      <|begin_of_box|> <arg_key> </arg_key> <arg_value> </arg_value>`,
  },
  {
    family: 'EXAONE',
    source: 'V llama-chat.cpp (3 to 4)',
    tokens:
      '[|system|] [|user|] [|assistant|] [|tool|] [|endofturn|] [BOS] [EOS] [PAD] [UNK] <thought> </thought>',
  },
  {
    family: 'Seed-OSS and Seed-Coder',
    source: 'T ByteDance-Seed-OSS; the Seed-Coder tokenizer',
    tokens: `<seed:bos> <seed:eos> <seed:pad> <seed:think> </seed:think> <seed:tool_call> </seed:tool_call>
      <seed:cot_budget_reflect> </seed:cot_budget_reflect> <[begin▁of▁sentence]> <[end▁of▁sentence]> <[fim-prefix]>
      <[fim-suffix]> <[fim-middle]>`,
  },
  {
    family: 'MiniMax',
    source: 'T MiniMax-M1, M2, M3',
    tokens: `<beginning_of_sentence> <end_of_sentence> <begin_of_document> ]~!b[ ]~b] [e~[ ]!p~[ ]!d~[ ]<]minimax[>[ ]<]image[>[
      ]<]video[>[ <minimax:tool_call> </minimax:tool_call> <mm:think> </mm:think> <tool_calls> </tool_calls>`,
  },
  {
    family: 'Cohere Command',
    source: 'T CohereForAI-*, Cohere2MoE',
    tokens: `<BOS_TOKEN> <EOS_TOKEN> <EOP_TOKEN> <MASK_TOKEN> <PAD> <UNK> <CLS> <SEP> <|START_OF_TURN_TOKEN|> <|END_OF_TURN_TOKEN|>
      <|USER_TOKEN|> <|CHATBOT_TOKEN|> <|SYSTEM_TOKEN|> <|START_ACTION|> <|START_RESPONSE|> <|START_THINKING|>
      <|START_TOOL_RESULT|>`,
  },
  {
    family: 'gpt-oss (harmony)',
    source: 'T openai-gpt-oss-120b; V',
    tokens: '<|start|> <|end|> <|message|> <|channel|> <|constrain|> <|call|> <|return|> <|startoftext|>',
  },
  {
    family: 'Phi',
    source: 'T microsoft-Phi-3.5-mini-instruct; V',
    tokens: '<|system|> <|user|> <|assistant|> <|end|> <|im_sep|> <|tool|> <|/tool|> <|tool_call|>',
  },
  {
    family: 'Granite, StarCoder, SmolLM',
    source: 'T ibm-granite-*, HuggingFaceTB-SmolLM3-3B; V',
    tokens: `<|start_of_role|> <|end_of_role|> <|tool_call|> <fim_prefix> <fim_middle> <fim_suffix> <fim_pad> <fim-prefix>
      <fim-middle> <fim-suffix> <reponame> <filename> <gh_stars> <file_sep> <repo_name> <issue_start> <jupyter_start>
      <commit_before> <commit_msg> <commit_after> <empty_output> <end_of_utterance>`,
  },
  {
    family: 'Kimi',
    source: 'T Kimi-K2-Instruct, Kimi-K2-Thinking, Kimi-K3',
    tokens: `<|im_user|> <|im_assistant|> <|im_system|> <|im_middle|> <|tool_calls_section_begin|> <|tool_call_begin|>
      <|tool_call_argument_begin|> [BOS] [EOS] [EOT] [start_header_id] [end_header_id]`,
  },
  {
    family: 'Nemotron',
    source: 'T NVIDIA-Nemotron-Nano-v2, Nemotron-3-Nano',
    tokens: `<SPECIAL_10> <SPECIAL_11> <SPECIAL_12> <TOOLCALL> </TOOLCALL> <AVAILABLE_TOOLS> </AVAILABLE_TOOLS>
      <TOOL_RESPONSE> </TOOL_RESPONSE> <extra_id_0> <extra_id_1>`,
  },
  {
    family: 'Hunyuan, ERNIE, StepFun',
    source: 'T tencent-Hy3, StepFun3.5-Flash; V',
    tokens:
      '<｜hy_User｜> <｜hy_Assistant｜> <｜hy_begin▁of▁sentence｜> <|extra_0|> <im_patch> <mask:1> <cls> <sep>',
  },
  {
    family: 'Laguna, Apriel, Ling, Functionary, Hermes',
    source: 'T poolside-Laguna-*, Apriel-1.6, meetkai-functionary, NousResearch-Hermes; V (Bailing)',
    tokens: `<system> </system> <user> </user> <assistant> </assistant> <available_tools> </available_tools> <role> </role>
      <|role_end|> <|from|> <|recipient|> <|content|> <atem:function_calls> </atem:function_calls> <tool_output>
      </tool_output> <tool_sep> <tool_def_sep>`,
  },
  {
    family: 'MiniCPM, Pangu, InternLM, Baichuan, Falcon, T5',
    source: 'V llama-chat.cpp; T openbmb-MiniCPM5-1B; the tokenizers',
    tokens: `<用户> <AI> [unused9] [unused10] [UNUSED_TOKEN_145] <|action_start|> <|plugin|> <reserved_106> <oov> <extra_id_99>`,
  },
  {
    family: 'calls that models write as text',
    source: 'T Qwen3-Coder, ByteDance-Seed-OSS, meetkai-functionary-medium-v3.1',
    tokens: '<function=name> <parameter=name> <function_call> </function_call> <function_response>',
  },
]
