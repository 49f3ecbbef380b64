import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { berth } from "../../../api/client.ts";
import { environmentQuery } from "../../../api/queries/environments.ts";
import { queryClient } from "../../../api/query-client.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { Ago } from "../../../ui/moment.tsx";
import { toast } from "../../../ui/toast.tsx";
import type { SessionView } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { allowedHostFor, type Denial, denialsIn, isAllowed } from "./denials.ts";

export { denialsIn } from "./denials.ts";

/** Shows the connections that the session was denied, each with a button to allow it. */
export function NetworkPanel({ view }: { view: SessionView }) {
  const { session } = useSession();
  const { data: environment } = useQuery(environmentQuery(session.environment_id));
  const [asking, setAsking] = useState<string | null>(null);
  const denials = denialsIn(view);
  const networking = environment?.config.networking;
  if (denials.length === 0)
    return (
      <Empty icon="network" title="Nothing was blocked">
        This panel lists connections of the sandbox that the environment’s networking does not allow. You can
        allow their hosts here.
      </Empty>
    );
  return (
    <div className="h-full overflow-y-auto">
      <ul>
        {denials.map((denial) => (
          <li
            key={`${denial.host} ${denial.port}`}
            className="flex items-center gap-3 border-b border-line px-4 py-2.5"
          >
            <div className="min-w-0 flex-1">
              <p className="truncate font-mono text-xs">
                {showUnseen(denial.host)}
                {denial.port !== null && `:${denial.port}`}
              </p>
              <p className="text-xs text-faint">
                {REASONS[denial.reason] ?? denial.reason},{" "}
                {denial.count === 1 ? "once" : `${denial.count} times`}, <Ago at={denial.last} />
              </p>
            </div>
            <AllowButton
              denial={denial}
              hosts={networking?.type === "limited" ? networking.allowed_hosts : null}
              onAsk={setAsking}
            />
          </li>
        ))}
      </ul>
      <Confirm
        open={asking !== null}
        onClose={() => setAsking(null)}
        title={`Allow ${asking}?`}
        verb="Allow"
        act={async () => {
          if (asking === null) return;
          await allowHost(session.environment_id, asking);
          toast(`${asking} is allowed`, "From the agent's next turn.");
        }}
      >
        This changes the environment “{environment?.name}”: every session in it may connect to this host, from
        its next turn on.
      </Confirm>
    </div>
  );
}

function AllowButton({
  denial,
  hosts,
  onAsk,
}: {
  denial: Denial;
  hosts: readonly string[] | null;
  onAsk: (host: string) => void;
}) {
  const host = allowedHostFor(denial);
  if (host === null || hosts === null) return null;
  if (isAllowed(hosts, host)) return <span className="text-xs text-ok">Allowed now</span>;
  return (
    <Button size="small" onClick={() => onAsk(host)}>
      Allow this host
    </Button>
  );
}

/** Allows a host. Reads the environment first, so that hosts that somebody else has allowed are kept. */
async function allowHost(environmentId: string, host: string): Promise<void> {
  const { config } = await berth.environments.get(environmentId);
  const { networking } = config;
  if (networking.type !== "limited") return;
  const allowed_hosts = [...new Set([...networking.allowed_hosts, host])];
  await berth.environments.update(environmentId, {
    config: { type: "cloud", networking: { type: "limited", allowed_hosts } },
  });
  await queryClient.invalidateQueries({ queryKey: ["environments"] });
}

const REASONS: Record<string, string> = {
  not_allowed: "Not among the allowed hosts",
  private_address: "A private address",
  unresolvable: "The name does not resolve",
  name_mismatch: "The connection named another host",
  no_server_name: "The connection named no host",
  unknown_protocol: "Neither TLS nor HTTP",
};
