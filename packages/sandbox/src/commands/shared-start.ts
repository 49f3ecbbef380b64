import type { CommandHost } from "./command-run.ts";
import { feedBytes, feedPipe } from "./feed-pipe.ts";
import type { OpenSlot } from "./pipes.ts";
import type { SpareShell, WaitingShell } from "./spare-shell.ts";

const BEGUN = "echo begun\n";
const DONE = "echo done\nexit\n";
/** A command of a shell that died may have been started just before. */
const DIED_MS = 1_000;

/** One fresh shell that starts several commands side by side, and then ends. */
export class SharedStart {
  /** Resolves when the shell has died without having started all: what has not begun by then never will. */
  readonly failed: Promise<null>;
  readonly #host: CommandHost;
  readonly #spare: SpareShell;
  readonly #texts: string[] = [];
  readonly #fail: (nothing: null) => void;
  #missing: number;

  /** @param count of commands, each of which is to be added or left out. */
  constructor(host: CommandHost, spare: SpareShell, count: number) {
    this.#host = host;
    this.#spare = spare;
    this.#missing = count;
    const { promise, resolve } = Promise.withResolvers<null>();
    this.failed = promise;
    this.#fail = resolve;
  }

  /** @param text what the shell reads to start the command. */
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

  /** Whether all commands were started. */
  async #start(): Promise<boolean> {
    const waiting = this.#spare.take();
    const said = await this.#tell(waiting ?? (await this.#freshShell()));
    if (said !== "" || waiting === undefined) return said.endsWith("done\n");
    // The shell that waited has died before it read anything.
    return (await this.#tell(await this.#freshShell())).endsWith("done\n");
  }

  /** Gives the shell all commands, and waits for its end. Returns what it said. */
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
