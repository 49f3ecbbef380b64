import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import type { LogEntry } from "@berth/agent";
import { testDatabase, testServers } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { closeDead, DYING_LEASE_MS, dyingDatabase } from "../../test-support/dying-database.ts";
import { bash, claimant, HERE, idles, installation, steps, types } from "../../test-support/worker.ts";
import { claimRuns, releaseRun, renewLeases } from "../lease/claim-runs.ts";
import { isDeadOwner, newOwnerName } from "../lease/lease-owner.ts";

for (const server of testServers) {
  describe(`claims on ${server.label}`, () => {
    test("claimRuns: three concurrent workers → no session is claimed twice at a time", async (t) => {
      const db = await testDatabase(t, server);
      await db.write.query({ text: "create table running (id uuid primary key)" });
      const from = await seed(db.write);
      const sessions = await Promise.all(Array.from({ length: 30 }, () => seedSession(db.write, from)));
      let turns = 0;
      let enqueuing = true;
      const run = async (owner: string) => {
        for (;;) {
          const last = !enqueuing;
          const leases = await claimRuns(db.write, claimant(owner), 4);
          if (last && leases.length === 0) return;
          await Promise.all(
            leases.map(async (lease) => {
              const values = [lease.sessionId];
              await db.write.query({ text: "insert into running values ($1)", values });
              await db.write.query({ text: "update sessions set pending_at = null where id = $1", values });
              turns += 1;
              await db.write.query({ text: "delete from running where id = $1", values });
              while (!(await releaseRun(db.write, lease))) {
                await db.write.query({ text: "update sessions set pending_at = null where id = $1", values });
              }
            }),
          );
        }
      };
      const workers = ["a", "b", "c"].map(run);
      for (let round = 0; round < 10; round++) {
        await db.write.query({ text: "update sessions set pending_at = coalesce(pending_at, now())" });
      }
      enqueuing = false;
      await Promise.all(workers);
      assert.ok(turns >= sessions.length);
      const { rows } = await db.read.query({
        text: "select count(*) as held from sessions where lease_owner is not null or pending_at is not null",
      });
      assert.deepEqual(rows, [{ held: 0 }]);
    });

    test("claimRuns: a valid lease → not claimed; an expired one → claimed with a higher epoch", async (t) => {
      const db = await testDatabase(t, server);
      const from = await seed(db.write);
      const { organizationId } = from;
      const sessionId = await seedSession(db.write, from, { pending: true });
      const [first] = await claimRuns(db.write, claimant("a"), 8);
      assert.deepEqual(first, { sessionId, organizationId, ownerId: organizationId, owner: "a", epoch: 1 });
      assert.deepEqual(await claimRuns(db.write, claimant("b"), 8), []);
      await db.write.query({
        text: "update sessions set pending_at = null, lease_until = now() - interval '1 s'",
      });
      assert.deepEqual(await claimRuns(db.write, claimant("b"), 8), [
        { sessionId, organizationId, ownerId: organizationId, owner: "b", epoch: 2 },
      ]);
      assert.ok(first !== undefined);
      assert.deepEqual(await renewLeases(db.write, "a", 60_000, [first]), new Set());
      assert.equal(await releaseRun(db.write, first), false);
    });
  });
}

