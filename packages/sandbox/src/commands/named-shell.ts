import type { Socket } from "node:net";
import type { Command, CommandResult } from "../interface/command.ts";
import { type CommandHost, newNonce, runCommand, type Work } from "./command-run.ts";
import { exports, namedShell, unset } from "./command-script.ts";

interface LivingBash {
  pid: number;
  lines: Socket;
  gone: Promise<void>;
  /** Names of the variables of the last command. */
  exported: readonly string[];
}

/**
 * A bash with a name. Its commands run one after another and keep the directory, variables and functions. After it ends or is
 * killed, the next command gets a new bash in the last known directory.
 */
export class NamedShell {
  readonly #host: CommandHost;
  #bash: LivingBash | null = null;
  #startIn: string | null = null;
  #cwd: string | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: CommandHost) {
    this.#host = host;
  }

  /** Waits for the commands before it; an abort ends the wait. */
  async run(command: Command, work: Work): Promise<CommandResult> {
    const before = this.#last;
    const done = Promise.withResolvers<void>();
    this.#last = done.promise;
    try {
      if (!(await waitFor(before, work.signal))) {
        void before.then(() => done.resolve());
        return {
          exitCode: null,
          ended: "aborted",
          output: new Uint8Array(),
          omittedBytes: 0,
          outputFile: null,
          cwd: this.#cwd,
        };
      }
      const result = await this.#runNow(command, work);
      done.resolve();
      return result;
    } catch (error) {
      done.resolve();
      throw error;
    }
  }

  async #runNow(command: Command, work: Work): Promise<CommandResult> {
    const mark = this.#host.marks.next();
    const nonce = newNonce();
    const environment = command.environment ?? {};
    const given = exports(environment);
    const bash = this.#bash ?? (await this.#start(command.cwd));
    if (!bash) return closedResult(this.#cwd);
    const startIn = this.#startIn;
    this.#startIn = null;
    const variables = unset(bash.exported.filter((name) => !Object.hasOwn(environment, name))) + given;
    bash.exported = Object.keys(environment);
    const { result, shellEnded } = await runCommand(
      this.#host,
      work,
      { mark, nonce },
      {
        lasting: true,
        shellGone: bash.gone,
        start: async (slot) => {
          const fed = work.feed !== undefined;
          bash.lines.write(
            namedShell(slot, { mark, exports: variables, script: command.script, nonce, fed, startIn }),
          );
          return bash.pid;
        },
      },
    );
    if (result.cwd !== null) this.#cwd = result.cwd;
    if (shellEnded) {
      bash.lines.destroy();
      this.#bash = null;
    }
    return { ...result, cwd: this.#cwd };
  }

  /** Null when the sandbox has ended. */
  async #start(cwd: string | undefined): Promise<LivingBash | null> {
    const { pipes, supervisor, gone } = this.#host;
    const slot = await pipes.take();
    const output = pipes.read(slot);
    const lines = pipes.write(slot, "in");
    output.on("error", () => {}).resume();
    lines.on("error", () => {});
    const ended = new Promise<void>((resolve) => output.once("close", () => resolve()));
    gone.addEventListener("abort", () => [output, lines].map((socket) => socket.destroy()), { once: true });
    void ended.then(() => pipes.release(slot));
    const pid = await supervisor.request("shell", slot.name);
    if (pid === null) {
      lines.destroy();
      output.destroy();
      return null;
    }
    this.#startIn = this.#cwd ?? cwd ?? "/data";
    this.#bash = { pid, lines, gone: ended, exported: [] };
    return this.#bash;
  }
}

export function closedResult(cwd: string | null = null): CommandResult {
  return {
    exitCode: null,
    ended: "closed",
    output: new Uint8Array(),
    omittedBytes: 0,
    outputFile: null,
    cwd,
  };
}

/** True when the promise resolved, false when the signal was aborted first. */
async function waitFor(before: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  if (!signal) return before.then(() => true);
  const aborted = Promise.withResolvers<false>();
  const onAbort = () => aborted.resolve(false);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const resolved = await Promise.race([before.then(() => true), aborted.promise]);
  signal.removeEventListener("abort", onAbort);
  return resolved;
}
