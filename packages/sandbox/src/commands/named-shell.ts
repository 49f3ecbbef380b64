import type { Writable } from "node:stream";
import type { Command, CommandResult } from "../interface/command.ts";
import { type CommandDeps, freshStart, newNonce, runCommand, type Work } from "./command-run.ts";
import { asideShell, exports, forgetShell, isOfShell, namedShell } from "./command-script.ts";

interface LivingBash {
  pid: number;
  lines: Writable;
  gone: Promise<void>;
}

/** Lowest exit code of a shell that was ended by a signal. */
const SIGNALLED = 128;
const FORGET_TIMEOUT_MS = 10_000;

/** A command that does nothing, to start a missing bash. */
const NOTHING = { script: "builtin :", timeoutMs: 30_000 };

/**
 * A bash with a name. Its commands run one after another and share the directory, variables and functions.
 * Commands with `aside` run in copies of it (`aside-shell.sh`), concurrently with later commands.
 *
 * After each command, `end-command.sh` writes to the disk what another bash can take over. The next bash, in
 * this or a later sandbox, restores it (`restore-shell.sh`). After a bash that exited by itself, only the
 * directory is kept.
 */
export class NamedShell {
  readonly #deps: CommandDeps;
  readonly #name: string;
  #bash: LivingBash | null = null;
  #startIn: string | null = null;
  #cwd: string | null = null;
  #withheld = "";
  #revision = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param name Letters, digits, `_` and `-` only. */
  constructor(deps: CommandDeps, name: string) {
    this.#deps = deps;
    this.#name = name;
  }

  /** Pid, in the sandbox, of its bash; undefined without one. */
  get pid(): number | undefined {
    return this.#bash?.pid;
  }

  /** Runs a command after all earlier ones have ended. An abort also ends the wait. */
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
      if (command.aside) return await this.#runAside(command, work, done.resolve);
      const result = await this.#runNow(command, work);
      done.resolve();
      return result;
    } catch (error) {
      done.resolve();
      throw error;
    }
  }

  async #runNow(command: Command, work: Work): Promise<CommandResult> {
    const mark = this.#deps.marks.next();
    const nonce = newNonce();
    const environment = command.environment ?? {};
    const variables = exports(environment);
    const bash = this.#bash ?? (await this.#start(command.cwd));
    if (!bash) return closedResult(this.#cwd);
    const startIn = this.#startIn;
    this.#startIn = null;
    const { result, shellEnded } = await runCommand(
      this.#deps,
      work,
      { mark, nonce },
      {
        lasting: true,
        shellGone: bash.gone,
        start: async (slot) => {
          const fed = work.feed !== undefined;
          bash.lines.write(
            namedShell(slot, {
              ...{ mark, nonce, fed, startIn, exports: variables, script: command.script },
              ...{ name: this.#name, ...this.#givenTo(command) },
            }),
          );
          return bash.pid;
        },
      },
    );
    if (result.cwd !== null) this.#cwd = result.cwd;
    if (shellEnded) {
      bash.lines.destroy();
      this.#bash = null;
      if (result.exitCode !== null && result.exitCode < SIGNALLED) await this.#forget();
    }
    return { ...result, cwd: this.#cwd };
  }

  /**
   * Runs a command in a copy of the bash.
   *
   * @param begun Called when the copy exists, so that the bash is free for other commands.
   */
  async #runAside(command: Command, work: Work, begun: () => void): Promise<CommandResult> {
    // A new bash may print a note about what was not restored.
    const opened = this.#bash === null ? await this.#runNow({ ...command, ...NOTHING }, NOTHING) : null;
    const bash = this.#bash;
    if (bash === null || opened?.ended === "closed") {
      begun();
      return opened ?? closedResult();
    }
    const names = { mark: this.#deps.marks.next(), nonce: newNonce() };
    const parts = { ...names, fed: work.feed !== undefined, script: command.script };
    const variables = exports(command.environment ?? {});
    const { result } = await runCommand(this.#deps, work, names, {
      lasting: false,
      orphan: true,
      start: async (slot, reported) => {
        bash.lines.write(asideShell(slot, { ...parts, exports: variables }));
        const pid = await Promise.race([reported, bash.gone.then(() => null)]);
        begun();
        return pid;
      },
    });
    if (opened === null || opened.output.length === 0) return result;
    return { ...result, output: Buffer.concat([opened.output, result.output]) };
  }

  /**
   * Returns the variables and secrets that are not saved. The shell compares only their revision, which
   * contains no secret.
   */
  #givenTo({ environment = {}, secrets = [] }: Command) {
    const given = Object.keys(environment).filter((name) => !isOfShell(name));
    const withheld = JSON.stringify([given, secrets]);
    if (withheld !== this.#withheld) this.#revision += 1;
    this.#withheld = withheld;
    return { given, secrets, revision: this.#revision };
  }

  async #forget(): Promise<void> {
    const names = { mark: this.#deps.marks.next(), nonce: newNonce(), helps: true as const };
    const script = forgetShell(this.#name, this.#cwd ?? "/data");
    const parts = { ...names, script, exports: "", cwd: "/", fed: false };
    await runCommand(this.#deps, { timeoutMs: FORGET_TIMEOUT_MS }, names, freshStart(this.#deps, parts));
  }

  /** Starts a bash. Returns null when the sandbox has ended. */
  async #start(cwd: string | undefined): Promise<LivingBash | null> {
    const { pipes, supervisor, gone } = this.#deps;
    const slot = await pipes.take();
    const output = pipes.read(slot);
    const lines = pipes.write(slot, "in");
    output.on("error", () => {}).resume();
    lines.on("error", () => {});
    const ended = new Promise<void>((resolve) => output.once("close", () => resolve()));
    gone.addEventListener("abort", () => [output, lines].map((stream) => stream.destroy()), { once: true });
    void ended.then(() => pipes.release(slot));
    const pid = await supervisor.request("shell", slot.name);
    if (pid === null) {
      lines.destroy();
      output.destroy();
      return null;
    }
    this.#startIn = this.#cwd ?? cwd ?? "/data";
    this.#bash = { pid, lines, gone: ended };
    return this.#bash;
  }
}

/** Returns the result of a command whose sandbox has ended. */
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

/** Resolves with true when the promise resolved, with false when the signal aborted first. */
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
