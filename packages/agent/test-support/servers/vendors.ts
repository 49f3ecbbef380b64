import { events, messages } from "../models/raw-server.ts";
import { known, overflows, refuses, type Server, streams, waits } from "./cell.ts";
import { calls, chunk, ends, finishes, inPieces, ownChunk } from "./chat-plays.ts";

const ANTHROPIC_SDK = ["@ai-sdk/anthropic (npm), src/anthropic-language-model.ts", "4.0.105"] as const;
const OPENAI_SDK = ["@ai-sdk/openai (npm), src/responses", "4.0.118"] as const;

const messageStart = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage: {
      input_tokens: 25,
      output_tokens: 1,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 7,
    },
  },
};
const messageEnd = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 8 } },
  { type: "message_stop" },
];
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const said = block(0, { type: "text", text: "" }, { type: "text_delta", text: "Yes." });
const looked = block(
  1,
  { type: "tool_use", id: "toolu_1", name: "Look", input: {} },
  { type: "input_json_delta", partial_json: '{"at":' },
  { type: "input_json_delta", partial_json: '"x"}' },
);
const thought = block(
  0,
  { type: "thinking", thinking: "", signature: "" },
  { type: "thinking_delta", thinking: "Hm, yes." },
  { type: "signature_delta", signature: "c2lnbmVk" },
);

const anthropicEnds = {
  end_turn: "end_turn",
  stop_sequence: "end_turn",
  max_tokens: "max_tokens",
  refusal: "refusal",
} as const;

const anthropic: Server = {
  name: "Anthropic",
  kind: "anthropic",
  cells: {
    errors: known(
      '`{"type": "error", "error": {type, message}}`, also as an event',
      "@ai-sdk/anthropic (npm), src/anthropic-error.ts, src/anthropic-api.ts",
      "4.0.105",
      refuses(
        400,
        { type: "error", error: { type: "invalid_request_error", message: "messages: at least one" } },
        { kind: "request_failed", retryable: false, says: "messages: at least one" },
      ),
      streams(
        messages(messageStart, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
        {
          error: { kind: "overloaded", retryable: true, says: "Overloaded" },
        },
      ),
    ),
    overflow: known(
      "`prompt is too long: N tokens > M maximum`; during the response the stop reason `model_context_window_exceeded`",
      "github.com/stackblitz/bolt.new/issues/1748; github.com/OpenHands/OpenHands/issues/5350",
      "2024-11-07; 2024-12-01",
      overflows(
        400,
        {
          type: "error",
          error: {
            type: "invalid_request_error",
            message: "prompt is too long: 209303 tokens > 200000 maximum",
          },
        },
        200_000,
        209_303,
      ),
      streams(messages(messageStart, ...said, ...messageEnd("model_context_window_exceeded")), {
        error: { kind: "context_overflow" },
      }),
    ),
    finish: known(
      "`end_turn`, `tool_use`, `stop_sequence`, `max_tokens`, `refusal`, `model_context_window_exceeded`; `pause_turn` is not asked for",
      "@ai-sdk/anthropic (npm), src/map-anthropic-stop-reason.ts",
      "4.0.105",
      ...Object.entries(anthropicEnds).map(([word, reason]) =>
        streams(messages(messageStart, ...said, ...messageEnd(word)), { reason }),
      ),
      streams(messages(messageStart, ...said, ...messageEnd("pause_turn")), {
        error: { kind: "interrupted_stream", retryable: true, says: "pause_turn" },
      }),
    ),
    reasoning: known(
      "blocks `thinking` with a signature, and `redacted_thinking`",
      ...ANTHROPIC_SDK,
      streams(messages(messageStart, ...thought, ...looked, ...messageEnd("tool_use")), {
        thinking: "Hm, yes.",
        sentBack: '"thinking":"Hm, yes.","signature":"c2lnbmVk"',
      }),
    ),
    tools: known(
      "blocks `tool_use`, input in `input_json_delta`",
      ...ANTHROPIC_SDK,
      streams(messages(messageStart, ...said, ...looked, ...messageEnd("tool_use")), {
        calls: [{ at: "x" }],
        reason: "tool_calls",
      }),
    ),
    usage: known(
      "input in `message_start`, output in `message_delta`; what caches took and served apart",
      ...ANTHROPIC_SDK,
      streams(messages(messageStart, ...said, ...messageEnd("end_turn")), {
        usage: {
          input_tokens: 25,
          output_tokens: 8,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 7,
        },
      }),
    ),
    done: known(
      "`message_stop`, no `[DONE]`",
      ...ANTHROPIC_SDK,
      streams(messages(messageStart, ...said, ...messageEnd("end_turn")), {
        text: "Yes.",
        reason: "end_turn",
      }),
      streams(messages(messageStart, ...said), { error: { kind: "interrupted_stream", retryable: true } }),
    ),
    retry: known(
      "`retry-after` in seconds; `anthropic-ratelimit-…-reset`, a date",
      "github.com/anthropics/anthropic-sdk-typescript/issues/357; docs.rs/adk-rust, RateLimitInfo",
      "read 2026-11-28",
      waits(
        7000,
        { type: "error", error: { type: "rate_limit_error", message: "Slow down" } },
        { "retry-after": "7" },
      ),
      waits(
        null,
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
        {
          "anthropic-ratelimit-tokens-remaining": "15000",
          "anthropic-ratelimit-tokens-reset": "2026-02-18T22:05:00Z",
        },
        529,
      ),
    ),
  },
};

const created = [
  { type: "response.created", response: { id: "resp_1", created_at: 1, model: "m" } },
  { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } },
  { type: "response.output_text.delta", item_id: "msg_1", delta: "Yes." },
  { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_1" } },
];
const counted = { input_tokens: 125, output_tokens: 8, input_tokens_details: { cached_tokens: 100 } };
const completed = { type: "response.completed", response: { status: "completed", usage: counted } };
const incomplete = (reason: string) => ({
  type: "response.incomplete",
  response: { status: "incomplete", incomplete_details: { reason }, usage: counted },
});
const lookItem = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "Look",
  arguments: '{"at":"x"}',
};

