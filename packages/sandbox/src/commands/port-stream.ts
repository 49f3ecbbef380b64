import { Duplex } from "node:stream";
import type { CommandResult } from "../interface/command.ts";
import type { PortConnection } from "../interface/port-connection.ts";
import { quote } from "../scripts/quote.ts";
import { perlText } from "../scripts/read-script.ts";
import type { Work } from "./command-run.ts";
import type { PipeWriter } from "./feed-pipe.ts";

const RELAY = perlText("ports/relay.pl");
/** The longest time of a timer, which is 24 days. */
const NO_LIMIT_MS = 2 ** 31 - 1;
const HEADER_BYTES = 4;
const MAX_FRAME_BYTES = 65_536;
const [CONNECTED, REFUSED] = ["+", "-"].map((sign) => sign.charCodeAt(0));

/** Runs a script in the sandbox. */
export type RunRelay = (script: string, work: Work) => Promise<CommandResult>;

/**
 * Connects to a port through a relay that runs in the sandbox. Bytes pass through the pipes of that command,
 * both ways, no faster than each side reads.
 */
export async function connectToPort(run: RunRelay, port: number): Promise<PortConnection> {
  const stream = new PortStream();
  const script = `exec 2>/dev/null perl -e ${quote(RELAY)} ${port}`;
  const ended = run(script, {
    timeoutMs: NO_LIMIT_MS,
    maxOutputBytes: 0,
    feed: (writer) => stream.feed(writer),
    onOutput: (bytes) => stream.received(bytes),
    signal: stream.signal,
  }).then(
    (result) => {
      stream.relayEnded();
      return result;
    },
    (error: unknown) => {
      stream.destroy();
      throw error;
    },
  );
  const answer = await Promise.race([stream.answered, ended]);
  if (answer === CONNECTED) {
    ended.catch(() => undefined);
    return { ok: true, stream };
  }
  stream.destroy();
  if (answer === REFUSED) return { ok: false, reason: "not_listening" };
  const { ended: end, limit, exitCode } = await ended;
  if (end === "closed") return { ok: false, reason: "gone" };
  return { ok: false, reason: limit === "processes" || exitCode === CANNOT_START ? "full" : "failed" };
}

/** Exit code of a command whose shell could not start. */
const CANNOT_START = 126;

/** The connection as a stream, in the form that the relay writes and reads. */
class PortStream extends Duplex {
  readonly #abort = new AbortController();
  readonly #answer = Promise.withResolvers<number>();
  readonly #writer = Promise.withResolvers<PipeWriter>();
  readonly #sent = Promise.withResolvers<void>();
  #isAnswered = false;
  #rest: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  /** Resolves when more can be pushed; undefined while that is so. */
  #full: PromiseWithResolvers<void> | undefined;

  constructor() {
    super({ allowHalfOpen: true });
    // Whoever uses the stream hears of its errors; before that nobody does.
    this.on("error", () => undefined);
  }

  /** Aborts when the stream is destroyed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Resolves with the first byte of the relay's output. */
  get answered(): Promise<number> {
    return this.#answer.promise;
  }

  /** Writes the relay's standard input, until the writable side has ended. */
  async feed(writer: PipeWriter): Promise<void> {
    this.#writer.resolve(writer);
    await this.#sent.promise;
  }

  /** Takes the relay's output. Resolves when more can be taken. */
  received(bytes: Uint8Array): void | Promise<void> {
    let left = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      this.#answer.resolve(left[0] ?? 0);
      left = left.subarray(1);
    }
    this.#take(this.#rest.length === 0 ? left : Buffer.concat([this.#rest, left]));
    return this.#full?.promise;
  }

  /** The relay has ended; without the end of the server's data, the connection broke. */
  relayEnded(): void {
    this.#sent.resolve();
    if (this.#hasEnded) this.end();
    else this.destroy(new Error("The connection to the sandbox's port broke."));
  }

  override _read(): void {
    this.#full?.resolve();
    this.#full = undefined;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#writer.promise
      .then(async (writer) => {
        await writer.write(chunk);
        done(writer.closed ? new Error("The program on the sandbox's port reads no more.") : undefined);
      })
      .catch(done);
  }

  override _final(done: () => void): void {
    this.#sent.resolve();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#sent.resolve();
    this.#full?.resolve();
    this.#full = undefined;
    this.#abort.abort();
    done(error);
  }

  #take(bytes: Buffer): void {
    let at = 0;
    while (!this.#hasEnded && bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readUInt32BE(at);
      if (length > MAX_FRAME_BYTES)
        return void this.destroy(new Error("The sandbox's relay was tampered with."));
      const end = at + HEADER_BYTES + length;
      if (bytes.length < end + 1) break;
      this.#deliver(bytes.subarray(at + HEADER_BYTES, end));
      at = end + 1;
    }
    // A copy, since a small rest would otherwise hold its whole chunk in memory.
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  #deliver(data: Buffer): void {
    if (this.destroyed) return;
    if (data.length === 0) {
      this.#hasEnded = true;
      this.push(null);
    } else if (!this.push(data)) this.#full ??= Promise.withResolvers<void>();
  }
}
