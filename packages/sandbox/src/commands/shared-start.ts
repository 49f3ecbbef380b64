import type { CommandHost } from "./command-run.ts";
import { feedBytes, feedPipe } from "./feed-pipe.ts";
import type { OpenSlot } from "./pipes.ts";
import type { SpareShell, WaitingShell } from "./spare-shell.ts";

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
  readonly #host: CommandHost;
  readonly #spare: SpareShell;
  readonly #texts: string[] = [];
  readonly #fail: (nothing: null) => void;
  #missing: number;

  /** @param count Number of commands, each of which must be added or left out. */
  constructor(host: CommandHost, spare: SpareShell, count: number) {
    this.#host = host;
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
    const said = await this.#tell(waiting ?? (await this.#freshShell()));
    if (said !== "" || waiting === undefined) return said.endsWith("done\n");
    // The waiting shell had died before it read anything.
    return (await this.#tell(await this.#freshShell())).endsWith("done\n");
  }

  /** Gives the shell all commands, and waits for its end. Returns its output. */
  async #tell({ slot, output, input, pid }: Shell): Promise<string> {
    const { pipes, supervisor, gone } = this.#host;
    let said = "";
    const begun = Promise.withResolvers<void>();
    const ended = new Promise<void>((resolve) => output.once("close", () => resolve()));
    output
      .on("error", () => {})
      .on("data", (chunk: Buffer) => {
        said += chunk.toString("latin1");
        begun.resolve();
      });
    const writing = input ?? pipes.write(slot, "in");
    const end = () => [writing, output].map((stream) => stream.destroy());
    gone.addEventListener("abort", end, { once: true });
    void feedPipe(writing, begun.promise, feedBytes([BEGUN, ...this.#texts, DONE].join("")));
    if (pid === null) end();
    await ended;
    gone.removeEventListener("abort", end);
    writing.destroy();
    if (pid !== null) await supervisor.request("finish", pid);
    pipes.release(slot);
    return said;
  }

  async #freshShell(): Promise<Shell> {
    const { pipes, supervisor } = this.#host;
    const slot = await pipes.take();
    const output = pipes.read(slot);
    const input = pipes.write(slot, "in");
    return { slot, output, input, pid: await supervisor.request("run", slot.name) };
  }
}

type Shell = OpenSlot & { pid: WaitingShell["pid"] | null };
