import { Transform, type TransformCallback } from "node:stream";

export interface Replacement {
  /** At least one byte. */
  find: Buffer;
  put: Buffer;
}

interface Needle extends Replacement {
  /** For each index, the length of the longest proper prefix of `find` that ends there (Knuth-Morris-Pratt). */
  borders: Uint32Array;
  /** Index of the next match, as far as it was searched for. */
  next: number;
}

/**
 * Replaces in a stream as if in the whole text, however it is chunked: leftmost match first, the longest of those. Only bytes that
 * may begin a match are held back until more arrive.
 */
export class ByteReplacer extends Transform {
  readonly #needles: Needle[];
  #held: Buffer = Buffer.alloc(0);

  constructor(replacements: readonly Replacement[]) {
    super();
    this.#needles = replacements.map((replacement) => ({
      ...replacement,
      borders: bordersOf(replacement.find),
      next: 0,
    }));
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#replace(Buffer.concat([this.#held, chunk]), false);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#replace(this.#held, true);
    done();
  }

  #replace(data: Buffer, isLast: boolean): void {
    const partial = isLast ? [] : this.#partialMatches(data);
    for (const needle of this.#needles) needle.next = -1;
    let at = 0;
    for (;;) {
      const held = partial.find((start) => start >= at) ?? data.length;
      const found = this.#firstIn(data, at);
      if (found === null || found.next >= held) {
        this.#write(data.subarray(at, held));
        this.#held = data.subarray(held);
        return;
      }
      this.#write(data.subarray(at, found.next));
      this.#write(found.put);
      at = found.next + found.find.length;
    }
  }

  #write(bytes: Buffer): void {
    if (bytes.length > 0) this.push(bytes);
  }

  #firstIn(data: Buffer, at: number): Needle | null {
    let first: Needle | null = null;
    for (const needle of this.#needles) {
      if (needle.next < at) needle.next = nextOf(data, needle.find, at);
      if (first === null || needle.next < first.next || isLonger(needle, first)) first = needle;
    }
    return first !== null && first.next < data.length ? first : null;
  }

  /** The ascending indexes at which a match may begin that continues past the end of the data. */
  #partialMatches(data: Buffer): number[] {
    const starts = this.#needles.flatMap(({ find, borders }) => {
      const from = Math.max(0, data.length - find.length + 1);
      let length = 0;
      for (let index = from; index < data.length; index++) {
        while (length > 0 && find[length] !== data[index]) length = borders[length - 1] ?? 0;
        if (find[length] === data[index]) length += 1;
      }
      const lengths: number[] = [];
      for (; length > 0; length = borders[length - 1] ?? 0) lengths.push(length);
      return lengths.map((one) => data.length - one);
    });
    return starts.sort((one, other) => one - other);
  }
}

function isLonger(one: Needle, other: Needle): boolean {
  return one.next === other.next && one.find.length > other.find.length;
}

function nextOf(data: Buffer, find: Buffer, at: number): number {
  const index = data.indexOf(find, at);
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}

function bordersOf(text: Buffer): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let index = 1; index < text.length; index++) {
    while (length > 0 && text[length] !== text[index]) length = borders[length - 1] ?? 0;
    if (text[length] === text[index]) length += 1;
    borders[index] = length;
  }
  return borders;
}
