import { StringDecoder } from "node:string_decoder";
import { storableText } from "@berth/agent";

import { SettledText } from "./settled-text.ts";

/** Masks a text that arrives in pieces. Holds back the end while it may be the beginning of a secret. */
export interface MaskStream {
  write(piece: string): string;
  readonly held: string;
  /** The length of the longest secret, in characters. */
  readonly reach: number;
}

/** The most bytes that UTF-8 takes for one UTF-16 unit. */
const BYTES_PER_UNIT = 3;
/** The most bytes before a part that are kept, so that secrets that begin there are found. */
const MAX_CONTEXT_BYTES = 256 * 1024;

/** Returns how many bytes before a part of an output must be read to find every secret that begins there. */
export function contextBytes({ reach }: Pick<MaskStream, "reach">): number {
  return BYTES_PER_UNIT * reach;
}

/** Returns how many of the bytes of `contextBytes` are kept in memory. */
export function keptContext(mask: Pick<MaskStream, "reach">): number {
  return Math.min(contextBytes(mask), MAX_CONTEXT_BYTES);
}

/** Decodes a part of an output and masks its secrets. Earlier bytes only help to find secrets. */
export class MaskedOutput {
  readonly #mask: MaskStream;
  readonly #decoder = new StringDecoder("utf8");
  readonly #settled = new SettledText();
  readonly #shownFrom: number;
  #at: number;

  /** @param from the position of the first given byte. @param shownFrom that of the first shown byte. */
  constructor(mask: MaskStream, from: number, shownFrom: number) {
    this.#mask = mask;
    this.#at = from;
    this.#shownFrom = shownFrom;
  }

  /** The position after the last byte that was given. */
  get at(): number {
    return this.#at;
  }

  /** Takes the next bytes and returns the text that can be shown so far. */
  write(bytes: Buffer): string {
    const hidden = Math.min(bytes.length, Math.max(0, this.#shownFrom - this.#at));
    this.#at += bytes.length;
    if (hidden > 0) this.#hide(bytes.subarray(0, hidden));
    if (hidden === bytes.length) return "";
    const shown = this.#mask.write(this.#decoder.write(bytes.subarray(hidden)));
    return storableText(this.#settled.next(shown, this.#mask.held));
  }

  #hide(bytes: Buffer): void {
    this.#mask.write(this.#decoder.write(bytes));
    this.#settled.skip(this.#mask.held);
  }
}
