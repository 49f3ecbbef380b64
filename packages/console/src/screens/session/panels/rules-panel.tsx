import type { ConfirmationRule } from "@berth/sdk";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { berth } from "../../../api/client.ts";
import { useSender } from "../../../api/queries/owners.ts";
import { ruleText } from "../../../format/rule-text.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Ago } from "../../../ui/moment.tsx";
import type { SessionView } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";

/** Shows the rules by which calls of the session run without asking, with a button that revokes each. */
export function RulesPanel({ view }: { view: SessionView }) {
  const { session } = useSession();
  const { data, error } = useQuery({
    // Whoever changes the rules, the log has an event of it.
    queryKey: ["confirmation_rules", session.id, newestChange(view)],
    queryFn: async ({ signal }) =>
      (await berth.sessions.confirmationRules.list(session.id, { limit: 100 }, { signal })).data,
    placeholderData: keepPreviousData,
  });
  return (
    <div className="h-full overflow-y-auto">
      {error !== null && <ErrorBox error={error} className="m-4" />}
      {data?.length === 0 && (
        <Empty icon="shield" title="No rules yet">
          A rule lets calls of a tool run without asking. To add one, choose “Always in this session” at a
          call that waits for an answer.
        </Empty>
      )}
      <ul>
        {data?.map((rule) => (
          <RuleLine key={rule.id} rule={rule} />
        ))}
      </ul>
    </div>
  );
}

function newestChange({ rows }: SessionView): string | null {
  const changed = rows.findLast(
    (row) => row.kind === "notice" && row.event.type.startsWith("session.confirmation_rule_"),
  );
  return changed?.id ?? null;
}

function RuleLine({ rule }: { rule: ConfirmationRule }) {
  const { actions, closed } = useSession();
  const [asking, setAsking] = useState(false);
  const sender = useSender(rule.created_by);
  const text = showUnseen(ruleText(rule));
  return (
    <li className="flex items-center gap-2.5 border-b border-line px-4 py-2.5">
      <Icon name="shield" className="text-muted" />
      <div className="min-w-0 flex-1">
        <p className="font-mono text-xs wrap-anywhere">{text}</p>
        <p className="text-xs text-faint wrap-anywhere">
          {rule.command_prefix !== null && "Bash, "}by {showUnseen(sender ?? "")},{" "}
          <Ago at={rule.created_at} />
        </p>
      </div>
      {!closed && (
        <Button size="small" aria-label={`Revoke the rule ${text}`} onClick={() => setAsking(true)}>
          Revoke
        </Button>
      )}
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title="Revoke this rule?"
        verb="Revoke"
        danger
        act={() => actions.revokeRule(rule.id)}
      >
        Later calls like <span className="font-mono text-xs wrap-anywhere">{text}</span> wait for an answer
        again. Calls that it has already allowed are not stopped.
      </Confirm>
    </li>
  );
}
