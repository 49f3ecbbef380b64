/** The most characters of one text that are read for words. */
const MAX_TEXT = 100_000;
const MAX_WORDS = 12;
const MAX_WORD = 64;

/**
 * Returns the words of a text, each once: runs of letters and digits, of any script. What is stored and what is asked
 * for are split alike, whatever the database's locale is, so that `src/main.ts` is found by `main`, and `acme/widget`
 * in an address.
 */
export function wordsOf(text: string): string[] {
  const words = text
    .slice(0, MAX_TEXT)
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u);
  return [...new Set(words.filter((word) => word !== "").map((word) => word.slice(0, MAX_WORD)))];
}

/** Returns the words that a search asks for. A session has all of them, or words that begin so. */
export function askedWords(search: string): string[] {
  return wordsOf(search).slice(0, MAX_WORDS);
}

/** Returns the word that all sessions of an organization have. No asked word is a beginning of it. */
export function organizationWord(organizationId: string): string {
  return `:${organizationId.replaceAll("-", "")}`;
}

/** Returns a query in PostgreSQL's syntax for the sessions of an organization that have all of the words. */
export function wordsQuery(organizationId: string, words: readonly string[]): string {
  const quoted = (word: string) => `'${word.replaceAll(/['\\]/g, "")}'`;
  return [quoted(organizationWord(organizationId)), ...words.map((word) => `${quoted(word)}:*`)].join(" & ");
}
