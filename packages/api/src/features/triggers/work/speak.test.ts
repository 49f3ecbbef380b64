// Subject: what is said at Slack, Linear and Jira.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { SecretBox, triggerToken } from "@berth/store/secrets";
import type { Place } from "../hooks/hook-event.ts";
import type { TriggerRow } from "../store/trigger-store.ts";
import { SpeakError, speak } from "./speak.ts";

interface Received {
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

/** A service that takes what is meant for those of Slack, Linear and Jira. */
async function house(
  t: TestContext,
  answer: (received: Received) => [status: number, body: string, retryAfter?: string],
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    const one = { path: request.url ?? "", authorization: request.headers.authorization, body };
    received.push(one);
    const [status, sent, after] = answer(one);
    response.writeHead(status, after === undefined ? {} : { "retry-after": after }).end(sent);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const secrets = new SecretBox(randomBytes(32));
  const id = newUuid();
  const deps = {
    ...{ db: { read: { query: () => Promise.reject(new Error("unused")) } }, secrets },
    fetch: async (url: string, init?: RequestInit) =>
      await fetch(url.replace(/^https:\/\/[^/]+/, `http://127.0.0.1:${port}`), init),
  };
  const say = (
    type: TriggerRow["type"],
    token: string,
    place: Place,
    what: "began" | "ended",
    said: string | null,
  ) => {
    const trigger = {
      id,
      type,
      token: secrets.seal(triggerToken(id), token),
      site_url: "https://acme.example/jira",
    };
    return speak(deps as never, trigger as TriggerRow, place, { delivery: newUuid(), what, text: said });
  };
  return { received, say };
}

const SLACK: Place = { type: "slack", channel: "C1", thread: "1.2", message: "1.3" };

test("Slack: a sign on the message, and an answer in its thread", async (t) => {
  const { received, say } = await house(t, ({ path }) => [
    200,
    path.endsWith("reactions.add") ? '{"ok":false,"error":"already_reacted"}' : '{"ok":true}',
  ]);
  await say("slack", "xoxb-1", SLACK, "began", "It <works> & so");
  assert.deepEqual(received, [
    {
      path: "/api/reactions.add",
      authorization: "Bearer xoxb-1",
      body: { channel: "C1", timestamp: "1.3", name: "eyes" },
    },
    {
      ...{ path: "/api/chat.postMessage", authorization: "Bearer xoxb-1" },
      body: { channel: "C1", thread_ts: "1.2", text: "It &lt;works&gt; &amp; so", unfurl_links: false },
    },
  ]);
});

test("Linear and Jira: a comment with a line by which it is known", async (t) => {
  const { received, say } = await house(t, () => [200, '{"data":{"commentCreate":{"success":true}}}']);
  await say("linear", "lin_1", { type: "linear", issue: "i1", parent: "c1" }, "ended", "Done.");
  await say("jira", "ann@example.com:t", { type: "jira", issue: "ENG-1" }, "ended", "Done.");
  await say("jira", "token", { type: "jira", issue: "ENG-1" }, "ended", "Done.");
  const [linear, cloud, center] = received;
  assert.deepEqual([linear?.path, linear?.authorization], ["/graphql", "lin_1"]);
  const { input } = (linear?.body.variables ?? {}) as { input: Record<string, string> };
  assert.deepEqual([input.issueId, input.parentId], ["i1", "c1"]);
  assert.match(input.body ?? "", /^Done\.\n\n\[\/\/\]: # \(berth-trigger trgd_\w+ ended\)$/);
  assert.deepEqual(
    [cloud?.path, center?.path],
    ["/jira/rest/api/2/issue/ENG-1/comment", "/jira/rest/api/2/issue/ENG-1/comment"],
  );
  const basic = Buffer.from("ann@example.com:t").toString("base64");
  assert.deepEqual([cloud?.authorization, center?.authorization], [`Basic ${basic}`, "Bearer token"]);
  assert.match(`${cloud?.body.body}`, /^Done\.\n\n.*\(berth-trigger trgd_\w+ ended\)/);
});

test("a failure is told apart: what time heals is tried again, and no text of the other side is in it", async (t) => {
  const answers: [number, string, string?][] = [];
  const { say } = await house(t, () => answers.shift() ?? [200, "{}"]);
  const fault = async (...given: [number, string, string?]) => {
    answers.push(given);
    const error = await say("slack", "t", SLACK, "ended", "x").then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof SpeakError);
    return [error.message, error.fault.transient, error.fault.retryAfterMs ?? null];
  };
  assert.deepEqual(await fault(200, '{"ok":false,"error":"not_in_channel"}'), [
    "Slack rejects it: not_in_channel.",
    false,
    null,
  ]);
  assert.deepEqual(await fault(200, '{"ok":false,"error":"A Sentence <script>"}'), [
    "Slack rejects it.",
    false,
    null,
  ]);
  assert.deepEqual(await fault(429, "secret", "30"), ["Slack answered 429.", true, 30_000]);
  assert.deepEqual(await fault(503, "secret"), ["Slack answered 503.", true, null]);
  assert.deepEqual(await fault(401, "secret"), ["Slack answered 401.", false, null]);
  assert.deepEqual(await fault(200, "<html>"), [
    "Slack answered with something that is not its API's.",
    undefined,
    null,
  ]);
});
