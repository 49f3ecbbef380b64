import type { EventOf } from "@berth/sdk";
import { plainText } from "./plain-text.ts";
import { count } from "./quantities.ts";

/** A tool call's input in one line, as a person would say it. */
export function toolLine({ name, input }: Pick<EventOf<"agent.tool_use">, "name" | "input">): string {
  return oneLine(plainText(summaries[name]?.(input) ?? JSON.stringify(input)));
}

type Input = Record<string, unknown>;

const summaries: Record<string, (input: Input) => string> = {
  Bash: ({ command, restart }) => text(command) || (restart === true ? "restart the shell" : ""),
  Read: ({ file_path, view_range }) =>
    text(file_path) + (Array.isArray(view_range) ? ` lines ${view_range.join("–")}` : ""),
  Write: ({ file_path, content }) => `${text(file_path)} (${lines(text(content))})`,
  Edit: ({ file_path, replace_all }) => text(file_path) + (replace_all === true ? " everywhere" : ""),
  Glob: ({ pattern, path }) => text(pattern) + place(path),
  Grep: ({ pattern, path }) => text(pattern) + place(path),
};

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function place(path: unknown): string {
  return typeof path === "string" ? ` in ${path}` : "";
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