const tooLarge =
  "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.";

const openaiResponses: Server = {
  name: "OpenAI, Responses",
  kind: "openai",
  cells: {
    errors: known(
      '`{"error": {message, type, param, code}}`; events `error`, `response.failed`',
      "@ai-sdk/openai (npm), src/openai-error.ts, src/openai-stream-error.ts",
      "4.0.118",
      refuses(
        400,
        {
          error: {
            message: "Unknown parameter: 'foo'.",
            type: "invalid_request_error",
            param: "foo",
            code: "unknown_parameter",
          },
        },
        { kind: "request_failed", retryable: false, says: "Unknown parameter: 'foo'." },
      ),
      streams(
        events(...created, {
          type: "error",
          code: "server_error",
          message: "Something broke",
          sequence_number: 3,
        }),
        { error: { kind: "request_failed", retryable: true, says: "Something broke" } },
      ),
      streams(
        events(...created, {
          type: "response.failed",
          response: {
            status: "failed",
            error: {
              code: "rate_limit_exceeded",
              message: "Rate limit reached. Please try again in 1.898s.",
            },
          },
        }),
        { error: { kind: "rate_limited", retryable: true, retryAfterMs: 1898 } },
      ),
    ),
    overflow: known(
      "code `context_length_exceeded`; `Request too large … Limit N, Requested M` with 429",
      "github.com/rahul2002m/ChatPDF/issues/6; github.com/vanna-ai/vanna-flask/issues/11",
      "2024-01-16; 2024-06-13",
      overflows(
        400,
        {
          error: {
            message: "Your input exceeds it.",
            type: "invalid_request_error",
            param: "input",
            code: "context_length_exceeded",
          },
        },
        null,
        null,
      ),
      overflows(
        429,
        { error: { message: tooLarge, type: "tokens", code: "rate_limit_exceeded" } },
        30_000,
        342_389,
      ),
    ),
    finish: known(
      "`response.completed`; `response.incomplete` for `max_output_tokens` or `content_filter`",
      "@ai-sdk/openai (npm), src/responses/map-openai-responses-finish-reason.ts",
      "4.0.118",
      streams(events(...created, completed), { reason: "end_turn" }),
      streams(events(...created, incomplete("max_output_tokens")), { reason: "max_tokens" }),
      streams(events(...created, incomplete("content_filter")), { reason: "refusal" }),
      streams(events(...created, incomplete("of_tomorrow")), {
        error: { kind: "interrupted_stream", retryable: true },
      }),
    ),
    reasoning: known(
      "items `reasoning` with `encrypted_content`, since nothing is stored",
      ...OPENAI_SDK,
      streams(
        events(
          created[0] ?? {},
          {
            type: "response.output_item.added",
            output_index: 0,
            item: { type: "reasoning", id: "rs_1", encrypted_content: "" },
          },
          { type: "response.reasoning_summary_part.added", item_id: "rs_1", summary_index: 0 },
          {
            type: "response.reasoning_summary_text.delta",
            item_id: "rs_1",
            summary_index: 0,
            delta: "Hm, yes.",
          },
          {
            type: "response.output_item.done",
            output_index: 0,
            item: { type: "reasoning", id: "rs_1", encrypted_content: "c2VhbGVk" },
          },
          { type: "response.output_item.added", output_index: 1, item: lookItem },
          { type: "response.output_item.done", output_index: 1, item: { ...lookItem, status: "completed" } },
          completed,
        ),
        { thinking: "Hm, yes.", sentBack: '"encrypted_content":"c2VhbGVk"' },
      ),
    ),
    tools: known(
      "items `function_call`, whole at their end",
      ...OPENAI_SDK,
      streams(
        events(
          ...created,
          { type: "response.output_item.added", output_index: 1, item: { ...lookItem, arguments: "" } },
          {
            type: "response.function_call_arguments.delta",
            item_id: "fc_1",
            output_index: 1,
            delta: '{"at":"x"}',
          },
          { type: "response.output_item.done", output_index: 1, item: { ...lookItem, status: "completed" } },
          completed,
        ),
        { calls: [{ at: "x" }], reason: "tool_calls" },
      ),
    ),
    usage: known(
      "in the last event; what a cache served is part of `input_tokens`",
      ...OPENAI_SDK,
      streams(events(...created, completed), {
        usage: { input_tokens: 25, output_tokens: 8, cache_read_input_tokens: 100 },
      }),
    ),
    done: known(
      "nothing",
      ...OPENAI_SDK,
      streams(events(...created, completed), { text: "Yes.", reason: "end_turn" }),
      streams(events(...created), { error: { kind: "interrupted_stream", retryable: true } }),
    ),
    retry: known(
      "`retry-after-ms`, `retry-after`; `x-ratelimit-reset-…` such as `6m0s`; a sentence",
      "thoughtbot.com/blog/openai-rate-limits; gitlab.com/wally-the-wobot/wally/-/issues/62; @ai-sdk/provider-utils (npm)",
      "2025-04-10; 2023-12-13; 5.0.81",
      waits(1500, { error: { message: "Slow down" } }, { "retry-after": "2", "retry-after-ms": "1500" }),
      waits(
        360_000,
        { error: { message: "Slow down" } },
        {
          "x-ratelimit-remaining-tokens": "0",
          "x-ratelimit-reset-tokens": "6m0s",
        },
      ),
    ),
  },
};

