import type { EventOf } from "@berth/sdk";
import { plainText } from "../terminal/plain-text.ts";
import { count } from "../terminal/quantities.ts";

/** Summarizes a tool call's input in one line. */
export function toolLine({ name, input }: Pick<EventOf<"agent.tool_use">, "name" | "input">): string {
  return oneLine(plainText(SUMMARIES[name]?.(input) ?? JSON.stringify(input)));
}

type Input = Record<string, unknown>;

const SUMMARIES: Record<string, (input: Input) => string> = {
  Bash: ({ command, restart }) => text(command) || (restart === true ? "restart the shell" : ""),
  Read: (input) => text(input.file_path) + range(input),
  Write: ({ file_path, content }) => `${text(file_path)} (${lines(text(content))})`,
  Edit: ({ file_path, replace_all }) => text(file_path) + (replace_all === true ? " everywhere" : ""),
  Glob: ({ pattern, path }) => text(pattern) + place(path),
  Explore: ({ question, path }) => text(question) + place(path),
  Grep: ({ pattern, path, glob }) => text(pattern) + place(path ?? glob),
};

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function place(path: unknown): string {
  return typeof path === "string" ? ` in ${path}` : "";
}

/**
 * Returns a range of lines. `view_range` is the first and the last line, -1 for the end; `offset` and `limit`
 * are the first line and the count.
 */
function range({ view_range, offset, limit }: Input): string {
  const [first, last] = Array.isArray(view_range) ? view_range : [offset, endOf(offset, limit)];
  if (first === undefined && last === undefined) return "";
  return ` from line ${first ?? 1}${last === undefined || last === -1 ? "" : ` to ${last}`}`;
}

function endOf(offset: unknown, limit: unknown): number | undefined {
  if (typeof limit !== "number") return undefined;
  return Math.max(typeof offset === "number" ? offset : 1, 1) + limit - 1;
}

function lines(content: string): string {
  const number = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
  return number === 1 ? "1 line" : `${count(number)} lines`;
}

/** Returns the first non-empty line of a text, with `…` if there are more. */
function oneLine(value: string): string {
  const all = value.trim().split("\n");
  return all.length === 1 ? (all[0] ?? "") : `${all[0]} …`;
}
