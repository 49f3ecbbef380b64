import { formatId, kindOfEvent, uuidTimestamp, type WebhookEvent } from "@berth/contract";
import type { EventRow } from "./delivery-store.ts";

/** Returns the event that a receiver gets. It is the same at each try. */
export function eventOf(row: EventRow & { organization_id: string }): WebhookEvent {
  const { vault_id: vault, deployment_id: deployment, resource_id: resource, number } = row.details;
  return {
    type: "event",
    id: formatId("event", row.event_id),
    created_at: uuidTimestamp(row.event_id),
    data: {
      type: row.event_type as WebhookEvent["data"]["type"],
      id: formatId(kindOfEvent(row.event_type), row.object_id),
      organization_id: formatId("organization", row.organization_id),
      ...(vault === undefined ? {} : { vault_id: formatId("vault", vault) }),
      ...(deployment === undefined ? {} : { deployment_id: formatId("deployment", deployment) }),
      ...(resource === undefined ? {} : { resource_id: formatId("session_resource", resource) }),
      ...(number === undefined ? {} : { number }),
    },
  };
}
