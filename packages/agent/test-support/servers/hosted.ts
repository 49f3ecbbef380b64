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
  lastChunk,
  ownChunk,
  reasons,
} from "./chat-plays.ts";

const FIXTURES = "github.com/vercel/ai, recorded answers in packages";
const thinking = (said: string) => ({
  content: [{ type: "thinking", thinking: [{ type: "text", text: said }] }],
});

const mistral: Server = {
  name: "Mistral",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"object": "error", message, type, param, code}`; `{"detail": [{loc, msg}]}`',
      "github.com/vercel/ai, packages/mistral/src/mistral-error.ts; github.com/aurelio-labs/semantic-router/issues/297",
      "commit 84a8c065; 2024-05-21",
      refuses(
        400,
        { object: "error", message: "Invalid model: m", type: "invalid_model", param: null, code: "1500" },
        { kind: "request_failed", retryable: false, says: "Invalid model: m" },
      ),
    ),
    overflow: known(
      "`Too many tokens in batch. Max is N got M`; `Prompt contains M tokens, too large for model with N maximum context length`",
      "github.com/aurelio-labs/semantic-router/issues/297; a public double of providers, found by its text",
      "2024-05-21; read 2026-11-28",
      overflows(
        400,
        {
          object: "error",
          message: "Prompt contains 142768 tokens, too large for model with 131072 maximum context length",
          type: "invalid_request_error",
          param: null,
          code: null,
        },
        131_072,
        142_768,
      ),
    ),
    finish: known(
      "`stop`, `tool_calls`, `length`; `model_length`: the window was full; `error`",
      "github.com/vercel/ai, packages/mistral/src/map-mistral-finish-reason.ts",
      "commit 0e9e035e",
      ...finishes({ stop: "end_turn", length: "max_tokens", error: null }),
      streams(events(chunk({ content: "Half" }), chunk({}, "model_length"), "[DONE]"), {
        error: { kind: "context_overflow" },
      }),
    ),
    reasoning: known(
      "parts `thinking` of the content",
      `${FIXTURES}/mistral/src/__fixtures__/mistral-reasoning.chunks.txt; @ai-sdk/openai-compatible (npm), src/chat`,
      "commit 195ce949; 3.0.92",
      streams(
        events(
          chunk({ role: "assistant", ...thinking("Hm, ") }),
          chunk(thinking("yes.")),
          chunk(
            { tool_calls: [{ id: "gSIMJiOkT", function: { name: "Look", arguments: "{}" } }] },
            "tool_calls",
          ),
          "[DONE]",
        ),
        {
          thinking: "Hm, yes.",
          sentBack: '{"type":"thinking","thinking":[{"type":"text","text":"Hm, yes."}]}',
        },
      ),
    ),
    tools: known(
      "whole, without index or type, with the finish reason",
      `${FIXTURES}/mistral/src/__fixtures__/mistral-tool-call.chunks.txt`,
      "commit c22d50fb",
      streams(
        events(
          chunk({ role: "assistant", content: "" }),
          chunk(
            {
              content: null,
              tool_calls: [{ id: "gSIMJiOkT", function: { name: "Look", arguments: '{"at": "x"}' } }],
            },
            "tool_calls",
            { usage: COUNTS },
          ),
          "[DONE]",
        ),
        { calls: [{ at: "x" }], reason: "tool_calls", usage: COUNTED },
      ),
    ),
    usage: known(
      "with the finish reason",
      `${FIXTURES}/mistral/src/__fixtures__/mistral-usage-raw-live.chunks.txt`,
      "commit 1d59af4c",
      lastChunk,
    ),
    done: { notKnown: "recorded answers in github.com/vercel/ai, which leave out what is no JSON; issues" },
    retry: { notKnown: "issues and documents about its rate limits; none shows the headers of a 429" },
  },
};

const deepseek: Server = {
  name: "DeepSeek",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {message, type, param, code}}`; without balance 402',
      "github.com/FoundationAgents/OpenManus/issues/79",
      "2025-03-07",
      refuses(
        400,
        {
          error: {
            message: "The `reasoning_content` in the thinking mode must be passed back to the API.",
            type: "invalid_request_error",
            param: null,
            code: "invalid_request_error",
          },
        },
        { kind: "request_failed", retryable: false, says: "must be passed back" },
      ),
    ),
    overflow: known(
      "`maximum context length is N tokens. However, you requested M tokens (A in the messages, B in the completion)`",
      "github.com/FoundationAgents/OpenManus/issues/79; github.com/evalstate/fast-agent/issues/621",
      "2025-03-07; 2026-01-19",
      overflows(
        400,
        {
          error: {
            message:
              "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
            type: "invalid_request_error",
            param: null,
            code: "invalid_request_error",
          },
        },
        131_072,
        131_134,
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`, `content_filter`; `insufficient_system_resource`, `aborted`: broken off",
      "github.com/vercel/ai, packages/deepseek/src/chat/map-deepseek-finish-reason.ts; public clients, found by the word",
      "commit 167a64ab; read 2026-11-28",
      ...finishes({
        stop: "end_turn",
        length: "max_tokens",
        content_filter: "refusal",
        insufficient_system_resource: null,
        aborted: null,
      }),
    ),
    reasoning: known(
      "`reasoning_content`, which it demands back beside calls",
      "github.com/continuedev/continue/issues/9831; github.com/abhigyanpatwari/GitNexus/issues/43",
      "2026-01-23; 2026-02-22",
      reasons("reasoning_content"),
    ),
    tools: known(
      "in pieces, by index",
      `${FIXTURES}/deepseek/src/chat/__fixtures__/deepseek-tool-call.chunks.txt`,
      "commit 5b28d3d4",
      inPieces,
    ),
    usage: known(
      "with the finish reason",
      `${FIXTURES}/deepseek/src/chat/__fixtures__/issue-19789-live-usage.chunks.txt`,
      "commit 80f7349e",
      lastChunk,
    ),
    done: { notKnown: "recorded answers in github.com/vercel/ai, which leave out what is no JSON; issues" },
    retry: { notKnown: "issues about its rate limits; none shows the headers of a 429" },
  },
};

const kimi: Server = {
  name: "Kimi (Moonshot)",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {message, type}}`; used-up quota 403; in a stream `{"error": {…}}`',
      `github.com/MoonshotAI/kimi-cli/issues/2011; github.com/MoonshotAI/Kimi-K2/issues/5; ${FIXTURES}/moonshotai`,
      "2026-04-22; 2025-07-12; commit a9279fc9",
      refuses(
        403,
        {
          error: {
            message:
              "Your account is not active, exceeded current quota, please check your plan and billing details",
            type: "exceeded_current_quota_error",
          },
        },
        { kind: "request_failed", retryable: false, says: "exceeded current quota" },
      ),
      streams(
        events(chunk({ content: "Partial" }), {
          error: { message: "Stream failed", type: "server_error", code: "stream_failure" },
        }),
        { error: { kind: "request_failed", retryable: true, says: "Stream failed" } },
      ),
    ),
    overflow: known(
      "`Your request exceeded model token limit: N (requested: M)`",
      "github.com/MoonshotAI/kimi-cli/issues/2011; github.com/MoonshotAI/MoonshotAI-Cookbook/issues/18",
      "2026-04-22; 2024-04-15",
      overflows(
        400,
        {
          error: {
            message: "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
            type: "invalid_request_error",
          },
        },
        262_144,
        269_030,
      ),
      overflows(
        400,
        { error: { message: "model max length exceeded, max length:8192", type: "invalid_request_error" } },
        8192,
        null,
      ),
    ),
    finish: known(
      "`stop`, `tool_calls`, `length`",
      "github.com/northes/go-moonshot/issues/17; github.com/Bike4Mind/bike4mind/pull/1089",
      "2024-06-06; 2026-07-29",
      ...finishes({ stop: "end_turn", length: "max_tokens" }),
    ),
    reasoning: known(
      "`reasoning_content`",
      `${FIXTURES}/moonshotai/src/__fixtures__/moonshotai-stream-choice-usage.chunks.txt`,
      "commit d6bd5765",
      reasons("reasoning_content"),
    ),
    tools: known(
      "by index; also without one, two side by side",
      `${FIXTURES}/moonshotai/src/__fixtures__/moonshotai-stream-indexless-tool-calls.chunks.txt`,
      "commit 702aba71",
      inPieces,
      calls(
        [
          {
            tool_calls: [
              { id: "look_0", type: "function", function: { name: "Look", arguments: "" } },
              { id: "look_1", type: "function", function: { name: "Look", arguments: "" } },
            ],
          },
          {
            tool_calls: [
              { function: { arguments: '{"at":"x"}' } },
              { function: { arguments: '{"at":"y"}' } },
            ],
          },
        ],
        [{ at: "x" }, { at: "y" }],
      ),
    ),
    usage: known(
      "in the choice with the finish reason, `choices[0].usage`",
      `github.com/higress-group/higress/pull/1568; ${FIXTURES}/moonshotai/src/__fixtures__/moonshotai-stream-choice-usage.chunks.txt`,
      "2024-12-04; commit d6bd5765",
      streams(
        events(
          chunk({ content: "Yes." }),
          {
            object: "chat.completion.chunk",
            choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: COUNTS }],
          },
          "[DONE]",
        ),
        { usage: COUNTED },
      ),
    ),
    done: known(
      "`[DONE]`",
      "github.com/northes/go-moonshot/issues/17",
      "2024-06-06",
      ends(chunk({}, "stop"), "[DONE]"),
    ),
    retry: { notKnown: "issues about its rate limits; none shows the headers of a 429" },
  },
};

