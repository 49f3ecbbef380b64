import type { AnyJson } from "../../../tests/acceptance/harness/api.ts";
import { OpenAiCache } from "../cache/openai-cache.ts";
import type { Block } from "../cache/prompt.ts";
import { type ToolCall, toolOf } from "../task/translate.ts";
import type { CountTokens } from "../tokenizer.ts";
import { sendEvents, sendJson, type Wire } from "./wire.ts";

/** OpenAI's Responses API. */
export const RESPONSES: Wire = {
  path: "/responses",
  newCache: () => new OpenAiCache(),
  parse(body, count) {
    const lastUser = body.input.findLast(({ role }: AnyJson) => role === "user");
    return {
      blocks: blocksOf(body, count),
      tools: (body.tools ?? []).flatMap(declared),
      lastText: contentText(lastUser?.content ?? ""),
      maxTokens: body.max_output_tokens ?? null,
    };
  },
  respond(response, { text, calls }, usage) {
    const input = usage.read + usage.uncached;
    const items = [...(text === "" ? [] : [textItem(text)]), ...calls.map(callItem)];
    const head = { id: `resp_${crypto.randomUUID()}`, object: "response", model: "scripted" };
    const completed = {
      ...{ ...head, status: "completed", output: items },
      usage: {
        ...{ input_tokens: input, input_tokens_details: { cached_tokens: usage.read } },
        ...{ output_tokens: usage.output, output_tokens_details: { reasoning_tokens: 0 } },
        total_tokens: input + usage.output,
      },
    };
    const events: AnyJson[] = [
      { type: "response.created", response: { ...head, status: "in_progress", output: [] } },
      ...items.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: completed },
    ];
    sendEvents(
      response,
      events.map((event, sequence_number) => ({ ...event, sequence_number })),
    );
  },
  refuse(response, message) {
    const code = "context_length_exceeded";
    sendJson(response, 400, { error: { type: "invalid_request_error", code, message, param: "input" } });
  },
};

function blocksOf(body: AnyJson, count: CountTokens): Block[] {
  const block = (part: Block["part"], text: string): Block => ({
    part,
    text,
    tokens: count(text),
    marker: null,
  });
  return [
    ...(body.tools ?? []).map((tool: AnyJson) => block("tool", JSON.stringify(tool))),
    ...(body.instructions ? [block("system", body.instructions)] : []),
    ...body.input.map((item: AnyJson) =>
      block(item.role === "developer" ? "system" : "message", itemText(item)),
    ),
  ];
}

function itemText(item: AnyJson): string {
  if (item.content !== undefined) return contentText(item.content);
  if (item.output !== undefined) return contentText(item.output);
  return JSON.stringify([item.name, item.arguments ?? item.input ?? item]);
}

function contentText(content: AnyJson): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((one: AnyJson) => one.text ?? JSON.stringify(one)).join("\n");
}

/** Returns the tools that are called by name. */
function declared(tool: AnyJson): ReturnType<typeof toolOf>[] {
  if (tool.type === "function") return [toolOf(tool.name, tool.parameters)];
  return tool.type === "custom" ? [toolOf(tool.name, null)] : [];
}

function textItem(text: string): AnyJson {
  const content = [{ type: "output_text", text, annotations: [] }];
  return {
    id: `msg_${crypto.randomUUID()}`,
    type: "message",
    role: "assistant",
    status: "completed",
    content,
  };
}

function callItem({ id, name, input }: ToolCall): AnyJson {
  const common = { id: `fc_${crypto.randomUUID()}`, call_id: id, name, status: "completed" };
  return typeof input === "string"
    ? { ...common, type: "custom_tool_call", input }
    : { ...common, type: "function_call", arguments: JSON.stringify(input) };
}
