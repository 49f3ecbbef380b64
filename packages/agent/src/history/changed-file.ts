import type { ToolCall } from "./open-calls.ts";

const WRITING_TOOLS: readonly string[] = ["Write", "Edit"];

/** The path of the file that a call of the service's own tools changed, as the model named it; null for other calls. */
export function changedFile({ kind, name, input }: ToolCall): string | null {
  if (kind !== "tool" || !WRITING_TOOLS.includes(name)) return null;
  return typeof input.file_path === "string" ? input.file_path : null;
}
