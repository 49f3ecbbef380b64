/** The content of an error body of any form. */
export interface ProviderWords {
  /** The provider's sentences; empty when the body has none. */
  message: string;
  /** Types, codes and states, separated by spaces. */
  codes: string;
  /** The body as JSON; null when it is not JSON. */
  json: unknown;
}

/**
 * Finds message and codes in an error body of any known form: an object with `error`, `message`, `detail` or
 * the like at any depth, or a list of these. It may also be JSON within a string, plain text, or an HTML
 * page, of which only the title is used.
 */
export function providerWords(body: unknown): ProviderWords {
  const json = typeof body === "string" ? parsed(body) : (body ?? null);
  if (json === null || typeof json !== "object")
    return { message: plain(typeof json === "string" ? json : body), codes: "", json: null };
  return { message: messageOf(json, 0), codes: [...new Set(codesOf(json, 0))].join(" "), json };
}

/** Keys in the order in which they are tried. */
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

/** Reads a string. Gateways repeat the response of the server behind them as JSON within a string. */
function nested(text: string, depth: number): string {
  const json = /^\s*[[{]/.test(text) ? parsed(text) : null;
  return (json === null ? "" : messageOf(json, depth + 1)) || plain(text);
}

/** Returns the field that a validation message is about. */
function place({ loc }: Record<string, unknown>): string {
  return Array.isArray(loc) ? `${loc.join(".")}: ` : "";
}

/** Returns the upstream provider's message. OpenRouter's own message only says that a provider failed. */
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

/** Returns whether a value is a number or one word; longer texts are messages. */
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
