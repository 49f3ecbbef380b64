/** The number of characters of a secret that may be shown: so few are of no use to anybody. */
const MAX_EARLY = 3;

/**
 * Shows the end of a masked text if it is a few characters, although it may be the beginning of a secret.
 * Nearly every letter begins some secret, so otherwise the ends of lines would come late.
 */
export class SettledText {
  /** The text that the mask holds and that was shown already or is not to be shown. */
  #skipped = "";

  /** Hides the text that the mask holds, also if it turns out to be no part of a secret. */
  skip(held: string): void {
    this.#skipped = held;
  }

  /** Returns the text to show. @param given by the mask. @param held the text that the mask holds now. */
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
