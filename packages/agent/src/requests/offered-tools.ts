import { createHash } from "node:crypto";
import type { History } from "../history/history.ts";
import type { ToolDefinition } from "../models/model.ts";

/** Identifies a definition in the log: a tool whose definition has changed is offered again. */
export function toolDigest({ name, description, inputSchema }: ToolDefinition): string {
  const text = JSON.stringify([name, description, inputSchema]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Returns the tools without those that the provider rejects. */
export function offeredTools(
  tools: readonly ToolDefinition[],
  omitted: History["omittedTools"],
): readonly ToolDefinition[] {
  const names = Object.keys(omitted);
  if (names.length === 0) return tools;
  return tools.filter((tool) => omitted[tool.name] === undefined || omitted[tool.name] !== toolDigest(tool));
}
