import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { install } from "../race/install.ts";

const PACKAGE = "gpt-tokenizer";
const VERSION = "3.4.0";
/** Characters up to which the count of a text is cached. */
const MAX_KEPT_CHARACTERS = 200_000;

export type CountTokens = (text: string) => number;

/**
 * Installs the tokenizer, and returns a function that counts o200k tokens, the same for all agents and
 * providers.
 */
export async function loadTokenizer(): Promise<CountTokens> {
  const folder = await install([`${PACKAGE}@${VERSION}`]);
  const file = join(folder, "node_modules", PACKAGE, "esm/encoding/o200k_base.js");
  const { countTokens } = (await import(pathToFileURL(file).href)) as {
    countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
  };
  const kept = new Map<string, number>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const tokens = countTokens(text, { disallowedSpecial: new Set() });
    if (text.length <= MAX_KEPT_CHARACTERS) kept.set(text, tokens);
    return tokens;
  };
}
