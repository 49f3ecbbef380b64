/** Fewer characters are no part of a secret that somebody could use. */
const MAX_EARLY = 3;

/**
 * Shows the end of a masked text also while it may be the beginning of a secret, as long as that is a few characters: nearly every
 * letter is one, and the end of a line would be missing until more is printed.
 */
export class SettledText {
  /** What the mask still holds and is not to be shown again, or at all. */
  #skipped = "";

  /** What the mask holds back is not to be shown, once it turns out to be no part of a secret. */
  skip(held: string): void {
    this.#skipped = held;
  }

  /** Returns what is to be shown. @param given by the mask. @param held what it holds back now. */
  next(given: string, held: string): string {
    const shown = this.#fresh(given);
    if (held.replaceAll(/\s/g, "").length > MAX_EARLY) return shown;
    const early = this.#fresh(held);
    this.#skipped = held;
    return shown + early;
  }

  #fresh(text: string): string {
    let common = 0;
    while (common < text.length && text[common] === this.#skipped[common]) common += 1;
    this.#skipped = common === text.length ? this.#skipped.slice(common) : "";
    return text.slice(common);
  }
}
