/** What the body of an error says, whatever its form. */
export interface ProviderWords {
  /** The provider's sentences; "" when the body has none. */
  message: string;
  /** Types, codes and states, separated by spaces. */
  codes: string;
  /** The body as JSON, or null when it is none. */
  json: unknown;
}

/**
 * Finds the words in a body of any form that servers are known to use: an object with `error`, `message`, `detail` or the like at
 * any depth, a list of such, JSON within a string, plain text, or a page, of which only the title counts.
 */
export function providerWords(body: unknown): ProviderWords {
  const json = typeof body === "string" ? parsed(body) : (body ?? null);
  if (json === null || typeof json !== "object")
    return { message: plain(typeof json === "string" ? json : body), codes: "", json: null };
  return { message: messageOf(json, 0), codes: [...new Set(codesOf(json, 0))].join(" "), json };
}

/** In the order in which they are looked for. */
const MESSAGE_KEYS = [
  "message",
  "error",
  "detail",
  "errors",
  "msg",
  "error_message",
  "error_msg",
  "error_description",
  "response",
  "title",
  "reason",
];
const CODE_KEYS = ["type", "code", "status", "error_type", "error_code", "reason", "error"];
const MAX_DEPTH = 6;

function messageOf(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) return "";
  if (typeof value === "string") return nested(value, depth);
  if (Array.isArray(value)) return joined(value.map((item) => messageOf(item, depth + 1)));
  if (!isObject(value)) return "";
  for (const key of MESSAGE_KEYS) {
    const message = messageOf(value[key], depth + 1);
    if (message !== "") return joined([`${place(value)}${message}`, upstream(value, depth)]);
  }
  return "";
}

/** A gateway repeats the answer of the server behind it as JSON within a string. */
function nested(text: string, depth: number): string {
  const json = /^\s*[[{]/.test(text) ? parsed(text) : null;
  return (json === null ? "" : messageOf(json, depth + 1)) || plain(text);
}

/** The field that a message of a validator is about. */
function place({ loc }: Record<string, unknown>): string {
  return Array.isArray(loc) ? `${loc.join(".")}: ` : "";
}

/** OpenRouter's own message says only that a provider failed; that one's words are beside it. */
function upstream({ metadata }: Record<string, unknown>, depth: number): string {
  return isObject(metadata) ? messageOf(metadata.raw, depth + 1) : "";
}

function codesOf(value: unknown, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item) => codesOf(item, depth + 1));
  if (!isObject(value)) return [];
  const own = CODE_KEYS.flatMap((key) => (isCode(value[key]) ? [String(value[key])] : []));
  const inner = ["error", "errors", "response", "details", "detail"].flatMap((key) =>
    codesOf(value[key], depth + 1),
  );
  return [...own, ...inner];
}

/** A number, or one word: texts are messages. */
function isCode(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && /^[\w.:/-]{1,80}$/.test(value));
}

function plain(text: unknown): string {
  if (typeof text !== "string") return "";
  return /^\s*<(!doctype|html|head|body|\?xml)/i.test(text) ? titleOf(text) : text.trim();
}

function titleOf(page: string): string {
  const found = /<title[^>]*>([^<]+)/i.exec(page) ?? /<h1[^>]*>([^<]+)/i.exec(page);
  return (found?.[1] ?? "").trim();
}

function joined(parts: readonly string[]): string {
  return [...new Set(parts.filter((part) => part !== ""))].join("; ");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
