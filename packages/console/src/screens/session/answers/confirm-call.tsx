import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useMutation } from "../../../api/use-mutation.ts";
import { useShortcuts } from "../../../shell/shortcuts.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { Textarea } from "../../../ui/field.tsx";
import { Keys } from "../../../ui/keys.tsx";
import { useSession } from "../scope/session-context.ts";
import { useFirstWaiting } from "./first-waiting.ts";

/** Allows or denies a call. The keys `y` and `n` answer the first waiting call. */
export function ConfirmCall({ id }: { id: string }) {
  const { actions } = useSession();
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const answer = useMutation({
    mutationFn: (allowed: boolean) => (allowed ? actions.allow(id) : actions.deny(id, reason.trim())),
  });
  const isFirst = useFirstWaiting() === id;
  useEffect(() => {
    if (denying) field.current?.focus();
  }, [denying]);
  const isBusy = answer.isPending || answer.isSuccess;
  useShortcuts(
    isFirst && !isBusy
      ? [
          { keys: "y", label: "Allow the waiting call", group: "Session", run: () => answer.mutate(true) },
          { keys: "n", label: "Deny the waiting call", group: "Session", run: () => setDenying(true) },
        ]
      : [],
  );
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") setDenying(false);
    else if (event.key === "Enter" && !event.shiftKey) answer.mutate(false);
    else return;
    event.preventDefault();
  }
  return (
    <div className="flex flex-col gap-2 border-t border-warn/40 bg-warn-soft/60 px-3 py-2.5">
      {denying && (
        <Textarea
          ref={field}
          rows={2}
          aria-label="Reason for the denial, for the model"
          placeholder="Why? The model reads it. Enter denies, Esc goes back."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={onKeyDown}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto font-medium">May the agent do this?</p>
        <span className="flex gap-2">
          {denying ? (
            <>
              <Button size="small" look="quiet" onClick={() => setDenying(false)}>
                Back
              </Button>
              <Button size="small" look="danger" busy={isBusy} onClick={() => answer.mutate(false)}>
                Deny
              </Button>
            </>
          ) : (
            <>
              <Button size="small" disabled={isBusy} onClick={() => setDenying(true)}>
                Deny {isFirst && <Keys>n</Keys>}
              </Button>
              <Button size="small" look="primary" busy={isBusy} onClick={() => answer.mutate(true)}>
                Allow {isFirst && <Keys>y</Keys>}
              </Button>
            </>
          )}
        </span>
      </div>
      {answer.isError && <ErrorBox error={answer.error} />}
    </div>
  );
}
