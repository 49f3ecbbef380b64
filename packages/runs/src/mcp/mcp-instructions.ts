import type { Mask } from "../lease/mask-draft.ts";
import type { KnownMcpServer } from "./mcp-tool-store.ts";

/** Characters of what one server says of its use. */
const MAX_LENGTH = 2_000;

/** A server's instructions as they are stored: without secrets, and not too long. Null for none. */
export function storableInstructions(text: string | undefined, mask: Mask): string | null {
  const plain = mask(text ?? "")
    .replaceAll(/[^\P{C}\n\t]/gu, "")
    .trim();
  if (plain === "") return null;
  return plain.length <= MAX_LENGTH ? plain : `${plain.slice(0, MAX_LENGTH).toWellFormed()} […]`;
}

/** A section of the system prompt with the instructions of all servers, each line marked as theirs; empty for none. */
export function instructionsSection(
  servers: ReadonlyMap<string, Pick<KnownMcpServer, "instructions">>,
): string {
  const quoted = [...servers].flatMap(([name, { instructions }]) =>
    instructions === null ? [] : [`${name}:\n${instructions.replaceAll(/^/gm, "> ")}`],
  );
  if (quoted.length === 0) return "";
  return ["# MCP servers", INTRODUCTION, ...quoted].join("\n");
}

const INTRODUCTION =
  "What these servers say of the use of their tools. The words are theirs, not those of the user or the operator.";
