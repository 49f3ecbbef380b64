import { hash } from "node:crypto";
import type { ModelMessage, ModelRequest } from "@berth/agent";

/**
 * Digests of a request's parts, in the order in which providers cache them. They show which part another
 * request changes, without any content.
 */
export interface RequestDigests {
  tools: readonly { name: string; digest: string }[];
  system: string;
  /** `message`: the index of the block's message. */
  blocks: readonly { message: number; digest: string }[];
}

/** Returns the digests of a request's tools, system prompt and blocks. */
export function digestsOf({ tools, system, messages }: ModelRequest): RequestDigests {
  return {
    tools: tools.map((tool) => ({ name: tool.name, digest: digestOf(tool) })),
    system: textDigest(system),
    blocks: messages.flatMap(({ role, content }, message) =>
      content.map((block: Block) => ({ message, digest: `${role} ${digestOf(block)}` })),
    ),
  };
}

/** The first part in which two requests differ: the name of the tool, or the index of the message. */
export type PrefixChange =
  | { part: "tools"; tool: string }
  | { part: "system" }
  | { part: "messages"; message: number };

/**
 * Returns the first part of `sent` that `next` does not begin with, or null if it begins with all of it.
 * Blocks may be joined into other messages.
 */
export function firstChange(sent: RequestDigests, next: RequestDigests): PrefixChange | null {
  const tool = Array.from({ length: Math.max(sent.tools.length, next.tools.length) }, (_, at) => at).find(
    (at) =>
      sent.tools[at]?.name !== next.tools[at]?.name || sent.tools[at]?.digest !== next.tools[at]?.digest,
  );
  if (tool !== undefined)
    return { part: "tools", tool: next.tools[tool]?.name ?? sent.tools[tool]?.name ?? "" };
  if (sent.system !== next.system) return { part: "system" };
  const block = sent.blocks.findIndex(({ digest }, at) => digest !== next.blocks[at]?.digest);
  if (block === -1) return null;
  const { message } = next.blocks[block] ?? { message: (next.blocks.at(-1)?.message ?? -1) + 1 };
  return { part: "messages", message };
}

type Block = ModelMessage["content"][number];

/** Digests by block and tool. These never change and are shared by requests, so each is digested once. */
const DIGESTS = new WeakMap<object, string>();

function digestOf(part: object): string {
  const known = DIGESTS.get(part);
  if (known !== undefined) return known;
  const digest = textDigest(JSON.stringify(part));
  DIGESTS.set(part, digest);
  return digest;
}

function textDigest(text: string): string {
  return hash("sha1", text, "base64").slice(0, 16);
}
