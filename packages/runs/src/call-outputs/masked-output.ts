import { StringDecoder } from "node:string_decoder";
import { storableText } from "@berth/agent";

import { SettledText } from "./settled-text.ts";

/** Masks a text that arrives in pieces, and holds back the end of it that may belong to a secret. */
export interface MaskStream {
  write(piece: string): string;
  readonly held: string;
  /** No secret takes more characters. */
  readonly reach: number;
}

/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3;
/** Of the bytes before a part, no more are kept to look for the beginnings of secrets. */
const MAX_CONTEXT_BYTES = 256 * 1024;

/** How many bytes before a part of an output are to be read, so that a secret that began there is noticed. */
export function contextBytes({ reach }: Pick<MaskStream, "reach">): number {
  return BYTES_PER_UNIT * reach;
}

/** As many of them as are kept. */
export function keptContext(mask: Pick<MaskStream, "reach">): number {
  return Math.min(contextBytes(mask), MAX_CONTEXT_BYTES);
}

/** A part of an output as text without secrets. Of what comes before `shownFrom` only secrets count that reach beyond it. */
export class MaskedOutput {
  readonly #mask: MaskStream;
  readonly #decoder = new StringDecoder("utf8");
  readonly #settled = new SettledText();
  readonly #shownFrom: number;
  #at: number;

  /** @param from the position of the first byte that is given. @param shownFrom the position of the first one that is shown. */
  constructor(mask: MaskStream, from: number, shownFrom: number) {
    this.#mask = mask;
    this.#at = from;
    this.#shownFrom = shownFrom;
  }

  /** The position behind the last byte that was given. */
  get at(): number {
    return this.#at;
  }

  /** Takes the next bytes, and returns what can be shown now. */
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
