import type { ByteAutomaton } from "./byte-automaton.ts";
import { HeldBytes } from "./held-bytes.ts";

interface Match {
  needle: number;
  end: number;
}

/**
 * Replaces needles in bytes that arrive in pieces as if in the whole: leftmost match first, the longest of those. Only bytes that may
 * begin a match are held back. Each byte is read once, so a piece takes time in proportion to its length, whatever came before.
 */
export class ByteReplacement {
  readonly #automaton: ByteAutomaton;
  readonly #puts: readonly Buffer[];
  readonly #held = new HeldBytes();
  /** The longest match that begins at a place, of those that are not replaced yet. */
  readonly #matches = new Map<number, Match>();
  #node = 0;
  #place = 0;

  /** @param puts what each needle of the automaton is replaced by. */
  constructor(automaton: ByteAutomaton, puts: readonly Buffer[]) {
    this.#automaton = automaton;
    this.#puts = puts;
  }

  /** Returns what is certain now. */
  write(piece: Buffer): Buffer {
    this.#held.add(piece);
    this.#read(piece);
    return this.#settledBefore(this.#place - (this.#automaton.depth[this.#node] ?? 0));
  }

  /** Returns what was held back. */
  end(): Buffer {
    return this.#settledBefore(this.#place);
  }

  #read(piece: Buffer): void {
    let node = this.#node;
    for (let index = 0; index < piece.length; index++) {
      if (node === 0) index = this.#automaton.firstBegin(piece, index);
      if (index === piece.length) break;
      node = this.#automaton.next(node, piece[index] ?? 0);
      if (this.#automaton.isEnd(node)) this.#note(node, this.#place + index + 1);
    }
    this.#node = node;
    this.#place += piece.length;
  }

  /** A later match from the same place is longer. */
  #note(node: number, end: number): void {
    for (const { needle, length } of this.#automaton.needlesAt(node))
      if (end - length >= this.#held.from) this.#matches.set(end - length, { needle, end });
  }

  /** What begins before a place, at which no earlier match can begin any more. */
  #settledBefore(place: number): Buffer {
    const parts: Buffer[] = [];
    for (let at = this.#held.from; at < place && this.#matches.size > 0; at++) {
      const match = this.#matches.get(at);
      if (match === undefined) continue;
      parts.push(...this.#held.take(at), this.#puts[match.needle] ?? Buffer.alloc(0));
      this.#held.take(match.end);
      for (; at < match.end; at++) this.#matches.delete(at);
      at -= 1;
    }
    parts.push(...this.#held.take(place));
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }
}
