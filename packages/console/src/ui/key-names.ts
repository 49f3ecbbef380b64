/** The symbols on keys, by name as in `KeyboardEvent.key`. */
const PRINTED: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Enter: "↵",
  Escape: "esc",
  " ": "space",
};

/** Returns the key names of a shortcut such as `g s` or `mod+k`. */
export function keyNames(keys: string, isApple: boolean): string[] {
  return keys.split(/(?<=.) (?=.)/).map((key) => {
    const [, letter] = /^mod\+(.+)$/.exec(key) ?? [];
    if (letter === undefined) return PRINTED[key] ?? key;
    const name = PRINTED[letter] ?? letter.toUpperCase();
    return isApple ? `⌘${name}` : `Ctrl ${name}`;
  });
}

/** Whether the keyboard has ⌘ instead of Ctrl. */
export const IS_APPLE = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? "");
