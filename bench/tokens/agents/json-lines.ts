import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { AnyJson } from "../../../tests/acceptance/harness/api.ts";
import { descendantsOf, isAlive } from "../../../tests/crash/processes.ts";

/** A program that writes JSON, one value a line. */
export class JsonLines {
  readonly #child: ChildProcess;
  readonly #end: () => void;
  #wanted: ((line: AnyJson) => boolean) | null = null;
  #found = Promise.withResolvers<void>();
  #last = "";

  /** Starts the program without this process's environment. */
  constructor(command: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
    const [file = "", ...args] = command;
    const variables = { PATH: `${process.env.PATH}`, NO_COLOR: "1", ...env };
    const child = spawn(file, args, { cwd, env: variables, stdio: "pipe" });
    this.#child = child;
    this.#end = () => child.kill("SIGKILL");
    process.once("exit", this.#end);
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
    createInterface({ input: child.stdout }).on("line", (line) => this.#take(line));
    child.stdin.on("error", () => {});
    child.once("close", (code) => this.#found.reject(new Error(`it ended with ${code}: ${this.#last}`)));
    this.#found.promise.catch(() => {});
  }

  /** Sends a message, and resolves when a later value satisfies `wanted`. */
  async ask(message: unknown, wanted: (line: AnyJson) => boolean): Promise<void> {
    this.#wanted = wanted;
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
    await this.#found.promise;
    this.#found = Promise.withResolvers();
    this.#found.promise.catch(() => {});
  }

  /** Resolves when the program has ended by itself, with its last error output. */
  async ended(): Promise<{ code: number | null; last: string }> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) await once(this.#child, "close");
    process.off("exit", this.#end);
    return { code: this.#child.exitCode, last: this.#last };
  }

  async stop(): Promise<void> {
    const { pid } = this.#child;
    const started = pid === undefined ? [] : descendantsOf(pid);
    this.#child.kill("SIGTERM");
    const force = setTimeout(this.#end, 5_000);
    await this.ended();
    clearTimeout(force);
    for (const one of started) if (isAlive(one)) process.kill(one, "SIGKILL");
  }

  #take(line: string): void {
    this.#keep(line);
    if (this.#wanted === null || !line.startsWith("{") || !this.#wanted(JSON.parse(line))) return;
    this.#wanted = null;
    this.#found.resolve();
  }

  #keep(text: string): void {
    this.#last = (this.#last + text).slice(-600);
  }
}