const qwen: Server = {
  name: "Qwen (DashScope)",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {code, message, param, type}, "request_id"}`',
      "github.com/agentscope-ai/QwenPaw/issues/6255",
      "2026-07-19",
      refuses(
        400,
        {
          error: {
            code: "invalid_parameter_error",
            message: "<400> InternalError.Algo.InvalidParameter: The tool call is not supported.",
            param: null,
            type: "invalid_request_error",
          },
          request_id: "81a373d6",
        },
        { kind: "request_failed", retryable: false, says: "The tool call is not supported." },
      ),
    ),
    overflow: known(
      "`Range of input length should be [1, N]`",
      "github.com/agentscope-ai/QwenPaw/issues/6255; github.com/QwenLM/qwen-code/issues/98",
      "2026-07-19; 2025-07-24",
      overflows(
        400,
        {
          error: {
            code: "invalid_parameter_error",
            message: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
            param: null,
            type: "invalid_request_error",
          },
          request_id: "81a373d6",
        },
        983_616,
        null,
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`",
      "github.com/vercel/ai, packages/alibaba/src/map-alibaba-finish-reason.ts",
      "commit 561b85cd",
      ...finishes({ stop: "end_turn", length: "max_tokens" }),
    ),
    reasoning: known(
      "`reasoning_content`",
      "github.com/rellfy/openai/pull/68",
      "2026-03-29",
      reasons("reasoning_content"),
    ),
    tools: known(
      "by index, later pieces with an empty id",
      `${FIXTURES}/alibaba/src/__fixtures__/alibaba-tool-call.chunks.txt`,
      "commit a0d48878",
      calls(
        [
          {
            content: null,
            tool_calls: [
              { index: 0, id: "call_e", type: "function", function: { name: "Look", arguments: "" } },
            ],
            role: "assistant",
          },
          {
            content: null,
            tool_calls: [{ index: 0, id: "", type: "function", function: { arguments: '{"at": "x' } }],
          },
          {
            content: null,
            tool_calls: [{ index: 0, id: "", type: "function", function: { arguments: '"}' } }],
          },
          { tool_calls: [{ function: { arguments: "" }, index: 0, id: "", type: "function" }] },
        ],
        [{ at: "x" }],
      ),
    ),
    usage: known(
      "a chunk of its own",
      `${FIXTURES}/alibaba/src/__fixtures__/alibaba-tool-call.chunks.txt`,
      "commit a0d48878",
      ownChunk,
    ),
    done: known(
      "`[DONE]`",
      "github.com/moona3k/macparakeet/pull/1087, which quotes its guide",
      "read 2026-11-28",
      ends(chunk({}, "stop"), "[DONE]"),
    ),
    retry: { notKnown: "issues about its rate limits; none shows the headers of a 429" },
  },
};

