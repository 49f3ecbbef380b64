import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import Oldest from "anthropic-sdk-0-95";
import Older from "anthropic-sdk-0-137";
import Newest from "anthropic-sdk-1";
import { Webhook } from "standardwebhooks";
import { eventOf } from "./event-body.ts";
import { signedHeaders } from "./sign.ts";

const key = () => `whsec_${randomBytes(32).toString("base64")}`;

/** Returns an event as it is sent, signed now by the keys. */
function sent(...keys: string[]) {
  const event = eventOf({
    ...{ event_id: newUuid(), event_type: "session.status_idled", object_id: newUuid(), details: {} },
    organization_id: newUuid(),
  });
  const body = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1_000);
  return { event, body, headers: signedHeaders({ id: event.id, timestamp, body }, keys) };
}

const VERIFIERS: Record<string, (body: string, headers: Record<string, string>, key: string) => unknown> = {
  standardwebhooks: (body, headers, secret) => new Webhook(secret).verify(body, headers),
  "@anthropic-ai/sdk 0.95": (body, headers, secret) =>
    new Oldest({ apiKey: "x" }).beta.webhooks.unwrap(body, { headers, key: secret }),
  "@anthropic-ai/sdk 0.137": (body, headers, secret) =>
    new Older({ apiKey: "x" }).beta.webhooks.unwrap(body, { headers, key: secret }),
  "@anthropic-ai/sdk 1.11": (body, headers, secret) =>
    new Newest({ apiKey: "x" }).beta.webhooks.unwrap(body, { headers, key: secret }),
};

for (const [name, verify] of Object.entries(VERIFIERS))
  test(`signature: accepted by ${name}, by each of two keys, and by no other`, () => {
    const [current, former, other] = [key(), key(), key()];
    const { event, body, headers } = sent(current, former);
    for (const secret of [current, former]) assert.deepEqual(verify(body, headers, secret), event);
    assert.throws(() => verify(body, headers, other));
    assert.throws(() => verify(`${body} `, headers, current));
    assert.throws(() => verify(body, { ...headers, "webhook-id": "evt_other" }, current));
    const early = { ...headers, "webhook-timestamp": `${Number(headers["webhook-timestamp"]) - 301}` };
    assert.throws(() => verify(body, early, current));
  });
