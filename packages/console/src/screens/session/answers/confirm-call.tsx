import { ConflictError } from "@berth/sdk";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useMutation } from "../../../api/use-mutation.ts";
import { useShortcuts } from "../../../shell/shortcuts.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { Textarea } from "../../../ui/field.tsx";
import { Keys } from "../../../ui/keys.tsx";
import { toastError } from "../../../ui/toast.tsx";
import type { ToolUse } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { AllowAlways } from "./allow-always.tsx";
import { useWaitingCalls } from "./waiting-calls.ts";

type Answer =
  | { type: "allow" | "allow_all" | "deny" }
  /** `prefix` is that of commands; null for all calls of the tool. */
  | { type: "always"; prefix: string | null };

/**
 * Allows or denies a call, allows all that wait, or also later ones. The keys `y`, `a` and `n` answer the first
 * waiting call.
 */
export function ConfirmCall({ use }: { use: ToolUse }) {
  const { actions } = useSession();
  const { first, allowable } = useWaitingCalls();
  const [asking, setAsking] = useState<"deny" | "always" | null>(null);
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const answer = useMutation({
    mutationFn: (answer: Answer) => {
      if (answer.type === "always") return actions.allowAlways(use.id, answer.prefix);
      if (answer.type === "deny") return actions.deny(use.id, reason.trim());
      return actions.allow(...(answer.type === "allow_all" ? allowable : [use.id]));
    },
    onError: (error) => {
      // Somebody was faster. This form goes with the call's wait, so the reason is said beside it.
      if (error instanceof ConflictError) toastError("This call is already answered", error.message);
    },
  });
  const isFirst = first === use.id;
  useEffect(() => {
    if (asking === "deny") field.current?.focus();
  }, [asking]);
  const isBusy = answer.isPending || answer.isSuccess;
  useShortcuts(
    isFirst && !isBusy
      ? [
          {
            ...{ keys: "y", label: "Allow the waiting call", group: "Session" },
            run: () => answer.mutate({ type: "allow" }),
          },
          {
            ...{ keys: "a", label: "Always allow in this session", group: "Session" },
            run: () => setAsking("always"),
          },
          { keys: "n", label: "Deny the waiting call", group: "Session", run: () => setAsking("deny") },
        ]
      : [],
  );
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") setAsking(null);
    else if (event.key === "Enter" && !event.shiftKey) answer.mutate({ type: "deny" });
    else return;
    event.preventDefault();
  }
  return (
    <div className="flex flex-col gap-2 border-t border-warn/40 bg-warn-soft/60 px-3 py-2.5">
      {asking === "always" && (
        <AllowAlways
          use={use}
          busy={isBusy}
          onAllow={(prefix) => answer.mutate({ type: "always", prefix })}
          onBack={() => setAsking(null)}
        />
      )}
      {asking === "deny" && (
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
      {asking !== "always" && (
        <div className="flex flex-wrap items-center gap-2">
          <p className="mr-auto font-medium">May the agent do this?</p>
          <span className="flex flex-wrap gap-2">
            {asking === "deny" ? (
              <>
                <Button size="small" look="quiet" onClick={() => setAsking(null)}>
                  Back
                </Button>
                <Button
                  size="small"
                  look="danger"
                  busy={isBusy}
                  onClick={() => answer.mutate({ type: "deny" })}
                >
                  Deny
                </Button>
              </>
            ) : (
              <>
                <Button size="small" disabled={isBusy} onClick={() => setAsking("deny")}>
                  Deny {isFirst && <Keys>n</Keys>}
                </Button>
                <Button size="small" disabled={isBusy} onClick={() => setAsking("always")}>
                  Always in this session {isFirst && <Keys>a</Keys>}
                </Button>
                {allowable.length > 1 && (
                  <Button size="small" disabled={isBusy} onClick={() => answer.mutate({ type: "allow_all" })}>
                    Allow all {allowable.length} waiting
                  </Button>
                )}
                <Button
                  size="small"
                  look="primary"
                  busy={isBusy}
                  onClick={() => answer.mutate({ type: "allow" })}
                >
                  Allow {isFirst && <Keys>y</Keys>}
                </Button>
              </>
            )}
          </span>
        </div>
      )}
      {answer.isError && <ErrorBox error={answer.error} />}
    </div>
  );
}