const openaiChat: Server = {
  name: "OpenAI, Chat Completions",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {message, type, param, code}}`',
      "github.com/rahul2002m/ChatPDF/issues/6",
      "2024-01-16",
      refuses(
        403,
        {
          error: {
            message: "Project `p` does not have access to model `m`",
            type: "invalid_request_error",
            param: null,
            code: "model_not_found",
          },
        },
        { kind: "not_found", retryable: false, says: "does not have access" },
      ),
    ),
    overflow: known(
      "`maximum context length is N tokens. However, your messages resulted in M tokens`",
      "github.com/rahul2002m/ChatPDF/issues/6; github.com/vanna-ai/vanna-flask/issues/11",
      "2024-01-16; 2024-06-13",
      overflows(
        400,
        {
          error: {
            message:
              "This model's maximum context length is 4097 tokens. However, your messages resulted in 6988 tokens. Please reduce the length of the messages.",
            type: "invalid_request_error",
            param: "messages",
            code: "context_length_exceeded",
          },
        },
        4097,
        6988,
      ),
      overflows(
        429,
        { error: { message: tooLarge, type: "tokens", code: "rate_limit_exceeded" } },
        30_000,
        342_389,
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`, `content_filter`",
      "@ai-sdk/openai-compatible (npm), src/chat/map-openai-compatible-finish-reason.ts",
      "3.0.92",
      ...finishes({ stop: "end_turn", length: "max_tokens", content_filter: "refusal" }),
    ),
    reasoning: known(
      "not in the answer: set OpenAI up as kind `openai`",
      "github.com/vllm-project/vllm/issues/27755",
      "2025-10-29",
      ends(chunk({}, "stop"), "[DONE]"),
    ),
    tools: known("in pieces, by index", "@ai-sdk/openai-compatible (npm), src/chat", "3.0.92", inPieces),
    usage: known(
      "a chunk of its own, since it is asked for",
      "github.com/higress-group/higress/pull/1568",
      "2024-12-04",
      ownChunk,
    ),
    done: known(
      "`[DONE]`",
      "@ai-sdk/provider-utils (npm), src/parse-json-event-stream.ts",
      "5.0.81",
      ends(chunk({}, "stop"), "[DONE]"),
    ),
    retry: known(
      "as Responses",
      "thoughtbot.com/blog/openai-rate-limits; gitlab.com/wally-the-wobot/wally/-/issues/62",
      "2025-04-10; 2023-12-13",
      waits(41_724, { error: { message: "Rate limit reached for gpt-4. Please try again in 41.724s." } }),
    ),
  },
};