const glm: Server = {
  name: "GLM (Z.ai)",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {code, message}}`, the code a number as text; without balance 429',
      "github.com/zeroclaw-labs/zeroclaw/issues/4124; docs.z.ai/api-reference/api-code; github.com/autohandai/code-cli/issues/484",
      "2026-03-21; read 2026-11-28",
      refuses(
        429,
        { error: { code: "1113", message: "Insufficient balance or no resource package. Please recharge." } },
        { kind: "rate_limited", retryable: false, says: "Please recharge." },
      ),
    ),
    overflow: known(
      "`Prompt exceeds max length`, code 1261",
      "github.com/zeroclaw-labs/zeroclaw/issues/4124",
      "2026-03-21",
      overflows(400, { error: { code: "1261", message: "Prompt exceeds max length" } }, null, null),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`, `sensitive`; `model_context_window_exceeded`; `network_error`: broken off",
      "a public client, found by the words",
      "read 2026-11-28",
      ...finishes({ stop: "end_turn", length: "max_tokens", sensitive: "refusal", network_error: null }),
      streams(events(chunk({ content: "Half" }), chunk({}, "model_context_window_exceeded"), "[DONE]"), {
        error: { kind: "context_overflow" },
      }),
    ),
    reasoning: known(
      "`reasoning_content`",
      "docs.together.ai/docs/glm-5.3-quickstart, of the model at another host",
      "read 2026-11-28",
      reasons("reasoning_content"),
    ),
    tools: { notKnown: "issues and documents; none pastes a stream of Z.ai itself" },
    usage: { notKnown: "issues and documents; none pastes a stream of Z.ai itself" },
    done: { notKnown: "issues and documents; none pastes a stream of Z.ai itself" },
    retry: { notKnown: "docs.z.ai/api-reference/api-code, which names no header or delay" },
  },
};

