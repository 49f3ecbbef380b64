import type { Socket } from "node:net";
import type { Command, CommandResult } from "../interface/command.ts";
import { type CommandHost, newNonce, runCommand, type Work } from "./command-run.ts";
import { exports, namedShell, unset } from "./command-script.ts";

interface LivingBash {
  pid: number;
  lines: Socket;
  gone: Promise<void>;
  /** Names of the variables that the last command was given. */
  exported: readonly string[];
}

/**
 * A bash by name. Its commands run one after another and keep directory, variables and functions. When it ends or
 * is killed, the next command gets a new one in the last known directory.
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

  /** Waits its turn; an abort ends the waiting. */
  async run(command: Command, work: Work): Promise<CommandResult> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    try {
      if (!(await waitFor(before, work.signal))) {
        void before.then(() => turn.resolve());
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
      turn.resolve();
      return result;
    } catch (error) {
      turn.resolve();
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

  /** Null when the sandbox is gone. */
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

/** True when the turn came, false when the signal was aborted first. */
async function waitFor(turn: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  if (!signal) return turn.then(() => true);
  const aborted = Promise.withResolvers<false>();
  const onAbort = () => aborted.resolve(false);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const came = await Promise.race([turn.then(() => true), aborted.promise]);
  signal.removeEventListener("abort", onAbort);
  return came;
}
