import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { shellScript } from "../scripts/read-script.ts";
import type { Feed, PipeWriter } from "./feed-pipe.ts";

const KEEP_OUTPUT = shellScript("commands/keep-output.sh");
const DIRECTORY = "/var/tmp/output";
/** Number of queued bytes at which the command's pipe is paused. */
const HIGH_WATER = 1024 * 1024;
/** Maximum bytes of a kept output, so that a flood leaves space on the disk. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
const CUT = Buffer.from(`\n[only the first ${MAX_KEPT_BYTES} bytes are kept]\n`);

/** Runs a script of the sandbox with `feed` as its standard input. Returns whether it exited with 0. */
export type RunFed = (
  script: string,
  environment: Readonly<Record<string, string>>,
  feed: Feed,
) => Promise<boolean>;

/**
 * Writes the first 256 MiB of a command's output to a file on the sandbox's disk. A command of the sandbox
 * writes it, because the server must not resolve a path that the agent can write. The source is paused while
 * the file lags, so memory is bounded.
 */
export class OutputSpill {
  readonly path = `${DIRECTORY}/${randomBytes(6).toString("hex")}.txt`;
  readonly #done: Promise<boolean>;
  #queue: Buffer[] = [];
  #queued = 0;
  #room = MAX_KEPT_BYTES;
  #ended = false;
  /** Whether further bytes are ignored: all are written, or the file cannot be written. */
  #over = false;
  #wake: () => void = () => {};
  #paused: Readable | null = null;

  /** @param first The output so far, once it exceeds its window. */
  constructor(runFed: RunFed, first: Buffer) {
    if (first.length > 0) this.#take(first);
    this.#done = this.#write(runFed);
  }

  push(bytes: Buffer, source: Readable): void {
    if (this.#over || this.#room === 0) return;
    this.#take(bytes);
    if (this.#queued > HIGH_WATER && !this.#paused) {
      this.#paused = source;
      source.pause();
    }
    this.#wake();
  }

  #take(bytes: Buffer): void {
    const taken = bytes.subarray(0, this.#room);
    this.#room -= taken.length;
    const chunks = this.#room === 0 ? [taken, CUT] : [taken];
    this.#queue.push(...chunks);
    for (const { length } of chunks) this.#queued += length;
  }

  /** Returns the path of the file, or null when it could not be written; then there is no file. */
  async finish(): Promise<string | null> {
    this.#ended = true;
    this.#wake();
    return (await this.#done) ? this.path : null;
  }

  async #write(runFed: RunFed): Promise<boolean> {
    const written = await runFed(KEEP_OUTPUT, { OUTPUT_FILE: this.path }, (writer) => this.#feed(writer));
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
