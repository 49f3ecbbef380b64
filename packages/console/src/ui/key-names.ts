/** As `KeyboardEvent.key` has them, and what is printed on keys. */
const PRINTED: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Enter: "↵",
  Escape: "esc",
  " ": "space",
};

/** The names of keys pressed one after the other, as a shortcut has them: `g s`, `mod+k`. */
export function keyNames(keys: string, isApple: boolean): string[] {
  return keys.split(/(?<=.) (?=.)/).map((key) => {
    const [, letter] = /^mod\+(.+)$/.exec(key) ?? [];
    if (letter === undefined) return PRINTED[key] ?? key;
    const name = PRINTED[letter] ?? letter.toUpperCase();
    return isApple ? `⌘${name}` : `Ctrl ${name}`;
  });
}

/** Keyboards of Apple have ⌘ where others have Ctrl. */
export const IS_APPLE = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? "");