const xai: Server = {
  name: "xAI",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"code": "…", "error": "…"}`, both texts',
      "github.com/nocmt/LLMSearchPlus/issues/2",
      "2025-02-21",
      refuses(
        400,
        {
          code: "Client specified an invalid argument",
          error: "The model expects a single `text` element per message.",
        },
        { kind: "request_failed", retryable: false, says: "The model expects a single `text` element" },
      ),
    ),
    overflow: known(
      "`maximum prompt length is N but the request contains M tokens`; `[input_too_large] Current message (M tokens) exceeds budget (N tokens)`",
      "github.com/cline/cline/issues/3120; github.com/UKGovernmentBEIS/inspect_ai/pull/5208",
      "2025-04-25; 2026-09-03",
      overflows(
        400,
        {
          code: "Client specified an invalid argument",
          error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
        },
        131_072,
        136_973,
      ),
      overflows(
        400,
        {
          code: "Client specified an invalid argument",
          error:
            "Failed to start sampling: [input_too_large] Current message (1149677 tokens) exceeds budget (975424 tokens)",
        },
        975_424,
        1_149_677,
      ),
    ),
    finish: known(
      "`stop`, `tool_calls`; other words not seen",
      `${FIXTURES}/xai/src/__fixtures__/xai-tool-call.chunks.txt`,
      "commit 195ce949",
      ...finishes({ stop: "end_turn" }),
    ),
    reasoning: known(
      "`reasoning_content`",
      `${FIXTURES}/xai/src/__fixtures__/xai-tool-call.chunks.txt`,
      "commit 195ce949",
      reasons("reasoning_content"),
    ),
    tools: known(
      "whole, with an index",
      `${FIXTURES}/xai/src/__fixtures__/xai-tool-call.chunks.txt`,
      "commit 195ce949",
      inOnePiece,
    ),
    usage: known(
      "a chunk of its own",
      `${FIXTURES}/xai/src/__fixtures__/xai-tool-call.chunks.txt`,
      "commit 195ce949",
      ownChunk,
    ),
    done: { notKnown: "recorded answers in github.com/vercel/ai, which leave out what is no JSON; issues" },
    retry: { notKnown: "issues about its rate limits; none shows the headers of a 429" },
  },
};

const groq: Server = {
  name: "Groq",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {message, type, code}}`',
      "github.com/OpenHands/OpenHands/issues/1902; github.com/Alishahryar1/free-claude-code/issues/1348",
      "2024-05-19; 2026-08-06",
      refuses(
        400,
        {
          error: {
            message: "`reasoning_effort` must be one of `none` or `default`",
            type: "invalid_request_error",
          },
        },
        { kind: "request_failed", retryable: false, says: "must be one of" },
      ),
    ),
    overflow: known(
      "code `context_length_exceeded`; 413 `Request too large … (TPM): Limit N, Requested M`",
      "github.com/OpenHands/OpenHands/issues/1902; github.com/HunorLaczko/ha-groq-cloud-api/issues/27",
      "2024-05-19; 2026-05-16",
      overflows(
        400,
        {
          error: {
            message: "Please reduce the length of the messages or completion.",
            type: "invalid_request_error",
            param: "messages",
            code: "context_length_exceeded",
          },
        },
        null,
        null,
      ),
      overflows(
        413,
        {
          error: {
            message:
              "Request too large for model llama-3.1-8b-instant in organization org_x service tier on_demand on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again.",
            type: "tokens",
            code: "rate_limit_exceeded",
          },
        },
        6000,
        12_328,
      ),
    ),
    finish: known(
      "`stop`, `length`, `tool_calls`",
      `${FIXTURES}/groq/src/__fixtures__`,
      "commit b6893172",
      ...finishes({ stop: "end_turn", length: "max_tokens" }),
    ),
    reasoning: known(
      "`reasoning`",
      `${FIXTURES}/groq/src/__fixtures__/groq-reasoning.chunks.txt; @ai-sdk/openai-compatible (npm), src/chat`,
      "commit 0d67d0f2; 3.0.92",
      reasons("reasoning"),
    ),
    tools: known(
      "whole, with an index",
      `${FIXTURES}/groq/src/__fixtures__/groq-tool-call.chunks.txt`,
      "commit b6893172",
      inOnePiece,
    ),
    usage: known(
      "with the finish reason, at the top or in `x_groq.usage`",
      `${FIXTURES}/groq/src/__fixtures__/groq-tool-call.chunks.txt`,
      "commit b6893172",
      lastChunk,
      streams(
        events(
          chunk({ content: "Yes." }),
          chunk({}, "stop", { x_groq: { id: "req_1", usage: COUNTS } }),
          "[DONE]",
        ),
        { usage: COUNTED },
      ),
    ),
    done: known(
      "`[DONE]`",
      "public doubles of Groq, found by `x_groq`",
      "read 2026-11-28",
      ends(chunk({}, "stop"), "[DONE]"),
    ),
    retry: known(
      "`retry-after`; `x-ratelimit-reset-…`; `Please try again in 9m38.016s`",
      "console.groq.com/docs/rate-limits.md; github.com/continuedev/continue/issues/10920",
      "read 2026-11-28; 2026-02-28",
      waits(
        2000,
        { error: { message: "Slow down", type: "tokens", code: "rate_limit_exceeded" } },
        { "retry-after": "2" },
      ),
      waits(578_016, {
        error: {
          message:
            "Rate limit reached for model m on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.",
          type: "tokens",
          code: "rate_limit_exceeded",
        },
      }),
    ),
  },
};

export const HOSTED: readonly Server[] = [mistral, deepseek, kimi, qwen, glm, xai, groq];
