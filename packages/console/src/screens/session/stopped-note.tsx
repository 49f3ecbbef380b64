import type { StopReason } from "@berth/sdk";
import type { ReactNode } from "react";
import { useMutation } from "../../api/use-mutation.ts";
import { formatMoment } from "../../format/time.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toastError } from "../../ui/toast.tsx";
import type { SessionView } from "./log/view.ts";
import { BudgetForm } from "./scope/budget-form.tsx";
import { useSession } from "./scope/session-context.ts";

/** Shows a note above the transcript that the session is stopped, with the action that resumes it. */
export function StoppedNote({ view: { stopReason } }: { view: Pick<SessionView, "stopReason"> }) {
  const { session, actions, closed } = useSession();
  if (closed) return null;
  if (session.set_aside !== null)
    return (
      <Stopped
        text={`Set aside since ${formatMoment(session.set_aside.since)}, because the process that ran this session crashed twice in a row. Waiting messages are kept, and no turn runs.`}
        act={{ label: "Release", run: actions.release, failure: "The session could not be released" }}
      />
    );
  if (session.status === "idle" && session.last_turn?.outcome === "max_turns")
    return (
      <Stopped
        text="The last turn stopped at its limit of requests to the model."
        act={{ label: "Continue", run: actions.goOn, failure: "The session could not be continued" }}
      />
    );
  if (session.status === "idle" && stopReason?.type === "budget_reached")
    return <Note text={BUDGETS[stopReason.scope]}>{stopReason.scope === "session" && <BudgetForm />}</Note>;
  return null;
}

const CONTINUES = "The turn continues when that is raised";

/** What is told of each budget that stops a session. */
const BUDGETS: Readonly<Record<Extract<StopReason, { type: "budget_reached" }>["scope"], string>> = {
  session: `The budget of this session has too little left for the next request. ${CONTINUES}.`,
  user: `The spend limit of the session’s owner is reached. ${CONTINUES} by the operator.`,
  user_day: `Today’s spend limit of the session’s owner is reached. ${CONTINUES} by the operator, or tomorrow (UTC).`,
  organization: `The organization’s spend limit is reached. ${CONTINUES} by the operator.`,
  organization_day: `Today’s spend limit of the organization is reached. ${CONTINUES} by the operator, or tomorrow (UTC).`,
};

interface Act {
  label: string;
  run: () => Promise<unknown>;
  failure: string;
}

function Stopped({ text, act }: { text: string; act: Act }) {
  const acting = useMutation({
    mutationFn: act.run,
    onError: (error) => toastError(act.failure, error.message),
  });
  return (
    <Note text={text}>
      <Button size="small" busy={acting.isPending} onClick={() => acting.mutate()}>
        {act.label}
      </Button>
    </Note>
  );
}

function Note({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-warn/25 bg-warn-soft px-4 py-2"
    >
      <Icon name="alert" className="text-warn" />
      <p className="min-w-48 flex-1 wrap-anywhere">{text}</p>
      {children}
    </div>
  );
}
