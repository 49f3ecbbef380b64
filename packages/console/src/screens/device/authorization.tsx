import type { DeviceAuthorization } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { queryClient } from "../../api/query-client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Fact, Facts } from "../../ui/section.tsx";
import { describeScopes } from "../tokens/scopes.ts";
import { grantable } from "./grantable.ts";

type Props = { code: string; asked: DeviceAuthorization };

/** Shows the program that requests a token, with buttons to approve and deny it. */
export function Authorization({ code, asked }: Props) {
  const { data: me } = useQuery(whoamiQuery);
  const scopes = me === undefined ? null : grantable(asked.scopes, me.scopes);
  const decision = useMutation({
    mutationFn: (approves: boolean) =>
      approves
        ? berth.deviceAuthorizations.approve({ user_code: code, scopes })
        : berth.deviceAuthorizations.deny({ user_code: code }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ["tokens"] }),
  });
  if (decision.data !== undefined) return <Decided decided={decision.data} />;
  return (
    <section aria-label="The device" className="flex flex-col gap-4 rounded-xl border border-line p-4">
      <h2 className="font-semibold">Give this device a token?</h2>
      <Facts>
        <Fact name="Requested by">
          {asked.client_name === null ? "No name given" : showUnseen(asked.client_name)}
          <span className="block text-xs text-faint">
            The name that the device gave itself; it is not verified
          </span>
        </Fact>
        <Fact name="From">{asked.client_address}</Fact>
        <Fact name="Requested">
          <Ago at={asked.created_at} />
        </Fact>
        <Fact name="Requested scopes">{describeScopes(asked.scopes).join(", ")}</Fact>
        {scopes !== null && (
          <Fact name="Granted scopes">
            {scopes.length === 0
              ? "None: you do not have these scopes yourself"
              : describeScopes(scopes).join(", ")}
          </Fact>
        )}
      </Facts>
      <p className="text-muted">
        With the token it acts as {me?.principal.name ?? "you"} until the token is revoked or expires. Approve
        only a login that you have begun yourself, just now.
      </p>
      {decision.isError && <ErrorBox error={decision.error} />}
      <div className="flex justify-end gap-2">
        <Button look="danger" disabled={decision.isPending} onClick={() => decision.mutate(false)}>
          Deny
        </Button>
        <Button
          look="primary"
          busy={decision.isPending}
          disabled={scopes === null || scopes.length === 0}
          onClick={() => decision.mutate(true)}
        >
          Approve
        </Button>
      </div>
    </section>
  );
}

function Decided({ decided }: { decided: DeviceAuthorization }) {
  return (
    <p role="status" className="rounded-xl border border-line bg-panel p-4">
      {decided.status === "approved" ? (
        <>
          Approved. The device gets its token within seconds; you find the token among your{" "}
          <Link to="/tokens" className="text-accent-text underline">
            tokens
          </Link>
          .
        </>
      ) : (
        "Denied. The device gets no token."
      )}
    </p>
  );
}
