import { Transform, type TransformCallback } from "node:stream";

export interface Replacement {
  /** Not empty. */
  find: Buffer;
  put: Buffer;
}

interface Needle extends Replacement {
  /** Length of the longest proper beginning of `find` that ends at each place of it. */
  borders: Uint32Array;
  /** Where it is next, as far as that was looked for. */
  next: number;
}

/**
 * Replaces in a stream as in the whole of it: leftmost first, of those the longest, however the stream is cut. What could be
 * the beginning of a match is held back until more comes, and nothing else is.
 */
export class Replacer extends Transform {
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
    const begun = isLast ? [] : this.#begunIn(data);
    for (const needle of this.#needles) needle.next = -1;
    let at = 0;
    for (;;) {
      const held = begun.find((start) => start >= at) ?? data.length;
      const found = this.#firstIn(data, at);
      if (found === null || found.next >= held) {
        this.#give(data.subarray(at, held));
        this.#held = data.subarray(held);
        return;
      }
      this.#give(data.subarray(at, found.next));
      this.#give(found.put);
      at = found.next + found.find.length;
    }
  }

  #give(bytes: Buffer): void {
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

  /** Where a match begins that the end of the data cuts off, in order. */
  #begunIn(data: Buffer): number[] {
    const starts = this.#needles.flatMap(({ find, borders }) => {
      const from = Math.max(0, data.length - find.length + 1);
      let length = 0;
      for (let place = from; place < data.length; place++) {
        while (length > 0 && find[length] !== data[place]) length = borders[length - 1] ?? 0;
        if (find[length] === data[place]) length += 1;
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
  const place = data.indexOf(find, at);
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

function bordersOf(text: Buffer): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let place = 1; place < text.length; place++) {
    while (length > 0 && text[length] !== text[place]) length = borders[length - 1] ?? 0;
    if (text[length] === text[place]) length += 1;
    borders[place] = length;
  }
  return borders;
}
