import type { Mask } from "../lease/mask-draft.ts";
import type { KnownMcpServer } from "./mcp-tool-store.ts";

/** The most characters of one server's instructions. */
const MAX_LENGTH = 2_000;

/** Returns a server's instructions in stored form: masked and shortened. Returns null when there are none. */
export function storableInstructions(text: string | undefined, mask: Mask): string | null {
  const plain = mask(text ?? "")
    .replaceAll(/[^\P{C}\n\t]/gu, "")
    .trim();
  if (plain === "") return null;
  return plain.length <= MAX_LENGTH ? plain : `${plain.slice(0, MAX_LENGTH).toWellFormed()} […]`;
}

/**
 * Returns a section of the system prompt with the instructions of all servers, each line quoted. Returns an
 * empty string when there are none.
 */
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
