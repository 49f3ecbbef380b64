import { createHash } from "node:crypto";
import { type AnthropicMessage, checkMessages } from "./anthropic-rules.ts";
import {
  type Answer,
  type AnswerBlock,
  type Body,
  type DoubleDialect,
  startWireDouble,
  type WireDouble,
} from "./wire-double.ts";

/**
 * Starts a strict double of the Anthropic Messages API. It signs thinking blocks over everything before them
 * and rejects a history in which any of that has changed, as the newest models do. The other rules are in
 * `anthropic-rules.ts`.
 */
export function startAnthropicDouble(options: { apiKey: string }): Promise<WireDouble> {
  return startWireDouble(anthropicDialect(options.apiKey));
}

function anthropicDialect(apiKey: string): DoubleDialect {
  return {
    path: "/messages",
    refuse(body, headers) {
      if (headers["x-api-key"] !== apiKey) {
        const message = `invalid x-api-key: ${String(headers["x-api-key"])}`;
        return { status: 401, error: { type: "authentication_error", message } };
      }
      if (headers["anthropic-version"] === undefined) return invalid("anthropic-version: header is required");
      const fault = checkMessages(body, sign);
      return fault === null ? null : invalid(fault);
    },
    errorBody: (error) => ({ type: "error", error }),
    events,
  };
}

function invalid(message: string) {
  return { status: 400, error: { type: "invalid_request_error", message } };
}

/** Binds a thinking block to the request and to the blocks before it in the same response. */
function sign(
  body: Body,
  messages: readonly AnthropicMessage[],
  before: readonly unknown[],
  thinking: string,
): string {
  const prefix = JSON.stringify([body.system, body.tools, messages, before, thinking], (key, value) =>
    key === "cache_control" ? undefined : value,
  );
  return createHash("sha256").update(prefix).digest("base64");
}

function events(answer: Answer, body: Body): string[] {
  const { input = 10, output = 20, cacheRead = 0, cacheWrite = 0, forHour } = answer.usage ?? {};
  const usage = {
    input_tokens: input,
    output_tokens: 1,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    ...(forHour === undefined
      ? {}
      : {
          cache_creation: {
            ephemeral_5m_input_tokens: cacheWrite - forHour,
            ephemeral_1h_input_tokens: forHour,
          },
        }),
  };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "double",
    content: [],
    stop_reason: null,
    usage,
  };
  const start = event("message_start", { message });
  if (answer.failsWith !== undefined) return [start, event("error", { error: answer.failsWith })];
  const content = signedContent(answer.blocks, body);
  return [
    start,
    event("ping", {}),
    ...content.flatMap(blockEvents),
    event("message_delta", {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: output },
    }),
    event("message_stop", {}),
  ];
}

type Content = Record<string, unknown> & { type: string };

function signedContent(blocks: readonly AnswerBlock[], body: Body): Content[] {
  const content: Content[] = [];
  const messages = (body.messages ?? []) as AnthropicMessage[];
  for (const block of blocks) {
    if ("text" in block) content.push({ type: "text", text: block.text });
    else if ("redacted" in block) content.push({ type: "redacted_thinking", data: block.redacted });
    else if ("tool" in block)
      content.push({ type: "tool_use", id: block.id, name: block.tool, input: block.input });
    else {
      const signature = sign(body, messages, content, block.thinking);
      content.push({ type: "thinking", thinking: block.thinking, signature });
    }
  }
  return content;
}

function blockEvents(content: Content, index: number): string[] {
  return [
    event("content_block_start", { index, content_block: startOf(content) }),
    ...deltasOf(content).map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

function startOf(content: Content): Content {
  if (content.type === "text") return { type: "text", text: "" };
  if (content.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (content.type === "tool_use") return { ...content, input: {} };
  return content;
}

function deltasOf(content: Content): Content[] {
  if (content.type === "text") return halves(content.text).map((text) => ({ type: "text_delta", text }));
  if (content.type === "thinking") {
    const texts = halves(content.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
    return [...texts, { type: "signature_delta", signature: content.signature }];
  }
  if (content.type !== "tool_use") return [];
  const json = typeof content.input === "string" ? content.input : JSON.stringify(content.input);
  return halves(json).map((part) => ({ type: "input_json_delta", partial_json: part }));
}

function halves(text: unknown): string[] {
  const whole = String(text);
  const middle = Math.ceil(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)];
}

function stopReason({ stop, blocks }: Answer): string {
  if (stop === "length") return "max_tokens";
  if (stop === "refusal") return "refusal";
  if (stop === "window") return "model_context_window_exceeded";
  return stop === "tool" || (stop === undefined && blocks.some((block) => "tool" in block))
    ? "tool_use"
    : "end_turn";
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
