import { Duplex } from "node:stream";
import type { Client } from "../protocols/client.ts";

/** What may be under way in each direction of a stream; as in `scripts/sidecar.js`. */
const WINDOW_BYTES = 65_536;
/** What more may be under way in each direction where few streams are open. */
export const EXTRA_BYTES = 196_608;
/** What is sent at once; the other side is told of what was taken in such pieces or larger ones. */
const CHUNK_BYTES = 65_536;
const TOLD_BYTES = 32_768;

type Send = (kind: string, body?: Uint8Array | string) => void;

/**
 * A connection of a sandbox that arrives through a tunnel. In each direction no more than a window is under way, so that one
 * that nobody reads holds up no other.
 */
export class TunnelStream extends Duplex implements Client {
  readonly #send: Send;
  #allowed = WINDOW_BYTES;
  /** Received and not yet allowed anew. */
  #taken = 0;
  /** What the other side may send. */
  #expected = WINDOW_BYTES;
  #unsent: Uint8Array = new Uint8Array();
  #sent: ((error?: Error | null) => void) | null = null;
  #isWhole = false;
  #ending: "C" | "R" = "C";
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs = 0;

  /** @param extra bytes that may be under way besides the window. */
  constructor(send: Send, extra: number) {
    super({ allowHalfOpen: true, decodeStrings: true });
    this.#send = send;
    if (extra > 0) this.#allowMore(extra);
  }

  /** Data from the other side. @returns false when they are more than the window allows, or come after the end. */
  receive(bytes: Buffer): boolean {
    this.#expected -= bytes.length;
    if (this.#expected < 0 || this.#isWhole) return false;
    this.#startTimer();
    this.#taken += bytes.length;
    if (!this.destroyed) this.push(bytes);
    return true;
  }

  /** The other side sends no more. */
  receiveEnd(): void {
    if (this.#isWhole) return;
    this.#isWhole = true;
    if (!this.destroyed) this.push(null);
  }

  /** The other side takes so many bytes more. */
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
