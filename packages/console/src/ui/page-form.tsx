import type { KeyboardEvent, ReactNode } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { FormBar } from "./form-bar.tsx";
import type { Saving } from "./use-save.ts";

type Props = {
  saving: Saving;
  verb: string;
  /** Gives up what was typed; undefined where nothing was. */
  discard: (() => void) | undefined;
  /** What saving would send. */
  call: CallExample | null;
  /** Stands before the buttons. */
  notes?: ReactNode;
  children: ReactNode;
};

/** A form that fills a page: sent by its button or by Ctrl and Enter, and closed while it is. */
export function PageForm({ saving, verb, discard, call, notes, children }: Props) {
  const { save, busy, error, forget } = saving;
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !busy) save();
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

/** The call that sends a form; null while something in it cannot be sent. */
export function callOfForm(bodyOf: () => object, call: CallExample): CallExample | null {
  try {
    return { ...call, body: bodyOf() };
  } catch {
    return null;
  }
}
