export function isAscii(text: string): boolean {
  return [...text].every((character) => character <= "\x7f");
}

/**
 * Returns a PostgreSQL regular expression that matches a text in either case of each letter. The database's
 * own case folding depends on its locale: C, that of the embedded one, knows only A to Z.
 */
export function titlePattern(text: string): string {
  return [...text].map(eitherCase).join("");
}

function eitherCase(character: string): string {
  const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
  // The second round finds all forms: the capital of ς is also that of σ. Cases of several letters, such as
  // SS for ß, are left out.
  for (const one of [...cases]) cases.add(one.toLowerCase()).add(one.toUpperCase());
  const letters = [...cases].filter((one) => [...one].length === 1);
  return letters.length > 1 ? `[${letters.join("")}]` : escaped(character);
}

/** Escapes punctuation only. Letters have no meaning in a pattern, and a backslash would give them one. */
function escaped(character: string): string {
  return /^[!-/:-@[-`{-~]$/.test(character) ? `\\${character}` : character;
}
