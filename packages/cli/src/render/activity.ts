import { addOutput, type EventOf, type OutputText, type ToolOutput } from "@berth/sdk";
import type { Palette } from "../terminal/palette.ts";
import { cut, firstLines, plainLine, plainText } from "../terminal/plain-text.ts";
import { count, duration } from "../terminal/quantities.ts";
import { textOf } from "./content-text.ts";
import { toolLine } from "./tool-line.ts";

export type Call = EventOf<"agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use">;
type Result = EventOf<"agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result">;

const GUTTER = "  │ ";

/** The agent's current activity: thinking, or running tool calls. */
export class Activity {
  readonly #palette: Palette;
  readonly #width: number;
  readonly #calls = new Map<string, Call>();
  /** Calls that had no result when a turn ended, by id. */
  readonly #waiting = new Map<string, Call>();
  readonly #output = new RunningOutput();
  #thinking = false;
  #since = 0;

  /** @param waiting Earlier calls whose results are still to come. */
  constructor(palette: Palette, width: number, waiting: readonly Call[] = []) {
    this.#palette = palette;
    this.#width = width;
    for (const call of waiting) this.#waiting.set(call.id, call);
  }

  think(): void {
    this.#thinking = true;
    this.#since = Date.now();
  }

  stopThinking(): void {
    this.#thinking = false;
  }

  begin(call: Call): void {
    this.#calls.set(call.id, call);
    this.#since = Date.now();
  }

  printed(piece: ToolOutput): void {
    this.#output.add(piece);
  }

  /** Returns the last lines of a running call's output. */
  printedLines(): string[] {
    return this.#output.lines().map((line) => `${GUTTER}${line}`.trimEnd());
  }

  /**
   * Returns the lines of a call and its result. A call that was already printed as waiting is printed again.
   * @param loop Summary of the call's own loop. Default: null, none.
   */
  finish(event: Result, loop: string | null = null): string[] {
    const id = callOf(event);
    const call = this.#calls.get(id) ?? this.#waiting.get(id);
    this.#calls.delete(id);
    this.#waiting.delete(id);
    this.#output.end(id);
    this.#since = Date.now();
    const { dim } = this.#palette;
    return [
      ...(call === undefined ? [] : [this.#line(call)]),
      ...(loop === null ? [] : [dim(`${GUTTER}(${loop})`)]),
      ...this.#resultLines(event),
    ];
  }

  /** Returns the lines of calls without a result, which may still come. */
  unfinished(): string[] {
    const lines = [...this.#calls.values()].map((call) => this.#line(call));
    for (const [id, call] of this.#calls) this.#waiting.set(id, call);
    this.#calls.clear();
    this.#output.clear();
    return lines;
  }

  /** Returns the text for the status line, or null if the agent is idle. */
  status(now: number): string | null {
    const [call, ...others] = this.#calls.values();
    if (call === undefined && !this.#thinking)
      return this.#output.lines().length === 0 ? null : "running a command";
    const seconds = Math.floor((now - this.#since) / 1000);
    const running = call === undefined ? "thinking" : `${plainLine(call.name)}  ${cut(toolLine(call), 50)}`;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return `${running}${more}${seconds < 1 ? "" : ` · ${duration(seconds)}`}`;
  }

  #line(event: Call): string {
    const { bold, cyan, yellow } = this.#palette;
    const name = plainLine(event.name);
    const denied =
      event.type !== "agent.custom_tool_use" && event.evaluated_permission === "deny"
        ? yellow(" (denied)")
        : "";
    return `${bold(cyan(name))}  ${cut(toolLine(event), this.#width - name.length - 12)}`.trimEnd() + denied;
  }

  #resultLines({ content, is_error }: Result): string[] {
    const { dim, red } = this.#palette;
    const { lines, more } = firstLines(plainText(textOf(content)), 5);
    const shown = lines.map((line) => cut(line.trimEnd(), this.#width - GUTTER.length));
    const text = is_error ? shown : shown.map(dim);
    if (lines.join("") === "") text.splice(0, text.length, dim("(no output)"));
    if (more > 0) text.push(dim(`… ${count(more)} more lines`));
    return text.map((line) => `${(is_error ? red : dim)(GUTTER)}${line}`.trimEnd());
  }
}

function callOf(event: Result): string {
  if (event.type === "agent.tool_result") return event.tool_use_id;
  return event.type === "agent.mcp_tool_result" ? event.mcp_tool_use_id : event.custom_tool_use_id;
}

const LINES = 5;

/** The last lines of the output of running calls, until they have their results. */
class RunningOutput {
  /** Output by call, in the order of the last output. */
  readonly #printed = new Map<string, OutputText>();

  add({ tool_use_id: call, ...piece }: ToolOutput): void {
    const before = this.#printed.get(call);
    const after = addOutput(before, piece);
    if (after === before) return;
    this.#printed.delete(call);
    this.#printed.set(call, after);
  }

  end(call: string): void {
    this.#printed.delete(call);
  }

  clear(): void {
    this.#printed.clear();
  }

  /** Returns the last lines of the running call that printed last, or an empty list. */
  lines(): string[] {
    const last = [...this.#printed.values()].at(-1);
    return last === undefined ? [] : plainText(last.text).trimEnd().split("\n").slice(-LINES);
  }
}
