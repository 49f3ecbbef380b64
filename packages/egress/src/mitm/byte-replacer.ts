import { Transform, type TransformCallback } from "node:stream";
import type { ByteReplacement } from "./byte-replacement.ts";

/** A stream that applies a replacement. */
export class ByteReplacer extends Transform {
  readonly #replacement: ByteReplacement;

  constructor(replacement: ByteReplacement) {
    super();
    this.#replacement = replacement;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#push(this.#replacement.write(chunk));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#push(this.#replacement.end());
    done();
  }

  #push(bytes: Buffer): void {
    if (bytes.length > 0) this.push(bytes);
  }
}
