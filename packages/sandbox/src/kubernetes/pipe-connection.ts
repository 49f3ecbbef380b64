import { Readable, type Writable } from "node:stream";
import { encodeFrame, type Frame, FrameDecoder } from "@berth/egress";
import { PodLostError, SandboxError } from "../interface/errors.ts";
import { CHUNK_BYTES, ChannelWriter } from "./channel-writer.ts";

/**
 * Interval of keep-alive requests to the server. Without them, intermediaries would close an idle connection.
 */
const ALIVE_MS = 10_000;
/**
 * Milliseconds of silence after which the server counts as unreachable. A lost node does not close the
 * connection.
 */
const SILENT_MS = 30_000;

/** Standard input and output of a running `pipe-server.pl`. */
export interface ServerStreams {
  input: Writable;
  output: Readable;
  /** Returns its standard error once it has ended. */
  errors(): string;
  /** Resolves with null when the connection ended before the server did. */
  exitCode: Promise<number | null>;
}

interface Channel {
  data?(bytes: Buffer): void;
  /** `why` is the reason when the channel failed, else null. */
  ended(why: string | null): void;
  credit?(bytes: number): void;
}

/**
 * Gives access to the named pipes and uploads of one sandbox, through the server in the container beside it.
 */
export class PipeConnection {
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<string>;
  readonly #streams: ServerStreams;
  readonly #decoder = new FrameDecoder();
  readonly #channels = new Map<number, Channel>();
  #last = 0;
  #gone = false;
  /** Why this side closed the connection; null when it did not. */
  #closedHere: string | null = null;
  #isSilent = false;
  #wasChanged = false;
  #noted: string | null = null;

  private constructor(streams: ServerStreams, ready: () => void) {
    this.#streams = streams;
    const closed = Promise.withResolvers<string>();
    this.closed = closed.promise;
    let heardAt = performance.now();
    const take = (chunk: Buffer) => {
      heardAt = performance.now();
      this.#receive(chunk, ready);
    };
    streams.output.on("data", take).on("error", () => {});
    streams.input.on("error", () => {});
    const alive = setInterval(() => {
      this.#isSilent = performance.now() - heardAt > SILENT_MS;
      if (this.#isSilent) this.close(`it said nothing for ${SILENT_MS / 1_000} seconds`);
      else this.#send(0, "P");
    }, ALIVE_MS).unref();
    streams.output.once("close", () => {
      clearInterval(alive);
      this.#end();
      closed.resolve(this.#closedHere ?? this.#whyEnded());
    });
  }

  /** Resolves when the server is ready. Rejects with `SandboxError` when it ends before that. */
  static async open(streams: ServerStreams): Promise<PipeConnection> {
    const ready = Promise.withResolvers<true>();
    const connection = new PipeConnection(streams, () => ready.resolve(true));
    const isReady = await Promise.race([ready.promise, connection.closed.then(() => false)]);
    if (isReady) return connection;
    await connection.undo();
    throw new SandboxError(`the server of the sandbox's pipes ended: ${streams.errors() || "no reason"}`);
  }

  /** Whether the connection, and with it every stream, has ended. */
  get isGone(): boolean {
    return this.#gone;
  }

  /** Whether an earlier server placed or removed files after the last `note`. */
  get wasChanged(): boolean {
    return this.#wasChanged;
  }

  /** The last note that an earlier server stored; null for none. */
  get noted(): string | null {
    return this.#noted;
  }

  /** Stores, for later servers, a description of all files that were placed so far. */
  note(text: string): void {
    this.#send(0, "N", text);
  }

  makeDirectory(path: string): void {
    this.#send(0, "M", path);
  }

  /**
   * Reads a named pipe. The stream ends when every writer has closed the pipe, but not before the first has
   * opened it.
   */
  read(path: string): Readable {
    const number = this.#next();
    let taken = 0;
    const readable = new Readable({
      // Node calls this when the buffered bytes have been read; then the server may send as many again.
      read: () => {
        if (taken < CHUNK_BYTES) return;
        this.#send(number, "K", String(taken));
        taken = 0;
      },
      destroy: (error, done) => {
        this.#close(number);
        done(error);
      },
    });
    this.#begin(number, "R", path, {
      data: (bytes) => {
        taken += bytes.length;
        readable.push(bytes);
      },
      ended: () => readable.push(null),
    });
    return readable;
  }

