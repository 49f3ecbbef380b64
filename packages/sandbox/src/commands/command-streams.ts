import type { Readable, Writable } from "node:stream";
import { type Ending, noShell, poll } from "./command-ending.ts";
import type { CommandOutput } from "./command-output.ts";
import { type Feed, feedBytes, feedPipe } from "./feed-pipe.ts";
import { FrameReader } from "./frame-reader.ts";
import type { CommandPipes, OpenSlot, Slot } from "./pipes.ts";
import type { Supervisor } from "./supervisor.ts";

/** Milliseconds to wait for output after the shell has ended, while another process holds its pipe open. */
const DRAIN_MS = 250;
const NO_PROCESS = Buffer.from("no process can be started: the sandbox is at its limit\n");

interface StreamDeps {
  supervisor: Supervisor;
  pipes: CommandPipes;
  gone: AbortSignal;
}

/** The pipes of one command: the inputs of the shell and the command, and the command's output. */
export class CommandStreams {
  readonly slot: Slot;
  readonly #deps: StreamDeps;
  readonly #output: CommandOutput;
  readonly #pipe: Readable;
  readonly #frame: FrameReader;
  readonly #begun = Promise.withResolvers<number | null>();
  /** Resolves when no process holds the output pipe open. */
  readonly #drained: Promise<void>;
  readonly #inputs: Writable[] = [];
  /** Number of bytes so far. */
  #received = 0;
  /** The shell's input, when it is already open. */
  readonly #in: Writable | undefined;

  /**
   * Starts reading the output pipe.
   *
   * @param onEnd Called when the shell reports the end of the command.
   */
  constructor(
    deps: StreamDeps,
    open: OpenSlot,
    output: CommandOutput,
    nonce: string,
    onEnd: (ending: Ending) => void,
  ) {
    this.slot = open.slot;
    this.#deps = deps;
    this.#output = output;
    this.#pipe = open.output;
    this.#in = open.input;
    this.#drained = new Promise<void>((resolve) => this.#pipe.once("close", () => resolve()));
    this.#frame = new FrameReader(nonce, {
      begin: this.#begun.resolve,
      body: (bytes) => output.push(bytes, this.#pipe),
      end: (end) => onEnd({ ended: "exit", end }),
    });
    this.#pipe
      .on("data", (chunk: Buffer) => {
        this.#received += chunk.length;
        this.#frame.push(chunk);
      })
      .on("error", () => {});
  }

  /**
   * Whether the shell has opened its pipes and reads the command. Before that, nothing of the command has
   * run.
   */
  get hasBegun(): boolean {
    return this.#frame.hasBegun;
  }

  /**
   * Resolves with the pid that the shell reported, or with null when no process holds the output pipe open.
   */
  get shellPid(): Promise<number | null> {
    return Promise.race([this.#begun.promise, this.#drained.then(() => null)]);
  }

  /** Starts writing the inputs of the shell and the command. */
  feed(script: string | undefined, stdin: Feed | undefined): void {
    const { pipes } = this.#deps;
    if (script !== undefined) this.#feed(this.#in ?? pipes.write(this.slot, "in"), feedBytes(script));
    if (stdin !== undefined) this.#feed(pipes.write(this.slot, "stdin"), stdin);
  }

  /**
   * Reports when the shell dies without reporting the end of the command. Returns a function that stops this.
   *
   * @param pid The shell's pid in the sandbox; null when no shell could start.
   */
  watchShell(
    pid: number | null,
    onEnd: (ending: Ending) => void,
    shellGone: Promise<void> = this.#drained,
  ): () => void {
    if (pid === null) {
      this.#output.push(NO_PROCESS, this.#pipe);
      return noShell(this.#deps, onEnd);
    }
    const onDied = (ending: Ending) => void this.#allRead().then(() => onEnd(ending));
    return poll(this.#deps, pid, Promise.race([this.#drained, shellGone]), onDied);
  }

  /**
   * Resolves when all output is read. An ended shell may have reported the command's end behind output that
   * is still held up.
   */
  async #allRead(): Promise<void> {
    for (let before = -1; !this.#pipe.closed && (this.#pipe.isPaused() || before !== this.#received); ) {
      before = this.#received;
      await within(DRAIN_MS, this.#drained);
    }
  }

  /**
   * Takes the last output, closes the pipes and releases the slot once nothing uses it.
   *
   * @param pid Pid of a shell to kill and reap; null for none.
   * @returns how the command ended, which differs from `end` when the sandbox has ended meanwhile.
   */
  async close(end: Ending, pid: number | null, shellEnded: boolean): Promise<Ending> {
    const { supervisor, gone, pipes } = this.#deps;
    const toReap = end.ended === "died" ? null : pid;
    const reaped = toReap === null ? Promise.resolve(null) : supervisor.request("finish", toReap);
    if (end.ended !== "exit" && end.ended !== "closed") await within(DRAIN_MS, this.#drained);
    this.#frame.flush();
    for (const input of this.#inputs) input.destroy();
    void Promise.all([this.#drained, reaped]).then(() => pipes.release(this.slot));
    if (shellEnded && !this.#frame.hasBegun) void reaped.then(() => this.#pipe.destroy());
    this.#pipe.resume();
    destroyWith(gone, this.#pipe);
    return gone.aborted && end.ended === "died" ? { ended: "closed" } : end;
  }

  #feed(pipe: Writable, feed: Feed): void {
    this.#inputs.push(pipe);
    void feedPipe(
      pipe,
      this.#begun.promise.then(() => undefined),
      feed,
    );
  }
}

/** Closes the pipe when the sandbox ends: a pipe that no shell has opened would never end by itself. */
function destroyWith(gone: AbortSignal, pipe: Readable): void {
  const destroy = () => pipe.destroy();
  if (gone.aborted) destroy();
  gone.addEventListener("abort", destroy, { once: true });
  pipe.once("close", () => gone.removeEventListener("abort", destroy));
}

async function within(milliseconds: number, event: Promise<void>): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const handle = setTimeout(timer.resolve, milliseconds);
  await Promise.race([event, timer.promise]);
  clearTimeout(handle);
}
