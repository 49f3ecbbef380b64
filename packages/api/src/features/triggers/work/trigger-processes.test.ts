// Subject: several processes that hand on what one trigger was sent, and that die.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { testApp } from "../../../../test-support/http.ts";
import type { SchedulerProcess } from "../../../../test-support/scheduler-process.ts";

const PROGRAM = join(import.meta.dirname, "../../../../test-support/trigger-process.ts");

async function bench(t: TestContext) {
  const secretKey = randomBytes(32);
  const { app, db, blobsDir, caller } = await testApp(t, { secretKey });
  const owner = await caller();
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const deployment = await owner.made("/deployments", {
    ...{ name: "d", agent: agent.id, environment_id: environment.id },
    initial_events: [{ type: "user.message", content: [{ type: "text", text: "Go on." }] }],
  });
  const terms = { type: "slack", allowed_users: ["*"], max_runs_per_hour: 10_000 };
  const trigger = await owner.made(`/deployments/${deployment.id}/triggers`, terms);
  /** Sends a message of a thread as Slack does. */
  const send = async (id: string, thread: string, isFirst: boolean) => {
    const [type, ts] = isFirst ? ["app_mention", thread] : ["message", `${thread}9`];
    const event = { type, user: "U1", text: "go", channel: "C1", ts, ...(!isFirst && { thread_ts: thread }) };
    const payload = JSON.stringify({ type: "event_callback", event_id: id, event });
    const time = `${Math.floor(Date.now() / 1_000)}`;
    const signature = createHmac("sha256", trigger.secret).update(`v0:${time}:${payload}`).digest("hex");
    const headers = {
      ...{ "content-type": "application/json", "x-slack-request-timestamp": time },
      "x-slack-signature": `v0=${signature}`,
    };
    const { statusCode } = await app.fastify.inject({
      method: "POST",
      url: `/hooks/${trigger.id}`,
      payload,
      headers,
    });
    assert.equal(statusCode, 202);
  };
  const start = async (killAt = Number.POSITIVE_INFINITY): Promise<ChildProcess> => {
    const child = fork(PROGRAM, { serialization: "advanced", silent: true });
    t.after(() => child.kill("SIGKILL"));
    const told: SchedulerProcess = { connection: db.connection, blobsDir, secretKey, killAt };
    const ready = once(child, "message");
    child.send(told);
    await ready;
    return child;
  };
  const numbers = async (text: string) =>
    Object.values((await db.write.query<Record<string, number>>({ text })).rows[0] ?? {});
  const pending = async () =>
    (await numbers("select count(*)::integer from trigger_deliveries where status = 'pending'"))[0] ?? 0;
  /** Ends the claims of processes that have died, as time does. */
  const endClaims = () => db.write.query({ text: "update trigger_deliveries set claimed_until = now()" });
  /** Asserts that each thread has one whole session, and each delivery is one message. */
  const assertOnce = async (threads: number, deliveries: number) =>
    assert.deepEqual(
      await numbers(`select (select count(*) from sessions)::integer as sessions, (select count(*) from deployment_runs)::integer as runs,
        (select count(*) from trigger_threads)::integer as threads, (select count(*) from events where type = 'user.message')::integer as messages,
        (select count(*) from trigger_deliveries where status in ('started', 'continued') and session_id is not null)::integer as done,
        (select count(*) from audit_entries where operation = 'deployments trigger')::integer as entries`),
      [threads, threads, threads, deliveries, deliveries, deliveries],
    );
  return { send, start, pending, endClaims, assertOnce };
}

async function stop(child: ChildProcess): Promise<number> {
  const answer = once(child, "message") as Promise<[number]>;
  const exited = once(child, "exit");
  child.send("stop");
  const [[statements]] = await Promise.all([answer, exited]);
  return statements;
}

test("three processes: each delivery is handed on once, each thread has one session", {
  timeout: 600_000,
}, async (t) => {
  const { send, start, pending, assertOnce } = await bench(t);
  const children = await Promise.all([start(), start(), start()]);
  const threads = Array.from({ length: 12 }, (_, at) => `17${at}.1`);
  for (const [at, thread] of threads.entries()) {
    // Each is sent three times at once, as a sender that got no answer does.
    await Promise.all([1, 2, 3].map(() => send(`first-${at}`, thread, true)));
    await Promise.all([
      send(`a-${at}`, thread, false),
      send(`b-${at}`, thread, false),
      send(`a-${at}`, thread, false),
    ]);
  }
  while ((await pending()) > 0) await pause(5);
  await Promise.all(children.map(stop));
  await assertOnce(12, 36);
});

test("a process that dies at any statement: what was received is handed on once by the next", {
  timeout: 3_600_000,
}, async (t) => {
  const { send, start, pending, endClaims, assertOnce } = await bench(t);
  const probe = await start();
  await send("probe", "1.1", true);
  while ((await pending()) > 0) await pause(5);
  const statements = await stop(probe);
  assert.ok(statements > 5, `${statements}`);
  const all = Array.from({ length: statements }, (_, at) => at + 1);
  const kills =
    process.env.TEST_CRASH === "whole" ? all : all.filter((at) => at % 6 === new Date().getDate() % 6);
  for (const killAt of kills) {
    await send(`killed-${killAt}`, `2.${killAt}`, true);
    const child = await start(killAt);
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await endClaims();
    const next = await start();
    while ((await pending()) > 0) await pause(5);
    await stop(next);
  }
  await assertOnce(kills.length + 1, kills.length + 1);
});
