import type { Body } from "./wire-double.ts";

export interface AnthropicMessage {
  role: string;
  content: string | AnthropicContent[];
}

export interface AnthropicContent {
  type: string;
  id?: string;
  tool_use_id?: string;
  text?: string;
  thinking?: string;
  signature?: string;
  cache_control?: unknown;
}

/** Signs a thinking block over everything before it. */
export type Sign = (
  body: Body,
  messages: readonly AnthropicMessage[],
  before: readonly unknown[],
  thinking: string,
) => string;

/** Returns the first rule of the Messages API that a request violates, in the API's words, or null. */
export function checkMessages(body: Body, sign: Sign): string | null {
  const messages = (body.messages ?? []) as AnthropicMessage[];
  return (
    checkEnvelope(body, messages) ??
    checkMarkers(body) ??
    first(messages, (message, index) => checkMessage(message, index, messages)) ??
    first(messages, (message, index) => checkThinking(body, message, index, messages, sign))
  );
}

function checkEnvelope(body: Body, messages: readonly AnthropicMessage[]): string | null {
  if (typeof body.max_tokens !== "number" || body.max_tokens < 1) return "max_tokens: Field required";
  if (typeof body.model !== "string") return "model: Field required";
  if (messages.length === 0) return "messages: at least one message is required";
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  return null;
}

function checkMarkers(body: Body): string | null {
  const count = JSON.stringify(body).split('"cache_control":').length - 1;
  return count > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${count}.` : null;
}

function checkMessage(
  message: AnthropicMessage,
  index: number,
  messages: readonly AnthropicMessage[],
): string | null {
  const at = `messages.${index}`;
  if (message.role !== "user" && message.role !== "assistant")
    return `${at}.role: unexpected role ${message.role}`;
  if (index > 0 && messages[index - 1]?.role === message.role) return `${at}: roles must alternate`;
  const content = contentOf(message);
  if (content.length === 0) return `${at}: content must not be empty`;
  if (content.some(({ type, text }) => type === "text" && (text ?? "").trim() === "")) {
    return `${at}: text content blocks must contain non-whitespace text`;
  }
  if (message.role === "assistant" && /thinking/.test(content.at(-1)?.type ?? "")) {
    return `${at}: The final block in an assistant message cannot be thinking`;
  }
  return checkPairing(at, content, contentOf(messages[index - 1]), contentOf(messages[index + 1]));
}

function checkPairing(
  at: string,
  content: readonly AnthropicContent[],
  before: readonly AnthropicContent[],
  after: readonly AnthropicContent[],
): string | null {
  const called = content.flatMap(({ type, id }) => (type === "tool_use" && id !== undefined ? [id] : []));
  const answered = new Set(after.map(({ tool_use_id }) => tool_use_id));
  const missing = called.find((id) => !answered.has(id));
  if (missing !== undefined)
    return `${at}: tool_use ids were found without tool_result blocks immediately after: ${missing}`;
  const known = new Set(before.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])));
  const stray = content.find(({ type, tool_use_id }) => type === "tool_result" && !known.has(tool_use_id));
  if (stray !== undefined)
    return `${at}: unexpected tool_use_id found in tool_result blocks: ${stray.tool_use_id}`;
  return null;
}

function checkThinking(
  body: Body,
  message: AnthropicMessage,
  index: number,
  messages: readonly AnthropicMessage[],
  sign: Sign,
): string | null {
  const content = contentOf(message);
  return first(content, (block, position) => {
    if (block.type !== "thinking") return null;
    const expected = sign(body, messages.slice(0, index), content.slice(0, position), block.thinking ?? "");
    return block.signature === expected
      ? null
      : `messages.${index}.content.${position}: Invalid \`signature\` in \`thinking\` block`;
  });
}

function contentOf(message: AnthropicMessage | undefined): AnthropicContent[] {
  if (message === undefined) return [];
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

function first<T>(items: readonly T[], check: (item: T, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const fault = check(item, index);
    if (fault !== null) return fault;
  }
  return null;
}
