import { addOutput, type OutputText, type ToolOutput } from "@berth/sdk";
import { plainText } from "../terminal/plain-text.ts";

const LINES = 5;

/** The last lines of the output of running calls, until they have their results. */
export class RunningOutput {
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
