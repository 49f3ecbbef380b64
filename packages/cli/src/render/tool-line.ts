import type { EventOf } from "@berth/sdk";
import { plainText } from "../terminal/plain-text.ts";
import { count } from "../terminal/quantities.ts";

/** A tool call's input in one line, as a person would say it. */
export function toolLine({ name, input }: Pick<EventOf<"agent.tool_use">, "name" | "input">): string {
  return oneLine(plainText(summaries[name]?.(input) ?? JSON.stringify(input)));
}

type Input = Record<string, unknown>;

const summaries: Record<string, (input: Input) => string> = {
  Bash: ({ command, restart }) => text(command) || (restart === true ? "restart the shell" : ""),
  Read: (input) => text(input.file_path) + range(input),
  Write: ({ file_path, content }) => `${text(file_path)} (${lines(text(content))})`,
  Edit: ({ file_path, replace_all }) => text(file_path) + (replace_all === true ? " everywhere" : ""),
  Glob: ({ pattern, path }) => text(pattern) + place(path),
  Grep: ({ pattern, path, glob }) => text(pattern) + place(path ?? glob),
};

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function place(path: unknown): string {
  return typeof path === "string" ? ` in ${path}` : "";
}

/** `view_range` has the first and last line, -1 for the end; `offset` and `limit` the first and how many. */
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

/** Of several lines the first, which is not empty, stays. */
function oneLine(value: string): string {
  const all = value.trim().split("\n");
  return all.length === 1 ? (all[0] ?? "") : `${all[0]} …`;
}
