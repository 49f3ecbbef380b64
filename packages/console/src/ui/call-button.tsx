import { useState } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { IconButton } from "./button.tsx";
import { CallPanel } from "./call-panel.tsx";
import { Dialog } from "./dialog.tsx";

/** Shows a button that opens the commands equivalent to the screen. */
export function CallButton({ calls }: { calls: readonly CallExample[] }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton icon="code" label="CLI and curl commands" onClick={() => setOpen(true)} />
      <Dialog open={open} onClose={() => setOpen(false)} title="CLI and curl commands" size="medium">
        <div className="flex flex-col gap-3 pb-4">
          {calls.map((call) => (
            <CallPanel key={call.operation.id} call={call} />
          ))}
        </div>
      </Dialog>
    </>
  );
}
