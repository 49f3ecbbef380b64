import { createHmac, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** What a sender sends. */
export interface Hook {
  source: string;
  url: string;
  secret: string;
  body: string;
  /** The sender's name of the event, where it is in a header. */
  event?: string;
  /** The sender's id. Default: a new one. */
  id?: string;
  /** Milliseconds since 1970 of signatures that have a time. Default: now. */
  at?: number;
  headers?: Record<string, string>;
}

const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex");

type Sign = (
  hook: Required<Pick<Hook, "secret" | "body" | "id" | "at">> & { event: string },
) => Record<string, string>;

/** The headers that each sender sends, as its documentation says. */
export const SENDERS: Readonly<Record<string, Sign>> = {
  github: ({ secret, body, id, event }) => ({
    ...{
      "x-hub-signature-256": `sha256=${hmac(secret, body)}`,
      "x-github-event": event,
      "x-github-delivery": id,
    },
  }),
  gitlab: ({ secret, id }) => ({
    "x-gitlab-token": secret,
    "x-gitlab-event": "Note Hook",
    "idempotency-key": id,
  }),
  gitea: ({ secret, body, id, event }) => ({
    ...{ "x-gitea-signature": hmac(secret, body), "x-gitea-event": event, "x-gitea-delivery": id },
  }),
  bitbucket: ({ secret, body, id, event }) => ({
    ...{ "x-hub-signature": `sha256=${hmac(secret, body)}`, "x-event-key": event, "x-request-uuid": id },
  }),
  linear: ({ secret, body, id }) => ({ "linear-signature": hmac(secret, body), "linear-delivery": id }),
  jira: ({ secret, body, id }) => ({
    ...{ "x-hub-signature": `sha256=${hmac(secret, body)}`, "x-atlassian-webhook-identifier": id },
  }),
  slack: ({ secret, body, at }) => {
    const time = `${Math.floor(at / 1_000)}`;
    const signature = `v0=${hmac(secret, `v0:${time}:${body}`)}`;
    return { "x-slack-request-timestamp": time, "x-slack-signature": signature };
  },
  signed: ({ secret, body, id, at }) => ({
    ...{ "webhook-id": id, "webhook-timestamp": `${Math.floor(at / 1_000)}` },
    "webhook-signature": new Webhook(secret).sign(id, new Date(at), body),
  }),
};

/** Sends a delivery as its sender does. Returns the status, the parsed body, and the wait that is asked for. */
export async function deliver(
  hook: Hook,
): Promise<{ status: number; body: Record<string, unknown>; retryAfter: string | null }> {
  const { source, url, body, secret, event = "event", id = randomUUID(), at = Date.now() } = hook;
  const signed = SENDERS[source]?.({ secret, body, id, event, at }) ?? {};
  const headers = { "content-type": "application/json", ...signed, ...hook.headers };
  const response = await fetch(url, { method: "POST", body, headers });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    retryAfter: response.headers.get("retry-after"),
  };
}
