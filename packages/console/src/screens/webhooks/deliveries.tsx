import type { Webhook, WebhookDelivery } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { ObjectLink } from "../../shell/object-link.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Ago } from "../../ui/moment.tsx";

const SHOWN = 20;
const POLL_MS = 5_000;

/** Shows the newest deliveries of a webhook, each of which can be sent again. */
export function Deliveries({ webhook: { id, state }, canChange }: { webhook: Webhook; canChange: boolean }) {
  const { data, error } = useQuery({
    queryKey: ["webhooks", id, "deliveries"],
    queryFn: async ({ signal }) => (await berth.webhooks.deliveries(id, { limit: SHOWN }, { signal })).data,
    refetchInterval: POLL_MS,
  });
  if (error !== null) return <ErrorBox error={error} />;
  if (data === undefined) return null;
  return (
    <section aria-label="Deliveries" className="flex flex-col gap-2">
      <h3 className="font-medium">Deliveries</h3>
      {data.length === 0 && <p className="text-faint">Nothing has happened yet.</p>}
      <ul className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto">
        {data.map((delivery) => (
          <Delivery
            key={delivery.id}
            delivery={delivery}
            canRedeliver={canChange && state === "enabled" && delivery.status !== "pending"}
          />
        ))}
      </ul>
    </section>
  );
}

const LOOKS = { pending: "text-muted", delivered: "text-ok", failed: "text-bad" } as const;

function Delivery({ delivery, canRedeliver }: { delivery: WebhookDelivery; canRedeliver: boolean }) {
  const { id, webhook_id: webhook, event_type: type, object_id: object, status, error } = delivery;
  const again = useMutation({
    mutationFn: () => berth.webhooks.redeliver(webhook, id),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ["webhooks", webhook] }),
  });
  return (
    <li className="flex items-center justify-between gap-3 py-1.5">
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <ObjectLink id={object}>{type}</ObjectLink>
          <span className={LOOKS[status]}>{status}</span>
          <span className="text-xs text-faint">
            <Ago at={delivery.created_at} />
          </span>
        </p>
        {error !== null && <p className="text-xs wrap-anywhere text-faint">{showUnseen(error)}</p>}
        {again.isError && <ErrorBox error={again.error} />}
      </div>
      {canRedeliver && (
        <Button size="small" busy={again.isPending} onClick={() => again.mutate()}>
          Redeliver
        </Button>
      )}
    </li>
  );
}
