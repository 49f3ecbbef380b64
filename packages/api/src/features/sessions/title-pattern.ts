export function isAscii(text: string): boolean {
  return [...text].every((character) => character <= "\x7f");
}

/**
 * A regular expression of PostgreSQL that finds a text in either case of each of its letters. The database's own folding of case depends on
 * its locale: that of the embedded one, C, knows A to Z alone.
 */
export function titlePattern(text: string): string {
  return [...text].map(eitherCase).join("");
}

function eitherCase(character: string): string {
  const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
  // Both forms of a letter's other case: the capital of ς is that of σ too. A case of several letters, such as SS of ß, is none.
  for (const one of [...cases]) cases.add(one.toLowerCase()).add(one.toUpperCase());
  const letters = [...cases].filter((one) => [...one].length === 1);
  return letters.length > 1 ? `[${letters.join("")}]` : escaped(character);
}

/** Letters have no meaning of their own in a pattern, and get one by a backslash. */
function escaped(character: string): string {
  return /^[!-/:-@[-`{-~]$/.test(character) ? `\\${character}` : character;
}
