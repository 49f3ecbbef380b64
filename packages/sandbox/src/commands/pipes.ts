import { execFile } from "node:child_process";
import { chownSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";

const run = promisify(execFile);
const BATCH = 4;

/** The three named pipes of one command: what its shell reads, what it writes, what it reads. */
export interface Slot {
  readonly name: string;
}

export type Direction = "in" | "out" | "stdin";

/**
 * The named pipes between the server and one sandbox, in a host directory that the sandbox sees read-only. Node's own pipes
 * are sockets, which a process cannot open by `/dev/stderr`. A slot is reused when its command and every process that held
 * its output have ended.
 */
export class Pipes {
  readonly #directory: string;
  readonly #uid: number | null;
  readonly #mkfifo: string;
  #free: Slot[] = [];
  #made = 0;
  #making: Promise<void> | null = null;

  /**
   * @param uid Owner of the pipes; null where this process cannot change owners.
   * @param made Number of slots whose pipes exist already; see `pipePaths`.
   */
  constructor(directory: string, uid: number | null, mkfifo: string, made = 0) {
    this.#directory = directory;
    this.#uid = uid;
    this.#mkfifo = mkfifo;
    this.#made = made;
    this.#free = slots(0, made).reverse();
  }

  async take(): Promise<Slot> {
    for (;;) {
      const slot = this.#free.pop();
      if (slot) return slot;
      this.#making ??= this.make().finally(() => {
        this.#making = null;
      });
      await this.#making;
    }
  }

  release(slot: Slot): void {
    this.#free.push(slot);
  }

  /** Makes more slots, with one process. */
  async make(): Promise<void> {
    const made = slots(this.#made, BATCH);
    this.#made += BATCH;
    const paths = pathsOf(this.#directory, made);
    await run(this.#mkfifo, ["-m", "600", ...paths]);
    if (this.#uid !== null) for (const path of paths) chownSync(path, this.#uid, this.#uid);
    this.#free.push(...made.reverse());
  }

  /** The stream ends when every writer has closed the pipe, and not before the first has opened it. */
  read(slot: Slot): Socket {
    const fd = openSync(this.#path(slot, "out"), constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd, readable: true, writable: false });
  }

  /**
   * Opened for both directions, so that opening does not wait for a reader. Bytes are lost when it is closed before a reader
   * has opened the pipe: end it only after the shell has reported that it runs.
   */
  write(slot: Slot, direction: "in" | "stdin"): Socket {
    const fd = openSync(this.#path(slot, direction), constants.O_RDWR | constants.O_NONBLOCK);
    return new Socket({ fd, readable: false, writable: true });
  }

  #path(slot: Slot, direction: Direction): string {
    return path(this.#directory, slot, direction);
  }
}

/** Paths of the pipes of the first slots, for the caller to make, with mode 600. */
export function pipePaths(directory: string, count: number): string[] {
  return pathsOf(directory, slots(0, count));
}

function slots(first: number, count: number): Slot[] {
  return Array.from({ length: count }, (_, index) => ({ name: String(first + index) }));
}

function pathsOf(directory: string, slots: readonly Slot[]): string[] {
  return slots.flatMap((slot) =>
    (["in", "out", "stdin"] as const).map((direction) => path(directory, slot, direction)),
  );
}

function path(directory: string, slot: Slot, direction: Direction): string {
  return `${directory}/${slot.name}.${direction}`;
}

/** Writes to a pipe that a process of the sandbox may or may not read. */
export interface PipeWriter {
  /** Resolves when the pipe has taken the bytes, or nobody will ever read them: then `closed` is true. */
  write(bytes: Uint8Array | string): Promise<void>;
  readonly closed: boolean;
}

export type Feed = (writer: PipeWriter) => Promise<void>;

/**
 * Runs `feed`, and closes the pipe when that is done and a reader has opened it (`begun`). The caller destroys the socket when
 * the reader has ended; the remaining bytes are then dropped.
 */
export async function feedPipe(socket: Socket, begun: Promise<void>, feed: Feed): Promise<void> {
  socket.on("error", () => {});
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const writer: PipeWriter = {
    write: (bytes) =>
      socket.destroyed
        ? Promise.resolve()
        : Promise.race([gone, new Promise<void>((resolve) => socket.write(bytes, () => resolve()))]),
    get closed() {
      return socket.destroyed;
    },
  };
  await Promise.race([gone, feed(writer)]).catch(() => {});
  await Promise.race([gone, begun]);
  socket.destroy();
}

/** Feeds a stream. */
export function feedStream(stream: AsyncIterable<Uint8Array>): Feed {
  return async (writer) => {
    for await (const chunk of stream) {
      if (writer.closed) return;
      await writer.write(chunk);
    }
  };
}

/** Feeds these bytes. */
export function feedBytes(bytes: Uint8Array | string): Feed {
  return (writer) => writer.write(bytes);
}
