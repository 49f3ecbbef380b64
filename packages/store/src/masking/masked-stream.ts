import type { FormTrie } from "./form-trie.ts";
import { FoundRanges } from "./found-ranges.ts";
import { HeldText } from "./held-text.ts";
import { maxWritten } from "./secret-scan.ts";
import { TextSearch } from "./text-search.ts";

const MASK = "[redacted]";

/**
 * Masks a text that arrives in pieces; joined, the masked pieces equal the masked whole. It holds back only
 * text in which a secret may have begun: less than the longest form of a secret, plus 8 KiB. A piece takes
 * time in proportion to its length.
 */
export class MaskedStream {
  readonly #secrets: () => FormTrie | null;
  #trie: FormTrie | null = null;
  #found = new FoundRanges();
  #search: TextSearch | null = null;
  readonly #held = new HeldText(0);
  /** The text before this position is in a secret that is already masked. */
  #maskedTo = 0;

  /** @param secrets Returns the current secrets; null while there are none. */
  constructor(secrets: () => FormTrie | null) {
    this.#secrets = secrets;
  }

  /** The text that is held back. */
  get held(): string {
    this.#held.take(this.#maskedTo);
    return this.#held.pieces().join("");
  }

  /** Maximum number of characters that a secret takes; 0 while there are none. */
  get reach(): number {
    const trie = this.#secrets();
    return trie === null ? 0 : maxWritten(trie.longest);
  }

  /** Adds a piece. Returns the text that can be shown. */
  write(piece: string): string {
    this.#follow(this.#secrets());
    this.#held.add(piece);
    if (this.#search === null) return this.#held.take(Number.POSITIVE_INFINITY);
    this.#search.write(piece);
    return this.#shownBefore(this.#search.openFrom());
  }

  /** Ends the text and returns what was held back. Another text may follow. */
  end(): string {
    this.#search?.end();
    return this.#shownBefore(Number.POSITIVE_INFINITY);
  }

  /** Searches the held text again when the secrets have changed. */
  #follow(trie: FormTrie | null): void {
    if (trie === this.#trie) return;
    this.#trie = trie;
    this.#found = new FoundRanges();
    this.#search = trie === null ? null : new TextSearch(trie, this.#found, this.#held.from);
    for (const piece of this.#held.pieces()) this.#search?.write(piece);
  }

  #shownBefore(place: number): string {
    let shown = "";
    for (const { start, end } of this.#found.takeBefore(place)) {
      if (start >= this.#maskedTo) shown += this.#unmaskedTo(start) + MASK;
      this.#maskedTo = Math.max(this.#maskedTo, end);
    }
    return shown + this.#unmaskedTo(place);
  }

  /** Removes and returns the text before a position, without the part that lies in a masked secret. */
  #unmaskedTo(place: number): string {
    this.#held.take(Math.min(this.#maskedTo, place));
    return this.#held.take(place);
  }
}
