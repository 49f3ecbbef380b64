import { Writable } from "node:stream";

/** Maximum bytes in flight in each direction of a channel; the same as in `pipe-server.pl`. */
const WINDOW_BYTES = 262_144;
/** Maximum bytes of data in a frame. */
export const CHUNK_BYTES = 65_536;

/** Sends as much as the other side allows. A write completes when the other side has written all of it. */
export class ChannelWriter extends Writable {
  readonly #send: (kind: string, body: Uint8Array) => void;
  #allowed = WINDOW_BYTES;
  #unsent: Uint8Array = new Uint8Array();
  #underWay = 0;
  #done: ((error?: Error | null) => void) | null = null;

  /**
   * @param closed Called as soon as the writer is destroyed. When the pipe is opened again, new bytes must
   * not follow old ones that are left in it.
   */
  constructor(send: (kind: string, body: Uint8Array) => void, closed: () => void) {
    super({
      decodeStrings: true,
      destroy: (error, done) => {
        closed();
        done(error);
      },
    });
    this.#send = send;
  }

  allow(bytes: number): void {
    this.#allowed += bytes;
    this.#underWay -= bytes;
    this.#sendAllowed();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#unsent = chunk;
    this.#done = done;
    this.#sendAllowed();
  }

  #sendAllowed(): void {
    while (this.#unsent.length > 0 && this.#allowed > 0) {
      const part = this.#unsent.subarray(0, Math.min(this.#allowed, CHUNK_BYTES));
      this.#unsent = this.#unsent.subarray(part.length);
      this.#allowed -= part.length;
      this.#underWay += part.length;
      this.#send("D", part);
    }
    if (this.#unsent.length > 0 || this.#underWay > 0) return;
    const done = this.#done;
    this.#done = null;
    done?.();
  }
}
