import { Transform, type TransformCallback } from "node:stream";

const HEADER = 8;
const STDOUT = 1;

/**
 * Extracts standard output from an attached stream. Each frame has a header: one byte for the stream, three
 * unused bytes, and four for the length of the body. Only an incomplete header is buffered.
 */
export class Demultiplexer extends Transform {
  readonly #onError: (bytes: Buffer) => void;
  #header = Buffer.alloc(0);
  #remaining = 0;
  #wanted = false;

  /** @param onError Called with the bytes of standard error. */
  constructor(onError: (bytes: Buffer) => void = () => {}) {
    super();
    this.#onError = onError;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let bytes = chunk;
    while (bytes.length > 0) {
      if (this.#remaining > 0) {
        const body = bytes.subarray(0, this.#remaining);
        this.#remaining -= body.length;
        bytes = bytes.subarray(body.length);
        if (this.#wanted) this.push(body);
        else this.#onError(body);
        continue;
      }
      const missing = HEADER - this.#header.length;
      this.#header = Buffer.concat([this.#header, bytes.subarray(0, missing)]);
      bytes = bytes.subarray(missing);
      if (this.#header.length < HEADER) break;
      this.#wanted = this.#header[0] === STDOUT;
      this.#remaining = this.#header.readUInt32BE(4);
      this.#header = Buffer.alloc(0);
    }
    done();
  }
}