describe("Worker", () => {
  for (const commits of [false, true]) {
    const when = commits ? "after each commit" : "before each commit";
    test(`a process dies ${when} of a turn → the next worker completes the turn and repeats no call`, async (t) => {
      const db = await testDatabase(t);
      const from = await seed(db.write);
      const message = steps(
        bash("echo one"),
        { tools: [bash("echo two"), bash("echo three")] },
        { say: "Done." },
      );
      let points = 0;
      for (let survived = false; !survived; points++) {
        assert.ok(points < 60, "the turn never ends");
        const own = await installation(t, db);
        const sessionId = await seedSession(db.write, from);
        const dying = dyingDatabase(db, points + 1, commits);
        const first = await own.worker({ db: dying.db, leaseMs: DYING_LEASE_MS, pollMs: 50, graceMs: 0 });
        await own.send(sessionId, message);
        const ended = own.until(sessionId, (entries) => idles(entries) === 1);
        survived = await Promise.race([dying.dead.then(() => false), ended.then(() => true)]);
        await closeDead(db, first);
        const second = await own.worker({ pollMs: 20 });
        checkLog(
          await ended,
          own.engine.commands.map(({ script }) => script),
          `crash ${points + 1}`,
        );
        assert.deepEqual(own.engine.overlaps, [], "a disk was opened twice");
        await second.close();
      }
      assert.ok(points > 8, `only ${points} crash points`);
    });
  }

  test("close: a command runs longer than the grace period → the session is released as due and the next worker continues it", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await seedSession(db.write, await seed(db.write));
    const first = await own.worker({ graceMs: 50 });
    const began = once(own.engine.events, "command");
    await own.send(sessionId, steps(bash("hang"), { say: "Done." }));
    await began;
    await first.close();
    const { rows } = await db.read.query({
      text: "select status, lease_owner, pending_at is not null as due from sessions",
    });
    assert.deepEqual(rows, [{ status: "running", lease_owner: null, due: true }]);
    assert.ok([...own.engine.openDisks.values()].every((open) => open === 0));
    await own.worker();
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    const interrupted = log.find((entry) => entry.event.type === "agent.tool_result")?.event;
    assert.ok(interrupted?.type === "agent.tool_result" && interrupted.is_error);
    assert.equal(own.engine.commands.length, 1);
    assert.ok(types(log).includes("agent.message"));
  });

  test("close: a call ends within the grace period → its result is kept", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await seedSession(db.write, await seed(db.write));
    const first = await own.worker({ graceMs: 10_000 });
    await own.send(
      sessionId,
      steps(...Array.from({ length: 30 }, (_, n) => bash(`echo ${n}`)), { say: "Done." }),
    );
    await own.until(sessionId, (entries) => types(entries).includes("agent.tool_result"));
    await first.close();
    const before = await readLog(db.read, sessionId);
    assert.equal(idles(before), 0, "the turn ended before the worker did");
    await own.worker();
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.deepEqual(
      own.engine.commands.map(({ script }) => script),
      Array.from({ length: 30 }, (_, n) => `echo ${n}`),
    );
    assert.ok(log.every(({ event }) => event.type !== "agent.tool_result" || !event.is_error));
  });

  test("outputs: the sandbox dies while they are listed → listed in another one; outputs_error if all of seven die", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const from = await seed(db.write);
    await own.worker();
    for (const [diesAtListings, opened] of [
      [1, 2],
      [7, 7],
    ] as const) {
      const sessionId = await seedSession(db.write, from);
      own.engine.diesAtListings = diesAtListings;
      own.engine.specs.length = 0;
      await own.send(sessionId, steps(bash("echo"), { say: "Done." }));
      const log = await own.until(sessionId, (entries) => idles(entries) === 1);
      const failed = log.flatMap(({ event }) => (event.type === "session.error" ? [event.error.type] : []));
      assert.equal(failed.includes("outputs_error"), diesAtListings === 7);
      assert.equal(own.engine.specs.length, opened);
    }
  });

  test("concurrency: more sessions than slots → no more turns at once than slots, and all run in the end", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const from = await seed(db.write);
    const sessions = await Promise.all(Array.from({ length: 8 }, () => seedSession(db.write, from)));
    for (const sessionId of sessions) await own.send(sessionId, steps(bash("echo"), { say: "Done." }));
    let most = 0;
    const stop = own.hub.subscribe(sessions[0] ?? "", () => undefined);
    own.engine.events.on("command", () => {
      most = Math.max(
        most,
        [...own.engine.openDisks.values()].reduce((sum, open) => sum + open, 0),
      );
    });
    await own.worker({ concurrency: 2, sandboxIdleMs: 0 });
    await Promise.all(sessions.map((sessionId) => own.until(sessionId, (log) => idles(log) === 1)));
    stop();
    assert.ok(most >= 1 && most <= 4, `${most} sandboxes were open at once`);
  });

  test("lease lost: another worker claims the session → the sandbox is killed and nothing is appended", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await seedSession(db.write, await seed(db.write));
    await own.worker({ leaseMs: 1_000 });
    const began = once(own.engine.events, "command");
    await own.send(sessionId, steps(bash("hang"), { say: "Never." }));
    await began;
    const closed = once(own.engine.events, "closed");
    await db.write.query({
      text: `update sessions set lease_owner = 'other', lease_until = now() + interval '1 hour',
        lease_epoch = lease_epoch + 1`,
    });
    const before = await readLog(db.read, sessionId);
    await closed;
    assert.deepEqual(await readLog(db.read, sessionId), before);
  });

  test("a dead process of this machine holds a lease → claimed at once, also when its claim is committed late", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const from = await seed(db.write);
    const [first, late] = [await seedSession(db.write, from), await seedSession(db.write, from)];
    await own.worker({ leaseMs: 3_600_000, pollMs: 20 });
    await own.send(first, steps({ say: "Done." }));
    await own.until(first, (log) => idles(log) === 1);
    const [machine, , started, worker] = newOwnerName(HERE.id).split(".");
    await db.transaction(async (tx) => {
      const text =
        "update sessions set lease_owner = $2, lease_until = now() + interval '1 hour' where id = $1";
      await tx.query({ text, values: [late, [machine, 4_000_000, started, worker].join(".")] });
    });
    await own.send(late, steps({ say: "Done." }));
    await own.until(late, (log) => idles(log) === 1);
  });

  test("silentMs: grows while the database does not answer the look for work, and falls when it does", async (t) => {
    const db = await testDatabase(t);
    const worker = await (await installation(t, db)).worker({ pollMs: 20 });
    const isWaiting = {
      text: `select exists (
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%from hosts%'
      ) as waits`,
    };
    await db.transaction(async (tx) => {
      await tx.query({ text: "lock table hosts in access exclusive mode" });
      let waits: boolean | undefined;
      while (waits !== true) waits = (await db.write.query<{ waits: boolean }>(isWaiting)).rows[0]?.waits;
      const seen = performance.now();
      await tx.query({ text: "select pg_sleep(0.2)" });
      const locked = performance.now() - seen;
      assert.ok(worker.silentMs >= locked, `${worker.silentMs}`);
    });
    const free = performance.now();
    while (worker.silentMs >= performance.now() - free) await db.read.query({ text: "select 1" });
  });

  test("isDeadOwner: this process → false; a process that is gone, or of this host elsewhere → true; another host → false", () => {
    const owner = newOwnerName("here");
    const isDead = (...parts: unknown[]) => isDeadOwner(parts.join("."), "here");
    assert.equal(isDead(owner), false);
    const [machine, , started, worker, host] = owner.split(".");
    assert.equal(isDead(machine, 4_000_000, started, worker, host), true);
    assert.equal(isDead(machine, process.pid, "1", worker, host), true);
    assert.equal(isDead("elsewhere", process.pid, started, worker, host), true);
    assert.equal(isDead("elsewhere", 4_000_000, started, worker, "there"), false);
    assert.equal(isDead("elsewhere", 4_000_000, started, worker), false);
  });
});

function checkLog(log: readonly LogEntry[], commands: readonly string[], label: string): void {
  assert.deepEqual(
    log.map((entry) => entry.seq),
    log.map((_, index) => index + 1),
    label,
  );
  const uses = log.flatMap(({ event }) => (event.type === "agent.tool_use" ? [event] : []));
  const results = log.flatMap(({ event }) => (event.type === "agent.tool_result" ? [event] : []));
  for (const use of uses) {
    assert.equal(
      results.filter((result) => result.tool_use_id === use.id).length,
      1,
      `${label}: one result a call`,
    );
  }
  assert.equal(new Set(commands).size, commands.length, `${label}: a command ran twice`);
  const clean = results.filter((result) => !result.is_error).length;
  assert.ok(
    commands.length >= clean && commands.length <= uses.length,
    `${label}: commands and calls differ`,
  );
  assert.equal(types(log).filter((type) => type === "session.status_running").length, 1, label);
  assert.equal(types(log).filter((type) => type === "agent.message").length, 1, label);
}
