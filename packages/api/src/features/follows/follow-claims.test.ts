import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { newUuid, parseId } from "@berth/contract";
import { type Caller, testApp, type Wire } from "../../../test-support/http.ts";
import { beginFollow, claimFollows, type HandOver, handOver } from "../sessions/follow/follow-store.ts";

async function house(t: TestContext) {
  const { app, db, caller } = await testApp(t);
  const owner = await caller();
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const follow = { pull_request: true };
  const session = async (): Promise<string> => {
    const body = { agent: agent.id, environment_id: environment.id, follow };
    return parseId("session", (await owner.made("/sessions", body)).id) ?? "";
  };
  const claimAll = (claim: string, leaseMs = 60_000) =>
    claimFollows(db.write, { claim, leaseMs, limit: 100, quietMs: 0 });
  const begin = (sessionId: string, claim: string, number: number) => {
    const found = { host: "git.example", repository: "acme/shop", number, url: "https://git.example/1" };
    return db.transaction((tx) =>
      beginFollow(tx, { sessionId, claim }, { ...found, resourceId: null, branch: "agent/fix" }),
    );
  };
  return { app, db, owner, session, claimAll, begin };
}

const PULL = { number: 1, url: "https://git.example/1" };
const TOLD: HandOver = {
  event: {
    ...{ type: "session.follow_handed_over", pull_request: PULL, attempt: 1, max_attempts: 5 },
    ...{ failed_checks: ["test"], comments: [], conflict: false, left_out: [] },
  },
  content: [{ type: "text", text: "The check 'test' failed." }],
  ...{ keys: ["check:1:test"], head: "1".repeat(40), answers: [], waitMs: 1_000 },
};

async function messagesOf(owner: Caller, sessionId: string): Promise<number> {
  const { data } = (await owner.get("/sessions")).body;
  const { id } = data.find((one: Wire) => parseId("session", one.id) === sessionId);
  return (await owner.get(`/sessions/${id}/events?types[]=user.message`)).body.data.length;
}

test("a look whose process died is made again once its claim has ended, and only the new one hands over", async (t) => {
  const { db, owner, session, claimAll, begin } = await house(t);
  const sessionId = await session();
  const [dead, next] = [newUuid(), newUuid()];
  assert.equal((await claimAll(dead, 60_000)).length, 1);
  assert.equal(await begin(sessionId, dead, 1), true);
  assert.deepEqual(await claimAll(next), [], "while the claim counts, nobody else looks");
  await db.write.query({ text: "update session_follows set claimed_until = now()" });
  assert.deepEqual(
    (await claimAll(next)).map(({ status, number }) => [status, number]),
    [["watching", 1]],
  );
  const hand = (claim: string) => db.transaction((tx) => handOver(tx, { sessionId, claim }, TOLD));
  assert.equal(await hand(dead), null);
  assert.equal(await messagesOf(owner, sessionId), 0);
  // A process that dies before the commit leaves neither the message nor the note.
  await assert.rejects(
    db.transaction(async (tx) => {
      await handOver(tx, { sessionId, claim: next }, TOLD);
      throw new Error("killed");
    }),
    /killed/,
  );
  assert.equal(await messagesOf(owner, sessionId), 0);
  assert.equal((await hand(next))?.length, 1);
  assert.equal(await hand(next), null, "the claim has ended with it");
  assert.equal(await messagesOf(owner, sessionId), 1);
  const { rows } = await db.write.query<Wire>({ text: "select attempts, taken, claim from session_follows" });
  assert.deepEqual(rows, [{ attempts: 1, taken: TOLD.keys, claim: null }]);
});

test("what a trigger is sent about a repository has its followed pull requests looked at, and no others", async (t) => {
  const { app, db, owner, session, claimAll, begin } = await house(t);
  const auth = { type: "token", api: "github", token: "t" };
  const connection = await owner.made("/connections", {
    display_name: "c",
    url: "https://git.example",
    auth,
  });
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "other" });
  const deployment = await owner.made("/deployments", {
    ...{ name: "d", agent: agent.id, environment_id: environment.id },
    initial_events: [{ type: "user.message", content: [{ type: "text", text: "Go on." }] }],
  });
  const given = { type: "github", connection_id: connection.id };
  const trigger = await owner.made(`/deployments/${deployment.id}/triggers`, given);
  const sessionId = await session();
  const claim = newUuid();
  await claimAll(claim);
  await begin(sessionId, claim, 1);
  const waits = async () => {
    const text =
      "select extract(epoch from next_look_at - now())::double precision as seconds from session_follows";
    return (await db.write.query<{ seconds: number }>({ text })).rows[0]?.seconds ?? assert.fail();
  };
  const send = async (repository: string, delivery: string) => {
    const check = {
      id: 1,
      name: "test",
      status: "completed",
      conclusion: "failure",
      head_sha: "1".repeat(40),
    };
    const sender = { login: "ci", id: 1, type: "User" };
    const payload = JSON.stringify({
      ...{ action: "completed", check_run: check, sender },
      repository: { full_name: repository, html_url: `https://git.example/${repository}` },
    });
    const signature = createHmac("sha256", trigger.secret).update(payload).digest("hex");
    const headers = {
      ...{ "content-type": "application/json", "x-github-event": "check_run", "x-github-delivery": delivery },
      "x-hub-signature-256": `sha256=${signature}`,
    };
    const url = `/hooks/${trigger.id}`;
    assert.equal((await app.fastify.inject({ method: "POST", url, payload, headers })).statusCode, 202);
  };
  await db.write.query({ text: "update session_follows set next_look_at = now() + interval '1 hour'" });
  await send("acme/other", "1");
  assert.ok((await waits()) > 3_000);
  await send("acme/shop", "2");
  assert.ok((await waits()) <= 2);
  await db.write.query({
    text: "update session_follows set host = 'elsewhere.example', next_look_at = now() + interval '1 hour'",
  });
  await send("acme/shop", "3");
  assert.ok((await waits()) > 3_000);
});

test("one host is looked at four times at once, on all machines", async (t) => {
  const { db, session, claimAll, begin } = await house(t);
  const sessions = [];
  for (let number = 1; number <= 6; number += 1) sessions.push(await session());
  const first = newUuid();
  await claimAll(first);
  await Promise.all(sessions.map((id, at) => begin(id, first, at + 1)));
  await db.write.query({ text: "update session_follows set claimed_until = null, next_look_at = now()" });
  assert.equal((await claimAll(newUuid())).length, 4);
  assert.equal((await claimAll(newUuid())).length, 0);
});

test("two sessions begin to follow one request at once: one does", async (t) => {
  const { session, claimAll, begin } = await house(t);
  const sessions = [await session(), await session()];
  const claim = newUuid();
  await claimAll(claim);
  const began = await Promise.all(sessions.map((id) => begin(id, claim, 7)));
  assert.deepEqual(began.toSorted(), [false, true]);
});
