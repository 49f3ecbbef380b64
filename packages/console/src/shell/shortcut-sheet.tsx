import { useSyncExternalStore } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { Keys } from "../ui/keys.tsx";
import { useRegisteredShortcuts } from "./shortcuts.ts";

let open = false;
const listeners = new Set<() => void>();

export function openShortcutSheet(): void {
  setOpen(true);
}

/** The keys that do something on this screen, by group. */
export function ShortcutSheet() {
  const isOpen = useSyncExternalStore(subscribe, () => open);
  const shortcuts = useRegisteredShortcuts();
  const groups = Map.groupBy(shortcuts, ({ group }) => group);
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)} title="Keyboard shortcuts" size="medium">
      <div className="grid gap-x-10 gap-y-5 pb-4 sm:grid-cols-2">
        {[...groups].map(([group, entries]) => (
          <section key={group}>
            <h3 className="mb-1.5 text-xs font-medium text-faint">{group}</h3>
            <dl className="flex flex-col">
              {entries.map(({ keys, label }) => (
                <div key={`${keys} ${label}`} className="flex h-7 items-center justify-between gap-4">
                  <dt>{label}</dt>
                  <dd className="flex gap-1">
                    {keys.split(" ").map((key) => (
                      <Keys key={key}>
                        {key
                          .replace("mod+", "⌘")
                          .replace(/^⌘(\w)$/, (_, letter: string) => `⌘${letter.toUpperCase()}`)}
                      </Keys>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function setOpen(value: boolean): void {
  open = value;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
