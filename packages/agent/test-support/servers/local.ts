import { events } from "../models/raw-server.ts";
import { known, overflows, refuses, type Server, streams, waits } from "./cell.ts";
import {
  COUNTED,
  COUNTS,
  calls,
  chunk,
  ends,
  finishes,
  inOnePiece,
  inPieces,
  ownChunk,
  reasons,
} from "./chat-plays.ts";

const SGLANG = "github.com/sgl-project/sglang, python/sglang/srt/entrypoints/openai";
const LLAMA_CPP = "github.com/ggml-org/llama.cpp, tools/server";
const IK = ["github.com/ikawrakow/ik_llama.cpp, examples/server", "commit 8337e4cd"] as const;
const OLLAMA = [
  "github.com/ollama/ollama, openai/openai.go, middleware/openai.go",
  "commit fb307609",
] as const;
const TGI = [
  "github.com/huggingface/text-generation-inference, router/src",
  "3.3.6-dev0, commit db931fcf",
] as const;

const vllm: Server = {
  name: "vLLM",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {message, type, param, code}}`; before, `{"object": "error", message, …}`; also in a stream',
      "github.com/vllm-project/vllm, vllm/entrypoints/openai/engine/protocol.py; github.com/vllm-project/vllm/issues/20409; github.com/BerriAI/litellm/issues/40578",
      "commit 040a2cc2; 2025-07-03; 2026-09-10",
      refuses(
        404,
        {
          error: {
            message: "The model `m` does not exist.",
            type: "NotFoundError",
            param: "model",
            code: 404,
          },
        },
        { kind: "not_found", retryable: false, says: "The model `m` does not exist." },
      ),
      refuses(
        400,
        { object: "error", message: "tool_choice is wrong", type: "BadRequestError", param: null, code: 400 },
        { kind: "request_failed", retryable: false, says: "tool_choice is wrong" },
      ),
      streams(
        events(
          { error: { message: "The engine is gone", type: "InternalServerError", code: 500 } },
          "[DONE]",
        ),
        {
          error: { kind: "request_failed", retryable: true, says: "The engine is gone" },
        },
      ),
    ),
    overflow: known(
      "`maximum context length is N tokens. However, you requested M tokens (…)`; `engine prompt length M exceeds the max_model_len N`",
      "github.com/vllm-project/vllm/issues/20409; a public copy of its Responses server, found by the text",
      "2025-07-03; read 2026-11-28",
      overflows(
        400,
        {
          object: "error",
          message:
            "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
          type: "BadRequestError",
          param: null,
          code: 400,
        },
        16_384,
        122_946,
      ),
      overflows(
        400,
        {
          error: {
            message:
              "The engine prompt length 131848 exceeds the max_model_len 131072. Please reduce prompt.",
            type: "invalid_request_error",
            param: "input",
            code: 400,
          },
        },
        131_072,
        131_848,
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`; `abort`: broken off",
      "github.com/vllm-project/vllm, vllm/v1/engine/__init__.py",
      "commit 0015f3f6",
      ...finishes({ stop: "end_turn", length: "max_tokens", abort: null }),
    ),
    reasoning: known(
      "`reasoning`, the only name since January 2026; `reasoning_content` before",
      "github.com/vllm-project/vllm/issues/27755; github.com/vllm-project/vllm/pull/50624",
      "2025-10-29; 2026-07-31",
      reasons("reasoning"),
      reasons("reasoning_content"),
    ),
    tools: { notKnown: "its parsers, one for each family of models; no stream of one was read here" },
    usage: known(
      "a chunk of its own",
      "github.com/vllm-project/vllm, vllm/entrypoints/openai/engine/protocol.py (StreamOptions, UsageInfo)",
      "commit 040a2cc2",
      ownChunk,
    ),
    done: known(
      "`[DONE]`",
      "github.com/BerriAI/litellm/issues/40578",
      "2026-09-10",
      ends(chunk({}, "stop"), "[DONE]"),
    ),
    retry: { notKnown: "vllm/entrypoints/openai, which sets no such header in the files that were read" },
  },
};

