import type { CommandDeps } from "./command-run.ts";
import { feedBytes, feedPipe } from "./feed-pipe.ts";
import type { SpareShell } from "./spare-shell.ts";
import { finishShell, type StartedShell, startShell } from "./started-shell.ts";

const BEGUN = "echo begun\n";
const DONE = "echo done\nexit\n";
/** Milliseconds to wait, because the shell may have started a command just before it died. */
const DIED_MS = 1_000;

/** Starts several commands side by side with one fresh shell, which then ends. */
export class SharedStart {
  /**
   * Resolves when the shell has died without starting all commands: a command that has not begun by then
   * never will.
   */
  readonly failed: Promise<null>;
  readonly #deps: CommandDeps;
  readonly #spare: SpareShell;
  readonly #texts: string[] = [];
  readonly #fail: (nothing: null) => void;
  #missing: number;

  /** @param count Number of commands, each of which must be added or left out. */
  constructor(deps: CommandDeps, spare: SpareShell, count: number) {
    this.#deps = deps;
    this.#spare = spare;
    this.#missing = count;
    const { promise, resolve } = Promise.withResolvers<null>();
    this.failed = promise;
    this.#fail = resolve;
  }

  /** Adds a command. @param text The text that makes the shell start it. */
  add(text: string): void {
    this.#texts.push(text);
    this.leaveOut();
  }

  leaveOut(): void {
    this.#missing -= 1;
    if (this.#missing > 0 || this.#texts.length === 0) return;
    this.#start()
      .catch(() => false)
      .then((started) => (started ? undefined : setTimeout(() => this.#fail(null), DIED_MS).unref()));
  }

  /** Starts the shell and returns whether it started all commands. */
  async #start(): Promise<boolean> {
    const waiting = this.#spare.take();
    const said = await this.#tell(waiting ?? (await startShell(this.#deps)));
    if (said !== "" || waiting === undefined) return said.endsWith("done\n");
    // The waiting shell had died before it read anything.
    return (await this.#tell(await startShell(this.#deps))).endsWith("done\n");
  }

  /** Gives the shell all commands, and waits for its end. Returns its output. */
  async #tell(shell: StartedShell): Promise<string> {
    const { output, input } = shell;
    let said = "";
    const begun = Promise.withResolvers<void>();
    const ended = new Promise<void>((resolve) => output.once("close", () => resolve()));
    output.on("data", (chunk: Buffer) => {
      said += chunk.toString("latin1");
      begun.resolve();
    });
    void feedPipe(input, begun.promise, feedBytes([BEGUN, ...this.#texts, DONE].join("")));
    if (!output.closed) await ended;
    input.destroy();
    await finishShell(this.#deps, shell);
    return said;
  }
}
