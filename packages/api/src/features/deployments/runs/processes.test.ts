// Subject: several processes that run the same deployments.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { testApp } from "../../../../test-support/http.ts";
import { setScheduleClock } from "../../../../test-support/schedule-clock.ts";
import type { SchedulerProcess } from "../../../../test-support/scheduler-process.ts";

const PROGRAM = join(import.meta.dirname, "../../../../test-support/scheduler-process.ts");
const BEGIN = Date.parse("2026-03-01T00:00:00Z");
const MINUTE = 60_000;

async function bench(t: TestContext, deployments: number) {
  const secretKey = randomBytes(32);
  const { app, db, blobsDir, caller } = await testApp(t, { secretKey });
  const owner = await caller();
  const at = (minute: number) => setScheduleClock(db.write, new Date(BEGIN + minute * MINUTE).toISOString());
  await at(0);
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  for (let made = 0; made < deployments; made++)
    await owner.made("/deployments", {
      ...{ name: `d${made}`, agent: agent.id, environment_id: environment.id },
      initial_events: [{ type: "user.message", content: [{ type: "text", text: "Go on." }] }],
      schedule: { type: "cron", expression: "* * * * *", timezone: "UTC" },
      resources: [{ type: "git_repository", url: "https://git.example/a/b", password: "word" }],
    });
  const start = async (killAt = Number.POSITIVE_INFINITY): Promise<ChildProcess> => {
    const child = fork(PROGRAM, { execArgv: [], serialization: "advanced", silent: true });
    t.after(() => child.kill("SIGKILL"));
    const told: SchedulerProcess = { connection: db.connection, blobsDir, secretKey, killAt };
    const ready = once(child, "message");
    child.send(told);
    await ready;
    return child;
  };
  const numbers = async (text: string) =>
    Object.values((await db.write.query<Record<string, number>>({ text })).rows[0] ?? {});
  const runs = async () => (await numbers("select count(*)::integer from deployment_runs"))[0] ?? 0;
  /** Asserts that each slot of the first minutes has one run, with one whole session. */
  const assertOnce = async (minutes: number) => {
    const expected = deployments * minutes;
    assert.deepEqual(
      await numbers(`select count(*)::integer as runs, count(distinct (deployment_id, scheduled_at))::integer as slots,
        count(distinct session_id)::integer as sessions, count(error_type)::integer as errors from deployment_runs`),
      [expected, expected, expected, 0],
    );
    assert.deepEqual(
      await numbers(`select count(*)::integer as sessions, count(run.id)::integer as of_runs,
        (select count(*)::integer from events) as events, (select count(*)::integer from session_resources) as resources,
        (select count(*)::integer from audit_entries where operation = 'deployments schedule') as entries
        from sessions left join deployment_runs as run on run.session_id = sessions.id`),
      [expected, expected, expected, expected, expected],
    );
  };
  /** Asserts that each session and each event is of a run, and each run has its session: nothing is half there. */
  const assertWhole = async (expected: number) =>
    assert.deepEqual(
      await numbers(`select (select count(*)::integer from deployment_runs) as runs,
        (select count(*)::integer from sessions) as sessions, (select count(*)::integer from events) as events,
        (select count(*)::integer from sessions join deployment_runs on session_id = sessions.id) as joined`),
      [expected, expected, expected, expected],
    );
  return { app, at, start, runs, assertOnce, assertWhole };
}

async function stop(child: ChildProcess): Promise<number> {
  const answer = once(child, "message") as Promise<[number]>;
  const exited = once(child, "exit");
  child.send("stop");
  const [[statements]] = await Promise.all([answer, exited]);
  return statements;
}

test("three processes: each slot is run once", { timeout: 3_600_000 }, async (t) => {
  // As many as start at once.
  const deployments = 20;
  const minutes = process.env.TEST_CRASH === "whole" ? 500 : 15;
  const { at, start, runs, assertOnce } = await bench(t, deployments);
  const children = await Promise.all([start(), start(), start()]);
  for (let minute = 1; minute <= minutes; minute++) {
    await at(minute);
    while ((await runs()) < deployments * minute) await pause(5);
  }
  const statements = await Promise.all(children.map(stop));
  assert.ok(
    statements.every((count) => count > 0),
    `${statements}: all have taken part`,
  );
  await assertOnce(minutes);
});

test("a process that is killed before each statement of a run, and after its commit: each slot has one whole run", {
  timeout: 3_600_000,
}, async (t) => {
  const { at, start, runs, assertOnce, assertWhole } = await bench(t, 1);
  await at(1);
  let minute = 1;
  let killed = 0;
  for (let killAt = 1; ; killAt++) {
    const child = await start(killAt);
    const exited = once(child, "exit");
    while (child.exitCode === null && child.signalCode === null && (await runs()) < minute) await pause(5);
    const isOver = (await runs()) === minute;
    await assertWhole(isOver ? minute : minute - 1);
    // After the commit it is being killed, unless the run has fewer statements than that.
    if (isOver && child.connected) child.send("stop", () => undefined);
    const [, signal] = await exited;
    if (signal === null) break;
    assert.equal(signal, "SIGKILL");
    killed += 1;
    if (isOver) await at(++minute);
  }
  t.diagnostic(`killed at each of ${killed} points`);
  assert.ok(killed > 10, `${killed}`);
  await assertOnce(minute);
});