  write(path: string): Writable {
    const number = this.#next();
    const writer = new ChannelWriter(
      (kind, body) => this.#send(number, kind, body),
      () => this.#close(number),
    );
    this.#begin(number, "W", path, {
      ended: () => writer.destroy(),
      credit: (bytes) => writer.allow(bytes),
    });
    return writer;
  }

  /**
   * Places a file, which appears at its path only once complete. Rejects with `SandboxError` when the server
   * cannot place it.
   */
  async place(path: string, mode: number, contents: AsyncIterable<Uint8Array>): Promise<void> {
    const number = this.#next();
    const stored = Promise.withResolvers<void>();
    // The server may reject the file while the contents are still being read.
    stored.promise.catch(() => {});
    const writer = new ChannelWriter(
      (kind, body) => this.#send(number, kind, body),
      () => {},
    );
    this.#begin(number, "F", `${mode.toString(8)} ${path}`, {
      ended: (why) => {
        writer.destroy();
        if (why === null) stored.resolve();
        else stored.reject(new SandboxError(`the file could not be placed: ${why}`));
      },
      credit: (bytes) => writer.allow(bytes),
    });
    try {
      for await (const chunk of contents)
        await Promise.race([
          stored.promise,
          new Promise<void>((resolve) => writer.write(chunk, () => resolve())),
        ]);
      this.#send(number, "S");
      await stored.promise;
    } finally {
      this.#close(number);
    }
  }

  async remove(path: string): Promise<void> {
    const number = this.#next();
    const removed = Promise.withResolvers<void>();
    this.#begin(number, "U", path, {
      ended: (why) =>
        why === null
          ? removed.resolve()
          : removed.reject(new SandboxError(`the file could not be removed: ${why}`)),
    });
    await removed.promise;
  }

  /**
   * Returns the lines of `stat` for a path's filesystem and for the path; see `pipe-server.pl`. Empty when
   * the sandbox has ended.
   */
  async view(path: string): Promise<string[]> {
    const number = this.#next();
    const told = Promise.withResolvers<void>();
    let text = "";
    this.#begin(number, "V", path, {
      data: (bytes) => {
        text += bytes.toString("latin1");
      },
      ended: () => told.resolve(),
    });
    await told.promise;
    return text.split("\n");
  }

  async #whyEnded(): Promise<string> {
    const code = await this.#streams.exitCode;
    if (code === null) return "the connection to it was cut";
    return this.#streams.errors() || `it exited with ${code}`;
  }

  /**
   * Closes the connection of a sandbox that did not open. Rejects with `PodLostError` when neither side had
   * ended the connection.
   */
  async undo(): Promise<void> {
    const wasCut = async () => this.#closedHere === null && (await this.#streams.exitCode) === null;
    const isLost = this.#gone && (this.#isSilent || (await wasCut()));
    this.close();
    if (isLost) throw new PodLostError("the connection to the pod was cut");
  }

  /** @param why The reason, when the sandbox ends unexpectedly. */
  close(why = "it was closed"): void {
    if (!this.#gone) this.#closedHere ??= why;
    this.#streams.input.destroy();
    this.#streams.output.destroy();
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #begin(number: number, kind: string, body: string, channel: Channel): void {
    if (this.#gone) {
      queueMicrotask(() => channel.ended("the sandbox has ended"));
      return;
    }
    this.#channels.set(number, channel);
    this.#send(number, kind, body);
  }

  #receive(chunk: Buffer, ready: () => void): void {
    try {
      for (const frame of this.#decoder.push(chunk)) {
        if (frame.stream !== 0) this.#take(frame);
        else {
          this.#hear(frame.body.toString("latin1"));
          ready();
        }
      }
    } catch {
      // A server never sends such a frame, so the connection is not trusted further.
      this.close();
    }
  }

  #hear(text: string): void {
    this.#wasChanged ||= text === "changed";
    if (text.startsWith("noted ")) this.#noted = text.slice("noted ".length);
  }

  #take({ stream: number, kind, body }: Frame): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    if (kind === "D") channel.data?.(body);
    else if (kind === "K") channel.credit?.(Number(body.toString("latin1")));
    else {
      this.#channels.delete(number);
      channel.ended(kind === "X" ? body.toString().slice(0, 200) : null);
    }
  }

  #close(number: number): void {
    if (this.#channels.delete(number)) this.#send(number, "C");
  }

  #send(number: number, kind: string, body?: Uint8Array | string): void {
    if (!this.#gone) this.#streams.input.write(encodeFrame(number, kind, body));
  }

  #end(): void {
    this.#gone = true;
    for (const channel of this.#channels.values()) channel.ended("the sandbox has ended");
    this.#channels.clear();
  }
}
