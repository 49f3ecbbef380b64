import { useState } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { Button, IconButton } from "./button.tsx";
import { CallPanel } from "./call-panel.tsx";

type Props = {
  verb: string;
  busy: boolean;
  disabled?: boolean;
  onCancel: () => void;
  /** The call that the form makes. */
  call: CallExample;
};

/** Shows the end of a form in a dialog, which stays visible: its buttons, and the equivalent command. */
export function FormActions({ verb, busy, disabled = false, onCancel, call }: Props) {
  const [showsCall, setShowsCall] = useState(false);
  return (
    <>
      {showsCall && <CallPanel call={call} />}
      <div className="sticky bottom-0 -mx-5 -mb-1 flex items-center justify-end gap-2 border-t border-line bg-raised px-5 pt-4 pb-3">
        <IconButton
          icon="code"
          label="CLI and curl commands"
          pressed={showsCall}
          onClick={() => setShowsCall(!showsCall)}
          className="mr-auto"
        />
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" type="submit" busy={busy} disabled={disabled}>
          {verb}
        </Button>
      </div>
    </>
  );
}
