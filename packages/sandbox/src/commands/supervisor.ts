import type { Readable, Writable } from "node:stream";
import { PIPES_INSIDE } from "../inside/paths.ts";
import { shellScript } from "../scripts/read-script.ts";

/** The script of process 1, which lies beside the pipes. */
export const SUPERVISOR = shellScript("commands/supervisor.sh");

/** @param restoreSignals How it restores the default signals of what it starts; see `supervisor.sh`. */
export function supervisorCommand(restoreSignals: "env" | "ask" | "no"): string[] {
  return ["/bin/sh", `${PIPES_INSIDE}/supervisor`, restoreSignals];
}

const RESPONSE_TIMEOUT_MS = 5000;
const MAX_LINE_BYTES = 4096;

/**
 * The server's side of process 1. What comes back is untrusted: an answer counts only under the number of a request
 * that waits, and only as a number.
 */
export class Supervisor {
  readonly #input: Writable;
  readonly #waiting = new Map<number, (answer: number | null) => void>();
  readonly #ready = Promise.withResolvers<boolean>();
  readonly #unresponsive: () => void;
  #next = 1;
  #line = "";
  /** Process 1 is gone; every request answers null. */
  gone = false;

  /**
   * @param streams Of process 1: what it reads and what it writes.
   * @param unresponsive Called when process 1 leaves a request unanswered for five seconds.
   */
  constructor(streams: { input: Writable; output: Readable }, unresponsive: () => void) {
    this.#input = streams.input;
    this.#unresponsive = unresponsive;
    this.#input.on("error", () => {});
    const { output } = streams;
    output.setEncoding("latin1").on("data", (text: string) => this.#read(text));
    output.on("error", () => {}).on("close", () => this.end());
  }

  /** True when process 1 runs, false when it never did. */
  get ready(): Promise<boolean> {
    return this.#ready.promise;
  }

  /** The number that process 1 answers; null when it answers none or is gone. */
  request(...words: (string | number)[]): Promise<number | null> {
    if (this.gone) return Promise.resolve(null);
    const number = this.#next++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#unresponsive(), RESPONSE_TIMEOUT_MS);
      this.#waiting.set(number, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#input.write(`${number} ${words.join(" ")}\n`);
    });
  }

  /** Answers null to all that wait, and to all that come. */
  end(): void {
    this.gone = true;
    this.#ready.resolve(false);
    for (const settle of this.#waiting.values()) settle(null);
    this.#waiting.clear();
  }

  #read(text: string): void {
    const lines = `${this.#line}${text}`.split("\n");
    this.#line = (lines.pop() ?? "").slice(-MAX_LINE_BYTES);
    for (const line of lines) {
      if (line === "ready") this.#ready.resolve(true);
      const [, number, answer] = /^(\d{1,15}) (\d{0,10})$/.exec(line) ?? [];
      const settle = this.#waiting.get(Number(number));
      if (!settle) continue;
      this.#waiting.delete(Number(number));
      settle(answer ? Number(answer) : null);
    }
  }
}
