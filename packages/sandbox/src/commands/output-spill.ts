import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { quote } from "./command-script.ts";
import type { Feed, PipeWriter } from "./pipe-feeder.ts";

const DIRECTORY = "/var/tmp/output";
/** Bytes on their way into the file at which the command's own pipe is paused. */
const HIGH_WATER = 1024 * 1024;

/** Runs a script inside that reads `feed`; true when it ended well. */
export type RunFed = (script: string, feed: Feed) => Promise<boolean>;

/**
 * Writes the whole output of a command to a file on the sandbox's disk, through a command of its own inside: the
 * server resolves no path that the agent can write. The source is paused while the file lags, so memory stays bounded.
 */
export class OutputSpill {
  readonly path = `${DIRECTORY}/${randomBytes(6).toString("hex")}.txt`;
  readonly #done: Promise<boolean>;
  #queue: Buffer[] = [];
  #queued = 0;
  #ended = false;
  /** Nothing is taken any more: all is written, or the file cannot be, as on a full disk. */
  #over = false;
  #wake: () => void = () => {};
  #paused: Socket | null = null;

  /** @param first What came before the output outgrew its window. */
  constructor(runFed: RunFed, first: Buffer) {
    if (first.length > 0) this.#queue.push(first);
    this.#done = this.#write(runFed);
  }

  push(bytes: Buffer, source: Socket): void {
    if (this.#over) return;
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    if (this.#queued > HIGH_WATER && !this.#paused) {
      this.#paused = source;
      source.pause();
    }
    this.#wake();
  }

  /** The file's path when all of it was written, else null. */
  async finish(): Promise<string | null> {
    this.#ended = true;
    this.#wake();
    return (await this.#done) ? this.path : null;
  }

  async #write(runFed: RunFed): Promise<boolean> {
    const script = `mkdir -p ${DIRECTORY} && cat >${quote(this.path)}`;
    const written = await runFed(script, (writer) => this.#feed(writer));
    this.#over = true;
    this.#queue = [];
    this.#resume();
    return written;
  }

  async #feed(writer: PipeWriter): Promise<void> {
    while (!writer.closed) {
      const chunk = this.#queue.shift();
      if (chunk) {
        await writer.write(chunk);
        this.#queued -= chunk.length;
        if (this.#queued < HIGH_WATER / 2) this.#resume();
      } else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #resume(): void {
    this.#paused?.resume();
    this.#paused = null;
  }
}
