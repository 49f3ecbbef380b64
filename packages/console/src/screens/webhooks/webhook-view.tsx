import type { Webhook } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { queryClient } from "../../api/query-client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/toast.tsx";
import { Deliveries } from "./deliveries.tsx";
import { SecretView } from "./secret-view.tsx";
import { disabledSentence, formatName, targetOf, titleOf } from "./webhook-form.ts";

type Props = { webhook: Webhook; onClose: () => void };

const refresh = () => queryClient.invalidateQueries({ queryKey: ["webhooks"] });

/** Shows a webhook and its deliveries, tests it, rotates its key, enables, disables and deletes it. */
export function WebhookView({ webhook, onClose }: Props) {
  const { id, owner_type: owner } = webhook;
  const [asked, setAsked] = useState<"delete" | "rotate" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const { data: me } = useQuery(whoamiQuery);
  const canChange = owner === "user" || me?.role === "admin";
  const title = showUnseen(titleOf(webhook));
  return (
    <>
      <Dialog open={asked === null && secret === null} onClose={onClose} title={title} size="medium">
        <div className="flex flex-col gap-5">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
            <span>{formatName(webhook.format)}</span>
            <span className="min-w-0 truncate">{showUnseen(targetOf(webhook))}</span>
            {owner === "organization" && <span>Hears of what everyone in the organization sees</span>}
            <CopyId id={id} short />
          </div>
          <p className="wrap-anywhere text-muted">{webhook.enabled_events.join(", ")}</p>
          <State webhook={webhook} canChange={canChange} />
          <Test webhook={webhook} />
          <Deliveries webhook={webhook} canChange={canChange} />
          <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line pt-4">
            <CallButton
              calls={[
                { operation: operations.webhooks.get, params: { webhook_id: id } },
                { operation: operations.webhooks.deliveries, params: { webhook_id: id } },
              ]}
            />
            {canChange && (
              <span className="flex flex-wrap gap-2">
                {webhook.format === "standard" && (
                  <Button onClick={() => setAsked("rotate")}>Rotate secret…</Button>
                )}
                <Button look="danger" icon="trash" onClick={() => setAsked("delete")}>
                  Delete…
                </Button>
              </span>
            )}
          </div>
        </div>
      </Dialog>
      <Dialog
        open={secret !== null}
        onClose={() => setSecret(null)}
        title="The webhook's secret"
        size="medium"
      >
        {secret !== null && <SecretView secret={secret} onClose={() => setSecret(null)} />}
      </Dialog>
      <Confirm
        open={asked === "rotate"}
        onClose={() => setAsked(null)}
        title="Rotate the secret?"
        verb="Rotate"
        act={async () => {
          const rotated = await berth.webhooks.rotateSecret(id);
          setAsked(null);
          setSecret(rotated.secret);
        }}
      >
        For 24 hours requests are signed with both, the one that the receiver has and the new one.
      </Confirm>
      <Confirm
        open={asked === "delete"}
        onClose={() => setAsked(null)}
        title={`Delete “${title}”?`}
        verb="Delete"
        danger
        act={async () => {
          await berth.webhooks.delete(id);
          void refresh();
          onClose();
          toast("The webhook is deleted");
        }}
      >
        Its deliveries are deleted, too, and what is pending is not sent. This cannot be undone.
      </Confirm>
    </>
  );
}

function State({ webhook, canChange }: { webhook: Webhook; canChange: boolean }) {
  const isEnabled = webhook.state === "enabled";
  const change = useMutation({
    mutationFn: () => (isEnabled ? berth.webhooks.disable(webhook.id) : berth.webhooks.enable(webhook.id)),
    onSuccess: () => void refresh(),
  });
  const sentence = disabledSentence(webhook);
  return (
    <div className="flex flex-col items-start gap-2.5">
      {sentence !== null && (
        <p className="flex items-start gap-2 text-warn">
          <Icon name="alert" className="mt-0.5" />
          {sentence}
        </p>
      )}
      {canChange && (
        <Button busy={change.isPending} onClick={() => change.mutate()}>
          {isEnabled ? "Disable" : "Enable"}
        </Button>
      )}
      {change.isError && <ErrorBox error={change.error} />}
    </div>
  );
}

function Test({ webhook: { id } }: { webhook: Webhook }) {
  const test = useMutation({ mutationFn: () => berth.webhooks.test(id) });
  return (
    <div className="flex flex-col items-start gap-2.5">
      <Button icon="health" busy={test.isPending} onClick={() => test.mutate()}>
        Test webhook
      </Button>
      {test.isError && <ErrorBox error={test.error} />}
      {test.data !== undefined && (
        <p
          role={test.data.ok ? "status" : "alert"}
          className={`flex items-start gap-2 wrap-anywhere ${test.data.ok ? "text-ok" : "text-bad"}`}
        >
          <Icon name={test.data.ok ? "check" : "alert"} className="mt-0.5" />
          {showUnseen(test.data.message)}
        </p>
      )}
    </div>
  );
}
