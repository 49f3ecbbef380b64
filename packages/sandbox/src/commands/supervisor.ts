import { randomInt } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { PIPES_INSIDE } from "../inside/environment.ts";
import { shellProgram, shellScript } from "../scripts/read-script.ts";

/** The scripts of process 1 and of named shells, by their names in the directory of the pipes. */
export const COMMAND_SCRIPTS: Readonly<Record<string, string>> = {
  supervisor: shellScript("commands/supervisor.sh"),
  "restore-shell": shellProgram("commands/restore-shell.sh"),
  "end-command": shellProgram("commands/end-command.sh"),
  "save-shell": shellProgram("commands/save-shell.sh"),
  "record-processes": shellProgram("commands/record-processes.sh"),
};

/** Returns the paths of the scripts in a directory that contains them. */
export function scriptsIn(directory: string): string[] {
  return Object.keys(COMMAND_SCRIPTS).map((name) => `${directory}/${name}`);
}

/**
 * Returns the command of process 1.
 *
 * @param restoreSignals How it restores default signals for what it starts; see `supervisor.sh`.
 */
export function supervisorCommand(restoreSignals: "env" | "ask" | "no"): string[] {
  return ["/bin/sh", `${PIPES_INSIDE}/supervisor`, restoreSignals];
}

/**
 * Long, since process 1 may not run for seconds on a busy machine, or while commands use up the processor time
 * of its sandbox; and the commands of a sandbox that is given up end with it.
 */
const RESPONSE_TIMEOUT_MS = 30_000;
const MAX_LINE_BYTES = 4096;

/**
 * The server's side of process 1. Responses are untrusted: one counts only under the number of a pending
 * request, and only as a number.
 */
export class Supervisor {
  readonly #input: Writable;
  readonly #pending = new Map<number, (result: number | null) => void>();
  readonly #ready = Promise.withResolvers<boolean>();
  readonly #unresponsive: () => void;
  /**
   * Random start, because late responses to an earlier holder of process 1 may still arrive and must not
   * match.
   */
  #next = randomInt(2 ** 47);
  #line = "";
  /** Whether process 1 has ended; then every request returns null. */
  gone = false;

  /**
   * @param streams Input and output of process 1.
   * @param unresponsive Called when process 1 does not respond to a request within 30 seconds.
   */
  constructor(streams: { input: Writable; output: Readable }, unresponsive: () => void) {
    this.#input = streams.input;
    this.#unresponsive = unresponsive;
    this.#input.on("error", () => {});
    const { output } = streams;
    output.setEncoding("latin1").on("data", (text: string) => this.#read(text));
    output.on("error", () => {}).on("close", () => this.end());
  }

  /** Resolves with true when process 1 runs, with false when it ends before that. */
  get ready(): Promise<boolean> {
    return this.#ready.promise;
  }

  /** Sends a request. Returns the number in the response; null when it has none or process 1 has ended. */
  request(...words: (string | number)[]): Promise<number | null> {
    if (this.gone) return Promise.resolve(null);
    const number = this.#next++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#unresponsive(), RESPONSE_TIMEOUT_MS);
      this.#pending.set(number, (result) => {
        clearTimeout(timer);
        resolve(result);
      });
      this.#input.write(`${number} ${words.join(" ")}\n`);
    });
  }

  /** Resolves all pending and later requests with null. */
  end(): void {
    this.gone = true;
    this.#ready.resolve(false);
    for (const settle of this.#pending.values()) settle(null);
    this.#pending.clear();
  }

  #read(text: string): void {
    const lines = `${this.#line}${text}`.split("\n");
    this.#line = (lines.pop() ?? "").slice(-MAX_LINE_BYTES);
    for (const line of lines) {
      if (line === "ready") this.#ready.resolve(true);
      const [, number, result] = /^(\d{1,15}) (\d{0,10})$/.exec(line) ?? [];
      const settle = this.#pending.get(Number(number));
      if (!settle) continue;
      this.#pending.delete(Number(number));
      settle(result ? Number(result) : null);
    }
  }
}
