import type { ToolCall } from "./open-calls.ts";

const WRITING_TOOLS: readonly string[] = ["Write", "Edit"];

/** Returns the path that a Write or Edit call changed, as the model named it; null for other calls. */
export function changedFile({ kind, name, input }: ToolCall): string | null {
  if (kind !== "tool" || !WRITING_TOOLS.includes(name)) return null;
  return typeof input.file_path === "string" ? input.file_path : null;
}
