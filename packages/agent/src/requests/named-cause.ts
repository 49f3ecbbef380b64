import type { Omission } from "../history/omission.ts";
import type { ModelMessage, ModelRequest } from "../models/model.ts";
import { toolDigest } from "./offered-tools.ts";
import { type NumberedItem, requestItems, type WireFormat } from "./request-items.ts";

/** The parts of a request that a provider's error can name. */
export type SentRequest = Pick<ModelRequest, "system" | "tools" | "messages">;

/**
 * Finds the cause that a provider's error names. It may name a tool, a position (`messages.3.content.1`,
 * `input[4]`, `tools.2`) or a kind (an image, a document, thinking). Returns null when the request has
 * nothing of that. A kind is first looked for after the `accepted` messages, which the provider took before.
 *
 * @param foreignTools not null when omitting the part that an earlier error named did not suffice. Then the
 * whole kind is omitted, and with a tool all of these.
 */
export function namedCause(
  answer: string,
  sent: SentRequest,
  accepted: number,
  foreignTools: Readonly<Record<string, string>> | null,
): Omission[] | null {
  const tools = namedTools(answer, sent);
  if (tools !== null) return [{ of: "tools", digests: { ...foreignTools, ...tools } }];
  const place = foreignTools === null ? namedPlace(answer, sent) : null;
  return place ?? namedKind(answer, sent.messages, foreignTools === null ? accepted : 0);
}

/** Returns digests by tool name. */
function namedTools(answer: string, { tools }: SentRequest): Record<string, string> | null {
  const index = /\btools?(?:\.|\[)(\d+)/.exec(answer)?.[1];
  const placed = index === undefined ? undefined : tools[Number(index)];
  if (placed !== undefined) return { [placed.name]: toolDigest(placed) };
  if (!/tool|function|schema/i.test(answer)) return null;
  const quoted = new Set([...answer.matchAll(/['"`]([\w-]+)['"`]/g)].map(([, name]) => name));
  const named = tools.filter(({ name }) => quoted.has(name));
  if (named.length === 0) return null;
  return Object.fromEntries(named.map((tool) => [tool.name, toolDigest(tool)]));
}

const PLACES: readonly { format: WireFormat; pattern: RegExp }[] = [
  { format: "anthropic", pattern: /messages\.(\d+)(?:\.content\.(\d+))?(?:\.tool_result\.content\.(\d+))?/ },
  { format: "responses", pattern: /\binput\[(\d+)\](?:\.content\[(\d+)\])?/ },
  { format: "chat", pattern: /messages\[(\d+)\](?:\.content\[(\d+)\])?/ },
];

function namedPlace(answer: string, sent: SentRequest): Omission[] | null {
  for (const { format, pattern } of PLACES) {
    const found = pattern.exec(answer);
    if (found === null) continue;
    const [item, content, part] = found
      .slice(1)
      .map((digits) => (digits === undefined ? null : Number(digits)));
    const places = placesIn(requestItems(format, sent)[item ?? 0], content ?? null, part ?? null);
    const types = KINDS.filter(({ words }) => words.test(answer)).flatMap((kind) => kind.types);
    const fitting =
      types.length === 0 ? places : places.filter((place) => types.includes(typeAt(place, sent.messages)));
    if (fitting.length > 0) return [{ of: "blocks", places: fitting }];
  }
  return null;
}

type Place = NumberedItem[number];

function placesIn(item: NumberedItem | undefined, content: number | null, part: number | null): NumberedItem {
  if (item === undefined) return [];
  const places = content === null ? item : item.slice(content, content + 1);
  return part === null ? places : places.map((place) => ({ ...place, part }));
}

/** Returns a block's type. A `tool_result` with an image is an image: some errors do not name the part. */
function typeAt({ message, block, part }: Place, messages: readonly ModelMessage[]): string {
  const found = messages[message];
  if (found?.role !== "tool") return found?.content[block]?.type ?? "";
  const content = found.content[block]?.content ?? [];
  if (part !== undefined) return content[part]?.type ?? "";
  return content.some(({ type }) => type === "image") ? "image" : "tool_result";
}

const KINDS: readonly { words: RegExp; types: readonly string[] }[] = [
  { words: /image|picture|pixel/i, types: ["image"] },
  { words: /\bpdf\b|document/i, types: ["document"] },
  { words: /thinking|reasoning|signature|encrypted_content/i, types: ["thinking"] },
];

function namedKind(answer: string, messages: readonly ModelMessage[], accepted: number): Omission[] | null {
  const named = KINDS.filter(({ words }) => words.test(answer)).flatMap(({ types }) => types);
  if (named.includes("thinking")) return [{ of: "thinking" }];
  const types = (["image", "document"] as const).filter((type) => named.includes(type));
  if (types.length === 0) return null;
  const hasAny = messages.slice(accepted).some((message) => hasMedia(message, types));
  return [{ of: "media", types, from: hasAny ? accepted : 0 }];
}

function hasMedia({ role, content }: ModelMessage, types: readonly string[]): boolean {
  const blocks = role === "tool" ? content.flatMap((result) => result.content) : content;
  return blocks.some(({ type }) => types.includes(type));
}
