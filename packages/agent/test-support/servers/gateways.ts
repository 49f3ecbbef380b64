import { events } from "../models/raw-server.ts";
import { known, overflows, refuses, type Server, streams, waits } from "./cell.ts";
import { COUNTED, COUNTS, calls, chunk, finishes, inPieces, reasons } from "./chat-plays.ts";

const openrouter: Server = {
  name: "OpenRouter",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {code, message, metadata}}`, the words of the server behind it in `metadata.raw`; also in a stream',
      "openrouter.ai/docs/api/reference/errors-and-debugging; github.com/cline/cline/issues/13194",
      "read 2026-11-28; 2026-08-12",
      refuses(
        400,
        {
          error: {
            message: "Provider returned error",
            code: 400,
            metadata: {
              raw: '{"error":{"message":"No such tool","type":"Bad Request","code":400}}',
              provider_name: "P",
            },
          },
        },
        { kind: "request_failed", retryable: false, says: "No such tool" },
      ),
      streams(
        events(chunk({ content: "Half" }), {
          ...chunk({ content: "" }, "error"),
          error: { code: 502, message: "Provider disconnected" },
        }),
        { error: { kind: "request_failed", retryable: true, says: "Provider disconnected" } },
      ),
    ),
    overflow: known(
      "`This endpoint's maximum context length is N tokens. However, you requested about M tokens`, or the server's own",
      "github.com/Aider-AI/aider/issues/3721; github.com/cline/cline/issues/13194",
      "2025-04-03; 2026-08-12",
      overflows(
        400,
        {
          error: {
            message:
              "This endpoint's maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output). Please reduce the length of either one.",
            code: 400,
            metadata: { provider_name: "Chutes" },
          },
        },
        131_072,
        141_607,
      ),
      overflows(
        400,
        {
          error: {
            message: "Provider returned error",
            code: 400,
            metadata: {
              raw: '{"error":{"message":"This model\'s maximum context length is 262144 tokens. However, your messages resulted in 262897 tokens.","type":"Bad Request","code":400}}',
              provider_name: "Nvidia",
            },
          },
        },
        262_144,
        262_897,
      ),
    ),
    finish: known(
      "OpenAI's words; `error`: broken off",
      "openrouter.ai/docs/api-reference/streaming; openrouter.ai/docs/api/reference/errors-and-debugging",
      "read 2026-11-28",
      ...finishes({ stop: "end_turn", length: "max_tokens", error: null }),
    ),
    reasoning: known(
      "`reasoning`, with signatures and sealed parts in `reasoning_details`",
      "openrouter.ai/docs/use-cases/reasoning-tokens; github.com/braintrustdata/braintrust-sdk-javascript/issues/1883",
      "read 2026-11-28",
      reasons("reasoning"),
      calls(
        [
          {
            role: "assistant",
            reasoning_details: [{ type: "reasoning.encrypted", index: 0, data: "c2VhbGVk" }],
          },
          {
            tool_calls: [
              { index: 0, id: "call_1", type: "function", function: { name: "Look", arguments: "{}" } },
            ],
          },
        ],
        [{}],
        "tool_calls",
        { sentBack: '"reasoning_details":[{"type":"reasoning.encrypted","index":0,"data":"c2VhbGVk"}]' },
      ),
    ),
    tools: known(
      "in pieces, by index",
      "github.com/braintrustdata/braintrust-sdk-javascript/issues/1883",
      "read 2026-11-28",
      inPieces,
    ),
    usage: known(
      "in the last chunk",
      "openrouter.ai/docs/api-reference/streaming",
      "read 2026-11-28",
      streams(
        events(
          chunk({ content: "Yes." }),
          chunk({}, "stop"),
          { ...chunk({ content: "" }), usage: COUNTS },
          "[DONE]",
        ),
        { usage: COUNTED },
      ),
    ),
    done: known(
      "comments (`: OPENROUTER PROCESSING`) in between",
      "openrouter.ai/docs/api-reference/streaming",
      "read 2026-11-28",
      streams(
        `: OPENROUTER PROCESSING\n\n${events(chunk({ content: "Yes." }))}: OPENROUTER PROCESSING\n\n${events(chunk({}, "stop"), "[DONE]")}`,
        { text: "Yes.", reason: "end_turn" },
      ),
    ),
    retry: known(
      "`Retry-After` in seconds, with 429 and 503",
      "openrouter.ai/docs/api/errors",
      "read 2026-11-28",
      waits(3000, { error: { code: 429, message: "Rate limit exceeded" } }, { "Retry-After": "3" }),
      waits(3000, { error: { code: 503, message: "No provider available" } }, { "Retry-After": "3" }, 503),
    ),
  },
};

const litellm: Server = {
  name: "LiteLLM",
  kind: "openai-compatible",
  cells: {
    errors: known(
      '`{"error": {message, type, param, code}}`, the code a status as text, the message that of the server behind it; also in a stream',
      "github.com/OpenHands/OpenHands/issues/5350; github.com/BerriAI/litellm/issues/5175",
      "2024-12-01; 2024-08-13",
      refuses(
        400,
        {
          error: {
            message: "litellm.BadRequestError: OpenAIException - Unknown parameter",
            type: null,
            param: null,
            code: "400",
          },
        },
        { kind: "request_failed", retryable: false, says: "OpenAIException - Unknown parameter" },
      ),
      streams(
        events({
          error: { message: "litellm.APIConnectionError: Extra data", type: null, param: null, code: "500" },
        }),
        { error: { kind: "request_failed", retryable: true, says: "APIConnectionError" } },
      ),
    ),
    overflow: known(
      "`litellm.ContextWindowExceededError` and the server's own text; also with 200 in a stream",
      "github.com/OpenHands/OpenHands/issues/5350; github.com/BerriAI/litellm/issues/6629",
      "2024-12-01; 2024-11-07",
      overflows(
        400,
        {
          error: {
            message:
              'litellm.BadRequestError: litellm.ContextWindowExceededError: AnthropicError - {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209303 tokens > 200000 maximum"}}',
            type: null,
            param: null,
            code: "400",
          },
        },
        200_000,
        209_303,
      ),
      streams(
        events({
          error: {
            message: "litellm.ContextWindowExceededError: Input is too long for requested model.",
            type: null,
            param: null,
            code: "400",
          },
        }),
        { error: { kind: "context_overflow" } },
      ),
    ),
    finish: {
      notKnown: "issues; it maps the words of each server to OpenAI's, and none lists what is left over",
    },
    reasoning: { notKnown: "issues about `reasoning_content`; none pastes a stream of its proxy" },
    tools: { notKnown: "issues; none pastes a stream of its proxy with calls" },
    usage: { notKnown: "issues; none pastes a last chunk of its proxy" },
    done: { notKnown: "issues; none pastes the end of a stream of its proxy" },
    retry: { notKnown: "issues about its rate limits; none shows the headers of a 429" },
  },
};

export const GATEWAYS: readonly Server[] = [openrouter, litellm];