const geminiError = (code: number, status: string, message: string, more: object = {}) => [
  { error: { code, message, status, ...more } },
];

const gemini: Server = {
  name: "Gemini, OpenAI-compatible",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`[{"error": {code, message, status}}]`, a list; a wrong key is 400',
      "github.com/n4ze3m/page-assist/issues/406; github.com/continuedev/continue/issues/8516",
      "2025-02-16; 2025-10-30",
      refuses(400, geminiError(400, "INVALID_ARGUMENT", "Request contains an invalid argument."), {
        kind: "request_failed",
        retryable: false,
        says: "Request contains an invalid argument.",
      }),
      refuses(400, geminiError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), {
        kind: "authentication",
        retryable: false,
      }),
    ),
    overflow: known(
      "`The input token count (N) exceeds the maximum number of tokens allowed (M).`",
      "github.com/google-gemini/gemini-cli/issues/6678",
      "2025-08-20",
      overflows(
        400,
        geminiError(
          400,
          "INVALID_ARGUMENT",
          "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
        ),
        1_048_576,
        1_200_293,
      ),
    ),
    finish: known(
      "`stop`, also after calls; `length`",
      "github.com/open-webui/computer/issues/224; github.com/microclaw/microclaw/pull/230",
      "2026-08-17; 2026-03-10",
      ...finishes({ stop: "end_turn", length: "max_tokens" }),
      calls(
        [
          {
            role: "assistant",
            tool_calls: [{ id: "a", type: "function", function: { name: "Look", arguments: '{"at":"x"}' } }],
          },
        ],
        [{ at: "x" }],
        "stop",
      ),
    ),
    reasoning: known(
      "a signature on each call, `extra_content.google.thought_signature`",
      "github.com/THU-MAIC/OpenMAIC/issues/1556",
      "2026-09-16",
      calls(
        [
          {
            role: "assistant",
            tool_calls: [
              {
                extra_content: { google: { thought_signature: "c2lnbmVk" } },
                function: { arguments: '{"at":"x"}', name: "Look" },
                id: "call_297140",
                type: "function",
              },
            ],
          },
        ],
        [{ at: "x" }],
        "stop",
        { sentBack: '"extra_content":{"google":{"thought_signature":"c2lnbmVk"}}' },
      ),
    ),
    tools: known(
      "without an index, several in one chunk, or one in pieces",
      "github.com/THU-MAIC/OpenMAIC/issues/1556; github.com/open-webui/computer/issues/224",
      "2026-09-16; 2026-08-17",
      calls(
        [
          {
            tool_calls: [
              { id: "a", type: "function", function: { name: "Look", arguments: '{"at":"x"}' } },
              { id: "b", type: "function", function: { name: "Look", arguments: '{"at":' } },
            ],
          },
          { tool_calls: [{ id: "b", function: { arguments: '"y"}' } }] },
        ],
        [{ at: "x" }, { at: "y" }],
      ),
      calls(
        [
          { tool_calls: [{ id: "a", type: "function", function: { name: "Look", arguments: '{"at":' } }] },
          { tool_calls: [{ function: { arguments: '"x"}' } }] },
        ],
        [{ at: "x" }],
      ),
    ),
    usage: { notKnown: "issues and pull requests about its streams; none pastes a last chunk" },
    done: known(
      "`[DONE]`",
      "github.com/THU-MAIC/OpenMAIC/pull/1557",
      "2026-09-16",
      ends(chunk({}, "stop"), "[DONE]"),
    ),
    retry: known(
      "`error.details[].retryDelay`, such as `7s`",
      "googleapis/googleapis, google/rpc/error_details.proto (RetryInfo)",
      "read 2026-11-28",
      waits(
        7000,
        geminiError(
          429,
          "RESOURCE_EXHAUSTED",
          "You exceeded your current quota, please check your plan and billing details.",
          {
            details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }],
          },
        ),
      ),
    ),
  },
};

export const VENDORS: readonly Server[] = [anthropic, openaiResponses, openaiChat, gemini];
