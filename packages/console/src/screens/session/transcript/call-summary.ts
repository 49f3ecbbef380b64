import type { IconName } from "../../../ui/icon.tsx";
import type { ToolUse } from "../log/view.ts";

export type CallSummary = {
  icon: IconName;
  name: string;
  /** The subject of the call, on one line. */
  about: string;
};

/** Summarizes a call: the tool, and the command, file or pattern that it is called with. */
export function summarize(use: ToolUse): CallSummary {
  if (use.type === "agent.mcp_tool_use")
    return { icon: "network", name: `${use.mcp_server_name} · ${use.name}`, about: inputLine(use.input) };
  if (use.type === "agent.custom_tool_use")
    return { icon: "bolt", name: use.name, about: inputLine(use.input) };
  const { input } = use;
  switch (use.name) {
    case "Bash":
      return { icon: "terminal", name: "Bash", about: textOf(input.command).split("\n")[0] ?? "" };
    case "Read":
      return { icon: "file", name: "Read", about: `${textOf(input.file_path)}${rangeOf(input)}` };
    case "Write":
      return { icon: "plus", name: "Write", about: textOf(input.file_path) };
    case "Edit":
      return { icon: "diff", name: "Edit", about: textOf(input.file_path) };
    case "Glob":
    case "Grep":
      return {
        icon: "search",
        name: use.name,
        about: [textOf(input.pattern), textOf(input.path)].filter(Boolean).join("  in  "),
      };
    case "Explore":
      return { icon: "search", name: "Explore", about: textOf(input.question) };
    default:
      return { icon: "bolt", name: use.name, about: inputLine(input) };
  }
}

/** Returns a field of a call's input as text, since a model may send any type. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function rangeOf({ offset, limit }: Record<string, unknown>): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const from = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? ` :${from}–${from + limit - 1}` : ` :${from}–`;
}

function inputLine(input: Record<string, unknown>): string {
  const text = Object.entries(input).map(([name, value]) => `${name}: ${textOf(value)}`);
  return text.join(", ").slice(0, 300);
}
