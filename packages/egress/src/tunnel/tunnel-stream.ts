import { Duplex } from "node:stream";
import type { Client } from "../protocols/client.ts";

/** Bytes that may be in flight in each direction of a stream; the same as in `scripts/sidecar.js`. */
const WINDOW_BYTES = 65_536;
/** Additional bytes that may be in flight in each direction while few streams are open. */
export const EXTRA_BYTES = 196_608;
/** Maximum bytes of one data frame. */
const CHUNK_BYTES = 65_536;
const TOLD_BYTES = 32_768;

type Send = (kind: string, body?: Uint8Array | string) => void;

/**
 * A connection of a sandbox that arrives through a tunnel. In each direction at most a window of bytes is in
 * flight, so that a connection that nobody reads does not block others.
 */
export class TunnelStream extends Duplex implements Client {
  readonly #send: Send;
  #allowed = WINDOW_BYTES;
  /** Bytes received for which no credit has been sent back yet. */
  #taken = 0;
  /** Bytes that the other side may still send. */
  #expected = WINDOW_BYTES;
  #unsent: Uint8Array = new Uint8Array();
  #sent: ((error?: Error | null) => void) | null = null;
  #isWhole = false;
  #ending: "C" | "R" = "C";
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs = 0;

  /** @param extra Bytes that may be in flight in addition to the window. */
  constructor(send: Send, extra: number) {
    super({ allowHalfOpen: true, decodeStrings: true });
    this.#send = send;
    if (extra > 0) this.#allowMore(extra);
  }

  /** Receives data from the other side. @returns false when they exceed the window or come after the end. */
  receive(bytes: Buffer): boolean {
    this.#expected -= bytes.length;
    if (this.#expected < 0 || this.#isWhole) return false;
    this.#startTimer();
    this.#taken += bytes.length;
    if (!this.destroyed) this.push(bytes);
    return true;
  }

  /** Marks the end of the data from the other side. */
  receiveEnd(): void {
    if (this.#isWhole) return;
    this.#isWhole = true;
    if (!this.destroyed) this.push(null);
  }

  /** Adds credit: the other side accepts this many more bytes. */
  allow(bytes: number): void {
    this.#allowed += bytes;
    this.#sendAllowed();
  }

  resetAndDestroy(): this {
    this.#ending = "R";
    return this.destroy();
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    if (onTimeout !== undefined) this.once("timeout", onTimeout);
    this.#timeoutMs = milliseconds;
    this.#startTimer();
    return this;
  }

  override _read(): void {
    if (this.#taken < TOLD_BYTES) return;
    this.#allowMore(this.#taken);
    this.#taken = 0;
  }

  override _write(chunk: Buffer, _encoding: string, sent: (error?: Error | null) => void): void {
    this.#startTimer();
    this.#unsent = chunk;
    this.#sent = sent;
    this.#sendAllowed();
  }

  override _final(ended: () => void): void {
    this.#send("E");
    ended();
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#unsent = new Uint8Array();
    this.#send(this.#ending);
    destroyed(error);
  }

  #allowMore(bytes: number): void {
    this.#expected += bytes;
    this.#send("K", String(bytes));
  }

  #sendAllowed(): void {
    while (this.#unsent.length > 0 && this.#allowed > 0) {
      const part = this.#unsent.subarray(0, Math.min(this.#allowed, CHUNK_BYTES));
      this.#unsent = this.#unsent.subarray(part.length);
      this.#allowed -= part.length;
      this.#send("D", part);
    }
    if (this.#unsent.length > 0) return;
    const sent = this.#sent;
    this.#sent = null;
    sent?.();
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    if (this.#timeoutMs > 0 && !this.destroyed)
      this.#timer = setTimeout(() => this.emit("timeout"), this.#timeoutMs).unref();
  }
}
