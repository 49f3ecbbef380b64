import {
  type Answer,
  type AnswerBlock,
  type Body,
  type DoubleDialect,
  startWireDouble,
  type WireDouble,
} from "./wire-double.ts";

/** Starts a double of OpenAI's Responses API without storage: encrypted reasoning must be sent back. */
export function startOpenAIResponsesDouble(options: { apiKey: string }): Promise<WireDouble> {
  return startWireDouble(responsesDialect(options.apiKey));
}

interface InputItem {
  type?: string;
  call_id?: string;
  encrypted_content?: string | null;
}

function responsesDialect(apiKey: string): DoubleDialect {
  return {
    path: "/responses",
    refuse(body, headers) {
      if (headers.authorization !== `Bearer ${apiKey}`) {
        const message = `Incorrect API key provided: ${String(headers.authorization)}`;
        return { status: 401, error: { type: "invalid_request_error", message, code: "invalid_api_key" } };
      }
      const fault = checkInput(body);
      return fault === null
        ? null
        : { status: 400, error: { type: "invalid_request_error", message: fault } };
    },
    errorBody: (error) => ({ error }),
    events,
  };
}

function checkInput(body: Body): string | null {
  if (typeof body.max_output_tokens !== "number") return "max_output_tokens is missing";
  if (body.store !== false) return "store must be false";
  const items = (body.input ?? []) as InputItem[];
  const called = idsOf(items, "function_call");
  const answered = idsOf(items, "function_call_output");
  const open = called.find((id) => !answered.includes(id));
  if (open !== undefined) return `No tool output found for function call ${open}.`;
  const stray = answered.find((id) => !called.includes(id));
  if (stray !== undefined) return `No tool call found for function call output with call_id ${stray}.`;
  if (items.some(({ type }) => type === "item_reference"))
    return "Items are not persisted when `store` is set to false.";
  const lost = items.some(
    (item) => item.type === "reasoning" && !item.encrypted_content?.startsWith("sealed:"),
  );
  return lost ? "Reasoning items must be sent back with their encrypted content." : null;
}

function idsOf(items: readonly InputItem[], type: string): string[] {
  return items.flatMap((item) => (item.type === type && item.call_id !== undefined ? [item.call_id] : []));
}

function events(answer: Answer): string[] {
  const created = event("response.created", { response: response("in_progress") });
  if (answer.failsWith !== undefined) {
    const { type: code, message } = answer.failsWith;
    return [
      created,
      textEvents("…", 0)[0] ?? "",
      event("error", { code, message, param: null, sequence_number: 2 }),
    ];
  }
  const { input = 10, output = 20, cacheRead = 0 } = answer.usage ?? {};
  const usage = {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const end = answer.stop === "length" ? { incomplete_details: { reason: "max_output_tokens" } } : {};
  const type = answer.stop === "length" ? "incomplete" : "completed";
  return [
    created,
    ...answer.blocks.flatMap(blockEvents),
    event(`response.${type}`, { response: { ...response(type), usage, ...end } }),
  ];
}

function blockEvents(block: AnswerBlock, index: number): string[] {
  if ("text" in block) return textEvents(block.text, index);
  if ("tool" in block) return callEvents(block, index);
  const text = "thinking" in block ? block.thinking : "";
  return reasoningEvents(text, index);
}

function textEvents(text: string, index: number): string[] {
  const item = { type: "message", id: `msg_${index}`, role: "assistant", status: "in_progress", content: [] };
  const content = [{ type: "output_text", text, annotations: [] }];
  return [
    event("response.output_item.added", { output_index: index, item }),
    ...halves(text).map((delta) =>
      event("response.output_text.delta", { item_id: item.id, output_index: index, content_index: 0, delta }),
    ),
    event("response.output_item.done", {
      output_index: index,
      item: { ...item, status: "completed", content },
    }),
  ];
}

function callEvents(block: Extract<AnswerBlock, { tool: string }>, index: number): string[] {
  const item = {
    type: "function_call",
    id: `fc_${index}`,
    call_id: block.id,
    name: block.tool,
    arguments: "",
  };
  const json = typeof block.input === "string" ? block.input : JSON.stringify(block.input);
  return [
    event("response.output_item.added", { output_index: index, item }),
    ...halves(json).map((delta) =>
      event("response.function_call_arguments.delta", { item_id: item.id, output_index: index, delta }),
    ),
    event("response.function_call_arguments.done", {
      item_id: item.id,
      output_index: index,
      arguments: json,
    }),
    event("response.output_item.done", {
      output_index: index,
      item: { ...item, arguments: json, status: "completed" },
    }),
  ];
}

function reasoningEvents(text: string, index: number): string[] {
  const item = { type: "reasoning", id: `rs_${index}`, summary: [], encrypted_content: null };
  const sealed = `sealed:${Buffer.from(text).toString("base64")}`;
  const part = { item_id: item.id, output_index: index, summary_index: 0 };
  const summary = [{ type: "summary_text", text }];
  return [
    event("response.output_item.added", { output_index: index, item }),
    event("response.reasoning_summary_part.added", { ...part, part: { type: "summary_text", text: "" } }),
    ...halves(text).map((delta) => event("response.reasoning_summary_text.delta", { ...part, delta })),
    event("response.reasoning_summary_part.done", { ...part, part: summary[0] }),
    event("response.output_item.done", {
      output_index: index,
      item: { ...item, summary, encrypted_content: sealed },
    }),
  ];
}

function response(status: string): object {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "double",
    status,
    output: [],
    usage: null,
  };
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
