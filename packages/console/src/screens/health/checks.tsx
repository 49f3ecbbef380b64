import type { HealthCheck } from "@berth/sdk";
import type { ReactNode } from "react";
import { showUnseen } from "../../format/visible-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { CHECK_LOOKS, checkName } from "./health-words.ts";
import { Panel } from "./panel.tsx";

type Props = { checks: readonly HealthCheck[]; onlyFaults: boolean; action: ReactNode };

/** Shows the checks of `berth doctor` that a running service can make, worst first. */
export function Checks({ checks, onlyFaults, action }: Props) {
  const order = ["no", "degraded", "yes"];
  const shown = checks
    .filter(({ state }) => !onlyFaults || state !== "yes")
    .toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  return (
    <Panel title="Checks" action={action} flush>
      <ul className="border-t border-line">
        {shown.map(({ name, state, detail }) => (
          <li
            key={name}
            className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3 gap-y-0.5 border-b border-line px-4 py-2.5 last:border-b-0 sm:grid-cols-[4.5rem_9rem_minmax(0,1fr)]"
          >
            <span>
              <Badge tone={CHECK_LOOKS[state].tone}>{CHECK_LOOKS[state].text}</Badge>
            </span>
            <span className="font-medium">{checkName(name)}</span>
            <span className="text-muted wrap-anywhere max-sm:col-span-2">{showUnseen(detail)}</span>
          </li>
        ))}
        {shown.length === 0 && <li className="px-4 py-3 text-muted">Every check passes.</li>}
      </ul>
    </Panel>
  );
}
