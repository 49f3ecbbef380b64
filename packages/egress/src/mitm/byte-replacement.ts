import type { ByteAutomaton } from "./byte-automaton.ts";
import { HeldBytes } from "./held-bytes.ts";

interface Match {
  needle: number;
  end: number;
}

/**
 * Replaces needles in a stream of pieces as if in the whole: leftmost match first, the longest of those.
 * Holds back only bytes that may begin a match. Reads each byte once, so a piece takes time in proportion to
 * its length, whatever came before.
 */
export class ByteReplacement {
  readonly #automaton: ByteAutomaton;
  readonly #puts: readonly Buffer[];
  readonly #held = new HeldBytes();
  /** Longest pending match for each position at which one begins. */
  readonly #matches = new Map<number, Match>();
  #node = 0;
  #place = 0;

  /** @param puts Replacement for each needle of the automaton. */
  constructor(automaton: ByteAutomaton, puts: readonly Buffer[]) {
    this.#automaton = automaton;
    this.#puts = puts;
  }

  /** Adds a piece and returns the output that later bytes cannot change. */
  write(piece: Buffer): Buffer {
    this.#held.add(piece);
    this.#read(piece);
    return this.#settledBefore(this.#place - (this.#automaton.depth[this.#node] ?? 0));
  }

  /** Returns the output that was held back. */
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

  /** Records the matches that end here. A later match from the same start is longer, so it overwrites. */
  #note(node: number, end: number): void {
    for (const { needle, length } of this.#automaton.needlesAt(node))
      if (end - length >= this.#held.from) this.#matches.set(end - length, { needle, end });
  }

  /** Returns the output for the bytes before a position, at which no earlier match can begin. */
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
