import type { ReactNode } from "react";
import { IS_APPLE, keyNames } from "./key-names.ts";

/** Shows a key or a key combination. */
export function Keys({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm border border-line bg-sunken px-1 font-sans text-xs text-muted">
      {children}
    </kbd>
  );
}

/** Shows the keys of a shortcut, such as `mod+k` or `g s`. */
export function ShortcutKeys({ keys }: { keys: string }) {
  return keyNames(keys, IS_APPLE).map((key) => <Keys key={key}>{key}</Keys>);
}
