import type { KeyboardEvent, ReactNode } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { FormBar } from "./form-bar.tsx";
import type { Saving } from "./use-save.ts";

type Props = {
  saving: Saving;
  /** Whether it cannot be saved yet. */
  disabled?: boolean;
  verb: string;
  /** Discards what was typed; undefined if nothing was. */
  discard: (() => void) | undefined;
  /** The call that saving would make; null if the form is invalid. */
  call: CallExample | null;
  /** Shown before the buttons. */
  notes?: ReactNode;
  children: ReactNode;
};

/** Shows a form that fills a page. It is saved by its button or Ctrl+Enter, and disabled meanwhile. */
export function PageForm({ saving, disabled = false, verb, discard, call, notes, children }: Props) {
  const { save, busy, error, forget } = saving;
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !busy && !disabled) save();
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of all fields in it
    <div className="mx-auto max-w-4xl px-4 pb-10 md:px-8" onKeyDown={onKeyDown}>
      <fieldset disabled={busy} className="contents">
        {children}
      </fieldset>
      <FormBar
        error={error}
        busy={busy}
        disabled={disabled}
        verb={verb}
        onSave={save}
        onDiscard={
          discard &&
          (() => {
            discard();
            forget();
          })
        }
        call={call}
      >
        {notes}
      </FormBar>
    </div>
  );
}

/** Returns the call that saves a form; null while the form is invalid. */
export function callOfForm(bodyOf: () => object, call: CallExample): CallExample | null {
  try {
    return { ...call, body: bodyOf() };
  } catch {
    return null;
  }
}
