import { Dialog } from "../ui/dialog.tsx";
import { ShortcutKeys } from "../ui/keys.tsx";
import { setShortcutSheet } from "./shortcut-sheet-state.ts";
import { useRegisteredShortcuts } from "./shortcuts.ts";

/** Shows the active keyboard shortcuts by group, those of the screen first. */
export function ShortcutSheet({ open }: { open: boolean }) {
  const shortcuts = useRegisteredShortcuts();
  const groups = [...Map.groupBy(shortcuts, ({ group }) => group)];
  const ofFrame = groups.filter(([group]) => group === "Everywhere" || group === "Go to");
  const ofScreen = groups.filter((group) => !ofFrame.includes(group));
  return (
    <Dialog open={open} onClose={() => setShortcutSheet(false)} title="Keyboard shortcuts" size="medium">
      <div className="gap-x-10 pb-2 sm:columns-2">
        {[...ofScreen, ...ofFrame].map(([group, entries]) => (
          <section key={group} className="mb-5 break-inside-avoid">
            <h3 className="mb-1.5 text-xs font-medium text-faint">{group}</h3>
            <dl className="flex flex-col">
              {entries.map(({ keys, label }) => (
                <div key={`${keys} ${label}`} className="flex min-h-7 items-center justify-between gap-4">
                  <dt>{label}</dt>
                  <dd className="flex gap-1">
                    <ShortcutKeys keys={keys} />
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
