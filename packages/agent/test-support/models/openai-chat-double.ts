import {
  type Answer,
  type Body,
  type DoubleDialect,
  startWireDouble,
  type WireDouble,
} from "./wire-double.ts";

/** Starts a double of Chat Completions as Ollama and vLLM serve it. */
export function startOpenAIChatDouble(options: { apiKey: string }): Promise<WireDouble> {
  return startWireDouble(chatDialect(options.apiKey));
}

interface ChatMessage {
  role: string;
  content: unknown;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

function chatDialect(apiKey: string): DoubleDialect {
  return {
    path: "/chat/completions",
    refuse(body, headers) {
      if (headers.authorization !== `Bearer ${apiKey}`) {
        const message = `Incorrect API key provided: ${String(headers.authorization)}`;
        return { status: 401, error: { type: "invalid_request_error", message, code: "invalid_api_key" } };
      }
      const fault = typeof body.max_tokens === "number" ? checkMessages(body) : "max_tokens is missing";
      return fault === null
        ? null
        : { status: 400, error: { type: "invalid_request_error", message: fault } };
    },
    errorBody: (error) => ({ error }),
    events,
  };
}

/**
 * Checks that each call is directly followed by its tool message, and that each tool message belongs to a
 * call. Returns null when they do.
 */
function checkMessages(body: Body): string | null {
  let waiting = new Set<string>();
  for (const message of (body.messages ?? []) as ChatMessage[]) {
    if (message.role === "tool") {
      if (!waiting.delete(message.tool_call_id ?? ""))
        return "messages with role 'tool' must be a response to 'tool_calls'";
      continue;
    }
    if (waiting.size > 0) return `tool_call_ids did not have response messages: ${[...waiting].join(", ")}`;
    waiting = new Set((message.tool_calls ?? []).map(({ id }) => id));
  }
  return waiting.size > 0 ? "the last tool_calls were not answered" : null;
}

function events(answer: Answer): string[] {
  const head = chunk({ role: "assistant", content: "" });
  if (answer.failsWith !== undefined) return [head, line({ error: { ...answer.failsWith, code: 503 } })];
  const { input = 10, output = 20, cacheRead = 0 } = answer.usage ?? {};
  const usage = {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
  return [
    head,
    ...blockChunks(answer),
    chunk({}, finishReason(answer)),
    line({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "double",
      choices: [],
      usage,
    }),
    "data: [DONE]\n\n",
  ];
}

function blockChunks({ blocks }: Answer): string[] {
  let index = 0;
  return blocks.flatMap((block) => {
    if ("text" in block) return halves(block.text).map((content) => chunk({ content }));
    if ("thinking" in block) return halves(block.thinking).map((text) => chunk({ reasoning_content: text }));
    if ("redacted" in block) return [];
    const call = { index: index++, id: block.id, type: "function" };
    const json = typeof block.input === "string" ? block.input : JSON.stringify(block.input);
    const [start, end] = halves(json);
    return [
      chunk({ tool_calls: [{ ...call, function: { name: block.tool, arguments: "" } }] }),
      chunk({ tool_calls: [{ index: call.index, function: { arguments: start } }] }),
      chunk({ tool_calls: [{ index: call.index, function: { arguments: end } }] }),
    ];
  });
}

function finishReason({ stop, blocks }: Answer): string {
  if (stop === "length") return "length";
  if (stop === "refusal") return "content_filter";
  return stop !== "end" && blocks.some((block) => "tool" in block) ? "tool_calls" : "stop";
}

function chunk(delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return line({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "double", choices });
}

function line(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
