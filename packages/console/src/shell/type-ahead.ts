/**
 * The keys typed while the palette is opening, which go to its field and trigger no shortcut. Null while none
 * is opening.
 */
let ahead: { text: string; entered: boolean } | null = null;

/** Starts keeping typed keys, until `takeTypeAhead`. */
export function beginTypeAhead(): void {
  ahead ??= { text: "", entered: false };
}

/** Keeps a key if the palette is opening. Returns whether it did. */
export function keepKey(event: KeyboardEvent): boolean {
  if (ahead === null || event.key === "Escape" || event.altKey || event.ctrlKey || event.metaKey)
    return false;
  event.preventDefault();
  if (event.key === "Enter") ahead.entered = true;
  else if (event.key === "Backspace") ahead.text = ahead.text.slice(0, -1);
  else if (event.key.length === 1 && !ahead.entered) ahead.text += event.key;
  return true;
}

/** Returns the typed text and whether Enter followed, and stops keeping keys: the field has the focus. */
export function takeTypeAhead(): { text: string; entered: boolean } {
  const taken = ahead ?? { text: "", entered: false };
  ahead = null;
  return taken;
}
