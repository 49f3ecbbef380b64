import { useState } from "react";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { toast } from "../../../ui/toast.tsx";
import { useSession } from "../scope/session-context.ts";

/** Sends the agent a message that is shown before. */
export function AskAgent({ verb, text }: { verb: string; text: string }) {
  const { actions } = useSession();
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Button size="small" icon="message" onClick={() => setAsks(true)}>
        {verb}
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={`${verb}?`}
        verb="Ask the agent"
        act={async () => {
          await actions.send([{ type: "user.message", content: [{ type: "text", text }] }]);
          toast("The agent is asked");
        }}
      >
        <p>The agent gets this message. It acts with the session's own credential.</p>
        <blockquote className="mt-2 max-h-60 overflow-y-auto rounded-md border border-line bg-sunken px-3 py-2 text-xs break-words whitespace-pre-wrap text-ink">
          {showUnseen(text)}
        </blockquote>
      </Confirm>
    </>
  );
}
