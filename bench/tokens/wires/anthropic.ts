import type { AnyJson } from "../../../tests/acceptance/harness/api.ts";
import { AnthropicCache } from "../cache/anthropic-cache.ts";
import type { Block } from "../cache/prompt.ts";
import { toolOf } from "../task/translate.ts";
import type { CountTokens } from "../tokenizer.ts";
import { type Answer, type ModelRequest, sendEvents, sendJson, type Wire } from "./wire.ts";

/** Anthropic's Messages API. */
export const ANTHROPIC: Wire = {
  path: "/messages",
  newCache: () => new AnthropicCache(),
  parse(body, count) {
    const blocks = blocksOf(body, count);
    const lastUser = body.messages.findLast(({ role }: AnyJson) => role === "user");
    return {
      blocks,
      tools: (body.tools ?? []).map(({ name, input_schema }: AnyJson) => toolOf(name, input_schema)),
      lastText: list(lastUser?.content)
        .map(({ text }: AnyJson) => text ?? "")
        .join("\n"),
      maxTokens: body.max_tokens ?? null,
    } satisfies ModelRequest;
  },
  respond(response, { text, calls }, usage) {
    const contents = [...(text === "" ? [] : [text]), ...calls];
    sendEvents(response, [
      { type: "message_start", message: message(usage) },
      ...contents.flatMap((content, index) => contentEvents(content, index)),
      {
        type: "message_delta",
        delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { output_tokens: usage.output },
      } as AnyJson,
      { type: "message_stop" },
    ]);
  },
  refuse(response, message) {
    sendJson(response, 400, { type: "error", error: { type: "invalid_request_error", message } });
  },
};

/**
 * Returns the blocks in their order in the cache: tools, system prompt, messages. Different thinking or tool
 * choice makes a different prefix of messages.
 */
function blocksOf(body: AnyJson, count: CountTokens): Block[] {
  const block = (part: Block["part"], given: AnyJson, key = ""): Block => {
    const { cache_control, ...rest } = given;
    const text = contentText(rest);
    return { part, text: key + text, tokens: count(text), marker: markerOf(cache_control) };
  };
  const key = JSON.stringify([body.tool_choice ?? null, body.thinking ?? null]);
  const blocks = [
    ...list(body.tools).map((tool) => block("tool", tool)),
    ...list(body.system).map((one) => block("system", one)),
    ...body.messages.flatMap(({ role, content }: AnyJson, index: number) =>
      list(content).map((one) => block("message", one, index === 0 ? key : role)),
    ),
  ];
  const last = blocks.at(-1);
  if (last !== undefined && body.cache_control !== undefined) last.marker = markerOf(body.cache_control);
  return blocks;
}

function list(content: AnyJson): AnyJson[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

function markerOf(control: AnyJson): Block["marker"] {
  if (control === undefined || control === null) return null;
  return control.ttl === "1h" ? "1h" : "5m";
}

/** Returns the text that the model sees, or JSON for a block without text. */
function contentText(block: AnyJson): string {
  if (block.type === "text") return block.text;
  if (block.type !== "tool_result") return JSON.stringify(block);
  return list(block.content)
    .map((one) => one.text ?? JSON.stringify(one))
    .join("\n");
}

function message({ read, written5m, written1h, uncached }: Parameters<Wire["respond"]>[2]): AnyJson {
  const usage = {
    input_tokens: uncached,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written5m + written1h,
    cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
    output_tokens: 1,
    service_tier: "standard",
  };
  const id = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
  return {
    ...{ id, type: "message", role: "assistant", model: "scripted", content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage },
  };
}

function contentEvents(content: string | Answer["calls"][number], index: number): AnyJson[] {
  const isText = typeof content === "string";
  const start = isText
    ? { type: "text", text: "" }
    : { type: "tool_use", id: content.id, name: content.name, input: {} };
  const delta = isText
    ? { type: "text_delta", text: content }
    : { type: "input_json_delta", partial_json: JSON.stringify(content.input) };
  return [
    { type: "content_block_start", index, content_block: start },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
