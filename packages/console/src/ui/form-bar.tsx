import { type ReactNode, useState } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { Button } from "./button.tsx";
import { CallPanel } from "./call-panel.tsx";
import { ErrorBox } from "./error-box.tsx";

type Props = {
  error: Error | null;
  busy: boolean;
  disabled?: boolean;
  verb: string;
  onSave: () => void;
  /** Gives up what was typed; absent where nothing was. */
  onDiscard?: (() => void) | undefined;
  /** What saving would send. */
  call: CallExample | null;
  children?: ReactNode;
};

/** The end of a form: what went wrong, what it sends, and the buttons, which stay in view. */
export function FormBar({ error, busy, disabled = false, verb, onSave, onDiscard, call, children }: Props) {
  const [showsCall, setShowsCall] = useState(false);
  return (
    <>
      {error !== null && <ErrorBox error={error} className="mt-4" />}
      {children}
      <div className="sticky bottom-0 z-10 flex flex-wrap items-center gap-2 border-t border-line bg-canvas py-4">
        <Button
          look="quiet"
          icon="code"
          aria-expanded={showsCall}
          onClick={() => setShowsCall(!showsCall)}
          className="mr-auto"
        >
          The same by CLI and curl
        </Button>
        {onDiscard !== undefined && (
          <Button look="quiet" onClick={onDiscard}>
            Discard
          </Button>
        )}
        <Button look="primary" disabled={disabled} busy={busy} onClick={onSave}>
          {verb}
        </Button>
      </div>
      {showsCall && call !== null && <CallPanel call={call} className="mb-6" />}
    </>
  );
}
