import { type ReactNode, useState } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { Button } from "./button.tsx";
import { CallPanel } from "./call-panel.tsx";
import { ErrorBox } from "./error-box.tsx";
import type { IconName } from "./icon.tsx";

type Props = {
  error: unknown;
  busy: boolean;
  disabled?: boolean;
  verb: string;
  icon?: IconName;
  onSave: () => void;
  /** Discards what was typed; undefined if nothing was. */
  onDiscard?: (() => void) | undefined;
  discard?: string;
  /** The call that saving would make. */
  call: CallExample | null;
  children?: ReactNode;
};

/** The classes of a bar that stays visible at the end of a form. */
export const formBarClass =
  "sticky bottom-0 z-10 flex flex-wrap items-center gap-2 border-t border-line bg-canvas py-4";

/** Shows the end of a form, which stays visible: the error, the equivalent command, and the buttons. */
export function FormBar({
  error,
  busy,
  disabled = false,
  verb,
  icon,
  onSave,
  call,
  children,
  ...rest
}: Props) {
  const { onDiscard, discard = "Discard" } = rest;
  const [showsCall, setShowsCall] = useState(false);
  return (
    <>
      {error !== null && <ErrorBox error={error} className="mt-4" />}
      {children}
      <div className={formBarClass}>
        <Button
          look="quiet"
          icon="code"
          aria-expanded={showsCall}
          onClick={() => setShowsCall(!showsCall)}
          className="mr-auto"
        >
          <span className="max-sm:sr-only">CLI and curl commands</span>
        </Button>
        {onDiscard !== undefined && (
          <Button look="quiet" onClick={onDiscard}>
            {discard}
          </Button>
        )}
        <Button
          look="primary"
          {...(icon === undefined ? {} : { icon })}
          disabled={disabled}
          busy={busy}
          onClick={onSave}
        >
          {verb}
        </Button>
      </div>
      {showsCall && call !== null && <CallPanel call={call} className="mb-6" />}
    </>
  );
}
