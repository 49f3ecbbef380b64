import { Dialog as Base } from "@base-ui/react/dialog";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { cx } from "../ui/cx.ts";
import { Icon } from "../ui/icon.tsx";
import { Keys, ShortcutKeys } from "../ui/keys.tsx";
import { type Action, useRegisteredActions } from "./actions.ts";
import { matchRank } from "./palette-match.ts";
import { takeTypeAhead } from "./type-ahead.ts";

const MAX_SHOWN = 60;

type Props = {
  open: boolean;
  onClose: () => void;
  /** Returns the objects that match the typed text. */
  useFound: (typed: string) => readonly Action[];
};

/** Shows the search dialog (⌘K) for objects and actions. */
export function Palette({ open, onClose, useFound }: Props) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/30" />
        <Base.Viewport className="fixed inset-0 z-40 flex justify-center p-3 pt-[12vh]">
          <Base.Popup
            aria-label="Search and actions"
            className="popup flex h-fit max-h-[70vh] w-full max-w-xl flex-col rounded-xl outline-none"
          >
            <PaletteBody onClose={onClose} useFound={useFound} />
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

function PaletteBody({ onClose, useFound }: Omit<Props, "open">) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const chosen = useRef<HTMLDivElement>(null);
  const actions = useRegisteredActions();
  const found = useFound(typed);
  const shown = useMemo(() => ranked([...actions, ...found], typed), [actions, found, typed]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen entry is another one when the position changes
  useEffect(() => {
    // Some browsers return a promise here, which React would take for a clean-up function.
    void chosen.current?.scrollIntoView({ block: "nearest" });
  }, [at]);

  function run(action: Action | undefined) {
    if (action === undefined) return;
    onClose();
    action.run();
  }
  function takeTyped() {
    const { text, entered } = takeTypeAhead();
    if (entered) run(ranked([...actions, ...found], text)[0]);
    else if (text !== "") setTyped((before) => before + text);
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setAt((at + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === "Enter") run(shown[at]);
    else return;
    event.preventDefault();
  }
  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Icon name="search" className="text-faint" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={shown[at] && `${listId}-${at}`}
          aria-label="Search objects and actions"
          placeholder="Search objects and actions"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onFocus={takeTyped}
          onKeyDown={onKeyDown}
          spellCheck={false}
          className="h-12 flex-1 bg-transparent text-base outline-none"
        />
        <Keys>esc</Keys>
      </div>
      <div id={listId} role="listbox" aria-label="Results" className="min-h-0 overflow-y-auto p-1.5">
        {shown.map((action, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
          <div
            key={action.id}
            id={`${listId}-${index}`}
            ref={index === at ? chosen : null}
            role="option"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onClick={() => run(action)}
            className={cx(
              "flex h-9 cursor-default items-center gap-2.5 rounded-md px-2.5",
              index === at && "bg-selected",
            )}
          >
            <Icon name={action.icon ?? "chevronRight"} className="text-muted" />
            <span className="min-w-0 flex-1 truncate">{action.label}</span>
            <span className="text-xs text-faint">{action.group}</span>
            {action.keys !== undefined && <ShortcutKeys keys={action.keys} />}
          </div>
        ))}
        {shown.length === 0 && <p className="px-3 py-8 text-center text-faint">No matches “{typed}”.</p>}
      </div>
    </>
  );
}

function ranked(actions: readonly Action[], typed: string): Action[] {
  return actions
    .map((action) => ({ action, rank: matchRank(`${action.label} ${action.words ?? ""}`, typed) }))
    .filter((one): one is { action: Action; rank: number } => one.rank !== null)
    .sort((one, other) => (typed === "" ? 0 : one.rank - other.rank))
    .slice(0, MAX_SHOWN)
    .map(({ action }) => action);
}