const sglang: Server = {
  name: "SGLang",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"object": "error", message, type, param, code}`; in a stream below `error`',
      `${SGLANG}/protocol.py, serving_chat.py`,
      "commits 004c82e0, 002897c2",
      refuses(
        400,
        {
          object: "error",
          message: "Messages cannot be empty.",
          type: "BadRequestError",
          param: null,
          code: 400,
        },
        { kind: "request_failed", retryable: false, says: "Messages cannot be empty." },
      ),
      streams(
        events(
          chunk({ role: "assistant", content: "" }),
          {
            error: {
              object: "error",
              message: "Out of memory",
              type: "INTERNAL_SERVER_ERROR",
              param: null,
              code: 500,
            },
          },
          "[DONE]",
        ),
        { error: { kind: "request_failed", retryable: true, says: "Out of memory" } },
      ),
    ),
    overflow: known(
      "`The input (M tokens) is longer than the model's context length (N tokens).`",
      "github.com/QwenLM/Qwen3/issues/1321; github.com/sgl-project/sglang/issues/8096",
      "2025-04-29; 2025-07-16",
      overflows(
        400,
        {
          object: "error",
          message: "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
          type: "BadRequestError",
          param: null,
          code: 400,
        },
        40_960,
        61_709,
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`, `content_filter`; `abort`: broken off",
      `${SGLANG}/protocol.py, serving_chat.py`,
      "commits 004c82e0, 002897c2",
      ...finishes({ stop: "end_turn", length: "max_tokens", content_filter: "refusal", abort: null }),
    ),
    reasoning: known(
      "`reasoning_content`",
      `${SGLANG}/serving_chat.py`,
      "commit 002897c2",
      reasons("reasoning_content"),
    ),
    tools: known("in pieces, by index", `${SGLANG}/serving_chat.py`, "commit 002897c2", inPieces),
    usage: known("a chunk of its own", `${SGLANG}/serving_chat.py`, "commit 002897c2", ownChunk),
    done: known(
      "`[DONE]`",
      `${SGLANG}/serving_chat.py`,
      "commit 002897c2",
      ends(chunk({}, "stop"), "[DONE]"),
    ),
    retry: { notKnown: `${SGLANG}, which sets no such header in the files that were read` },
  },
};

const llamaCpp: Server = {
  name: "llama.cpp",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {code, message, type}}`; older ones in a stream as a field `error:`',
      `${LLAMA_CPP}/server-common.cpp`,
      "commit 006639c3",
      refuses(
        400,
        {
          error: {
            code: 400,
            message: "Failed to initialize samplers: failed to parse grammar",
            type: "invalid_request_error",
          },
        },
        { kind: "request_failed", retryable: false, says: "failed to parse grammar" },
      ),
      streams('error: {"code":500,"message":"Something broke","type":"server_error"}\n\n', {
        error: { kind: "request_failed", retryable: true, says: "Something broke" },
      }),
    ),
    overflow: known(
      "type `exceed_context_size_error` with `n_prompt_tokens` and `n_ctx`",
      `${LLAMA_CPP}/server-common.cpp; public clients, found by the type`,
      "commit 006639c3; read 2026-11-28",
      overflows(
        400,
        {
          error: {
            code: 400,
            message:
              "request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it",
            type: "exceed_context_size_error",
            n_prompt_tokens: 13_392,
            n_ctx: 8192,
          },
        },
        8192,
        13_392,
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`",
      `${LLAMA_CPP}/server-task.cpp`,
      "commit 00efb3e1",
      ...finishes({ stop: "end_turn", length: "max_tokens" }),
    ),
    reasoning: known(
      "`reasoning_content`",
      `${LLAMA_CPP}/server-task.cpp`,
      "commit 00efb3e1",
      reasons("reasoning_content"),
    ),
    tools: known("in pieces, by index", `${LLAMA_CPP}/server-task.cpp`, "commit 00efb3e1", inPieces),
    usage: known(
      "a chunk of its own, with `timings`",
      `${LLAMA_CPP}/server-task.cpp`,
      "commit 00efb3e1",
      streams(
        events(
          chunk({ content: "Yes." }),
          chunk({}, "stop"),
          {
            choices: [],
            object: "chat.completion.chunk",
            usage: COUNTS,
            timings: { prompt_n: 25, predicted_n: 8 },
          },
          "[DONE]",
        ),
        { usage: COUNTED },
      ),
    ),
    done: {
      notKnown: "tools/server/server-task.cpp and server-common.cpp in part; its routes were not read",
    },
    retry: known(
      "none: 503 `unavailable_error` while the model loads",
      `${LLAMA_CPP}/server-common.cpp`,
      "commit 006639c3",
      waits(null, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }, {}, 503),
    ),
  },
};

const ikLlamaCpp: Server = {
  name: "ik_llama.cpp",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {code, message, type}}`; also in a stream',
      ...IK,
      refuses(
        400,
        { error: { code: 400, message: "Unsupported tool_choice", type: "invalid_request_error" } },
        { kind: "request_failed", retryable: false, says: "Unsupported tool_choice" },
      ),
      streams(
        events(chunk({ content: "Half" }), {
          error: { code: 500, message: "Something broke", type: "server_error" },
        }),
        { error: { kind: "request_failed", retryable: true, says: "Something broke" } },
      ),
    ),
    overflow: known(
      "`the request exceeds the available context size, try increasing it`, 500 without numbers",
      ...IK,
      overflows(
        500,
        {
          error: {
            code: 500,
            message: "the request exceeds the available context size, try increasing it",
            type: "server_error",
          },
        },
        null,
        null,
      ),
      streams(
        events(chunk({ content: "Half" }), {
          error: {
            code: 500,
            message:
              "context_length_exceeded: the request exceeds the available context size; context shift is disabled",
            type: "server_error",
          },
        }),
        { error: { kind: "context_overflow" } },
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`",
      ...IK,
      ...finishes({ stop: "end_turn", length: "max_tokens" }),
    ),
    reasoning: known("`reasoning_content`", ...IK, reasons("reasoning_content")),
    tools: known("in pieces, by index", ...IK, inPieces),
    usage: known("a chunk of its own, with `timings`", ...IK, ownChunk),
    done: known("`[DONE]`", ...IK, ends(chunk({}, "stop"), "[DONE]")),
    retry: known(
      "none: 503 `unavailable_error`",
      ...IK,
      waits(null, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }, {}, 503),
    ),
  },
};

const ollama: Server = {
  name: "Ollama",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {message, type, param, code}}`, whatever went wrong inside as the message',
      ...OLLAMA,
      refuses(
        404,
        { error: { message: "model 'm' not found", type: "not_found_error", param: null, code: null } },
        { kind: "not_found", retryable: false, says: "model 'm' not found" },
      ),
    ),
    overflow: known(
      "by default none: it cuts the prompt. Otherwise `the prompt is longer than the context length currently available to the model`",
      "github.com/ollama/ollama, llm/llama_server.go",
      "commit fb307609",
      overflows(
        400,
        {
          error: {
            message:
              "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length",
            type: "invalid_request_error",
            param: null,
            code: null,
          },
        },
        null,
        null,
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`",
      ...OLLAMA,
      ...finishes({ stop: "end_turn", length: "max_tokens" }),
    ),
    reasoning: known("`reasoning`", ...OLLAMA, reasons("reasoning")),
    tools: known("whole, with an index", ...OLLAMA, inOnePiece),
    usage: known("a chunk of its own", ...OLLAMA, ownChunk),
    done: known("`[DONE]`", ...OLLAMA, ends(chunk({}, "stop"), "[DONE]")),
    retry: known(
      "none: 503 when too many requests wait",
      "github.com/ollama/ollama, server/sched.go",
      "commit fb307609",
      waits(
        null,
        {
          error: {
            message: "server busy, please try again.  maximum pending requests exceeded",
            type: "api_error",
            param: null,
            code: null,
          },
        },
        {},
        503,
      ),
    ),
  },
};

const lmStudio: Server = {
  name: "LM Studio",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": "…"}`; with 200 for a path that it does not know (a base URL without `/v1`)',
      "github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618",
      "0.3.14, 2025-04-25",
      {
        answer: { status: 200, body: { error: "Unexpected endpoint or method. (POST /chat/completions)" } },
        expect: {
          error: {
            kind: "request_failed",
            retryable: false,
            says: "Unexpected endpoint or method. (POST /chat/completions)",
          },
        },
      },
      refuses(
        400,
        { error: "The model crashed." },
        { kind: "request_failed", retryable: false, says: "The model crashed." },
      ),
    ),
    overflow: known(
      "three texts, all of the tokens to keep of the prompt and the context length",
      "github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546 and 2205; github.com/anomalyco/opencode/issues/11141",
      "0.3.13, 2025-03-24; 0.4.20, 2026-07-25; 2026-01-29",
      overflows(
        400,
        {
          error:
            "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
        },
        32_768,
        111_490,
      ),
      overflows(400, { error: "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)" }, 7424, 15_028),
      overflows(
        400,
        {
          error:
            "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
        },
        null,
        null,
      ),
    ),
    finish: { notKnown: "its documents and issues; none lists the words" },
    reasoning: { notKnown: "its documents and issues; they name both `reasoning` and `reasoning_content`" },
    tools: known(
      "in pieces, later ones with an empty name",
      "github.com/lmstudio-ai/lmstudio-bug-tracker/issues/649",
      "0.3.16, 2025-05-08",
      calls(
        [
          {
            role: "assistant",
            tool_calls: [{ index: 0, id: "1", type: "function", function: { name: "Look", arguments: "" } }],
          },
          { tool_calls: [{ index: 0, type: "function", function: { name: "", arguments: '{"at":' } }] },
          { tool_calls: [{ index: 0, type: "function", function: { name: "", arguments: '"x"}' } }] },
        ],
        [{ at: "x" }],
      ),
    ),
    usage: { notKnown: "its documents and issues; none pastes a last chunk" },
    done: { notKnown: "its documents and issues; none pastes the end of a stream" },
    retry: { notKnown: "its documents and issues; it has no limits on requests that they name" },
  },
};

const tgi: Server = {
  name: "TGI",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": "…", "error_type": "…"}`; also in a stream',
      ...TGI,
      refuses(
        422,
        { error: "Template error: no messages", error_type: "template_error" },
        { kind: "request_failed", retryable: false, says: "Template error: no messages" },
      ),
      refuses(
        424,
        { error: "Request failed during generation: Server error", error_type: "generation" },
        { kind: "request_failed", retryable: true, says: "Request failed during generation" },
      ),
      streams(
        events(chunk({ content: "Half" }), {
          error: "Incomplete generation",
          error_type: "incomplete_generation",
        }),
        {
          error: { kind: "request_failed", retryable: true, says: "Incomplete generation" },
        },
      ),
    ),
    overflow: known(
      "422 `` `inputs` tokens + `max_new_tokens` must be <= N ``",
      ...TGI,
      overflows(
        422,
        {
          error:
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 1024 `max_new_tokens`",
          error_type: "validation",
        },
        4096,
        5000,
      ),
    ),
    finish: known(
      "`stop`, `length`, `stop_sequence`, also after calls; `eos_token` by an older interface",
      ...TGI,
      ...finishes({
        stop: "end_turn",
        length: "max_tokens",
        stop_sequence: "end_turn",
        eos_token: "end_turn",
      }),
    ),
    reasoning: known("none", ...TGI, ends(chunk({}, "stop"), "[DONE]")),
    tools: known(
      "in pieces, always index 0, and `stop` at their end",
      ...TGI,
      calls(
        [
          {
            role: "assistant",
            tool_calls: [{ index: 0, id: "0", type: "function", function: { name: "Look", arguments: "" } }],
          },
          {
            role: "assistant",
            tool_calls: [
              { index: 0, id: "0", type: "function", function: { name: null, arguments: '{"at":' } },
            ],
          },
          {
            role: "assistant",
            tool_calls: [
              { index: 0, id: "0", type: "function", function: { name: null, arguments: '"x"}' } },
            ],
          },
        ],
        [{ at: "x" }],
        "stop",
      ),
    ),
    usage: known("a chunk of its own", ...TGI, ownChunk),
    done: known("`[DONE]`", ...TGI, ends(chunk({}, "stop"), "[DONE]")),
    retry: known(
      "none: 429 with type `overloaded`",
      ...TGI,
      refuses(
        429,
        { error: "Model is overloaded", error_type: "overloaded" },
        { kind: "overloaded", retryable: true, retryAfterMs: null },
      ),
    ),
  },
};

export const LOCAL: readonly Server[] = [vllm, sglang, llamaCpp, ikLlamaCpp, ollama, lmStudio, tgi];
