// Subject: attempts to put a repository in place, and changes while they run.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { updateSecret } from "@berth/api/test-support/internals/features";
import { type EventOf, newUuid } from "@berth/contract";
import { resourceSecret, SecretBox } from "@berth/store/secrets";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { closeDead, DYING_LEASE_MS, dyingDatabase } from "../../test-support/dying-database.ts";
import { bash, type Installation, idles, installation, steps, types } from "../../test-support/worker.ts";
import type { CloneRepository, Placement } from "../inputs/placement.ts";
import type { WorkerOptions } from "../session/worker.ts";

const secrets = new SecretBox(Buffer.alloc(32));
const HOUR_MS = 3_600_000;
const COMMIT = "a".repeat(40);

type Log = Parameters<typeof types>[0];

interface Trial {
  db: TestDatabase;
  own: Installation;
  sessionId: string;
  /** Tokens of the attempts, in order. */
  attempts: string[];
  /** Emits `attempt` when one begins. */
  events: EventEmitter;
  start(options?: Partial<WorkerOptions>): ReturnType<Installation["worker"]>;
  rotate(token: string): Promise<void>;
  row(): Promise<{ attempts: number; failure: string | null }>;
}

/** Creates a session with one repository, whose token is `one`. Attempts are numbered from 1. */
async function trial(
  t: TestContext,
  outcome: (token: string | null, attempt: number) => Placement | Promise<Placement>,
): Promise<Trial> {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const sessionId = await seedSession(db.write, await seed(db.write), { pending: true });
  const id = newUuid();
  const sealed = (token: string) => secrets.seal(resourceSecret(id), token);
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, url, secret, mount_path)
      values ($1, $2, 'hosted_repository', 'https://git.example/o/r', $3, '/data/r')`,
    values: [id, sessionId, sealed("one")],
  });
  const attempts: string[] = [];
  const events = new EventEmitter();
  const clone: CloneRepository = async (_sandbox, { secret }) => {
    const count = attempts.push(secret ?? "");
    events.emit("attempt", count);
    return await outcome(secret, count);
  };
  return {
    db,
    own,
    sessionId,
    attempts,
    events,
    start: (options) => own.worker({ clone, cloneRetryMs: [1, 1, 1], ...options }),
    async rotate(token) {
      await updateSecret(db.write, id, sealed(token));
      own.hub.publish(sessionId, true);
    },
    async row() {
      const text = "select attempts, failure from session_resources where id = $1";
      const { rows } = await db.read.query<{ attempts: number; failure: string | null }>({
        text,
        values: [id],
      });
      assert.ok(rows[0]);
      return rows[0];
    },
  };
}

const denied: Placement = { fault: { type: "repository_authentication_error", message: "401." } };
const unavailable: Placement = {
  fault: { type: "repository_clone_error", message: "503.", transient: true },
};

function statuses(log: Log): string[] {
  return errors(log).map(({ error }) => error.retry_status.type);
}

function errors(log: Log): EventOf<"session.error">[] {
  return log.flatMap(({ event }) =>
    event.type === "session.error" ? [event as EventOf<"session.error">] : [],
  );
}

const isReady = (log: Log) => types(log).includes("session.resource_ready");
const hasError = (log: Log) => errors(log).length > 0;

describe("a token that is replaced", () => {
  test("during the clone, which then fails → tried at once with the new one; the command waits for it", async (t) => {
    const going = Promise.withResolvers<void>();
    const { own, sessionId, attempts, events, start, rotate } = await trial(t, async (token) => {
      if (token === "one") await going.promise;
      return token === "two" ? { commit: COMMIT } : denied;
    });
    const began = once(events, "attempt");
    await start();
    await began;
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => types(log).includes("agent.tool_use"));
    await rotate("two");
    going.resolve();
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.deepEqual(attempts, ["one", "two"]);
    assert.deepEqual(statuses(log), ["retrying"]);
    assert.ok(types(log).indexOf("session.resource_ready") < types(log).indexOf("agent.tool_result"));
  });

  test("twice during the clone → tried once, with the last one", async (t) => {
    const going = Promise.withResolvers<void>();
    const { own, sessionId, attempts, events, start, rotate } = await trial(t, async (token) => {
      if (token === "one") await going.promise;
      return token === "three" ? { commit: COMMIT } : denied;
    });
    const began = once(events, "attempt");
    await start();
    await began;
    await rotate("two");
    await rotate("three");
    going.resolve();
    await own.until(sessionId, isReady);
    assert.deepEqual(attempts, ["one", "three"]);
  });

  test("after the failure, by the same token → tried again", async (t) => {
    const { own, sessionId, attempts, start, rotate } = await trial(t, (_token, count) =>
      count === 1 ? denied : { commit: COMMIT },
    );
    await start();
    await own.until(sessionId, hasError);
    await rotate("one");
    const log = await own.until(sessionId, isReady);
    assert.deepEqual(attempts, ["one", "one"]);
    assert.deepEqual(statuses(log), ["terminal"]);
  });

  test("not at all → a final failure is not tried again in later turns", async (t) => {
    const { own, sessionId, attempts, start } = await trial(t, () => denied);
    await start();
    await own.until(sessionId, hasError);
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => idles(log) === 1);
    assert.deepEqual(attempts, ["one"]);
  });
});

describe("a failure that passes", () => {
  test("→ retried while the command waits, each time told as retrying", async (t) => {
    const { own, sessionId, attempts, start } = await trial(t, (_token, count) =>
      count <= 3 ? unavailable : { commit: COMMIT },
    );
    await start();
    await own.send(sessionId, steps(bash("echo one")));
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.equal(attempts.length, 4);
    assert.deepEqual(statuses(log), ["retrying", "retrying", "retrying"]);
    assert.ok(types(log).indexOf("session.resource_ready") < types(log).indexOf("agent.tool_result"));
  });

  test("that does not pass → exhausted, tried once at each later turn, and the model is told both ways", async (t) => {
    const { own, sessionId, attempts, start } = await trial(t, (_token, count) =>
      count <= 5 ? unavailable : { commit: COMMIT },
    );
    await start();
    const failed = await own.until(sessionId, (log) => statuses(log).includes("exhausted"));
    assert.deepEqual(statuses(failed), ["retrying", "retrying", "retrying", "exhausted"]);
    await own.send(sessionId, steps(bash("echo one")));
    const second = await own.until(sessionId, (log) => idles(log) === 1);
    assert.deepEqual(statuses(second).slice(4), ["exhausted"]);
    assert.equal(attempts.length, 5);
    await own.send(sessionId, steps(bash("echo two")));
    const third = await own.until(sessionId, (log) => idles(log) === 2);
    const results = third
      .filter(({ event }) => event.type === "agent.tool_result")
      .map((one) => JSON.stringify(one));
    assert.match(results[0] ?? "", /is not at \/data\/r: 503\./);
    assert.match(results[1] ?? "", /is now at \/data\/r\./);
    assert.equal(attempts.length, 6);
  });

  test("another failure in between → final at once", async (t) => {
    const { own, sessionId, attempts, start } = await trial(t, (_token, count) =>
      count === 1 ? unavailable : denied,
    );
    await start();
    const log = await own.until(sessionId, (entries) => errors(entries).length === 2);
    assert.deepEqual(statuses(log), ["retrying", "terminal"]);
    assert.equal(attempts.length, 2);
  });

  test("the host asks to wait → it waits that long, at most a minute", async (t) => {
    const asks = (retryAfterMs: number): Placement => ({ fault: { ...faultOf(unavailable), retryAfterMs } });
    for (const [asked, atLeast, atMost] of [
      [20_000, 15_000, 20_000],
      [HOUR_MS, 55_000, 60_000],
    ] as const) {
      const { db, own, sessionId, start } = await trial(t, () => asks(asked));
      await start();
      await own.until(sessionId, hasError);
      const left = await waitLeft(db);
      assert.ok(left > atLeast && left <= atMost, `${left}`);
    }
  });

  test("a new token during the wait → tried at once, with its own series", async (t) => {
    const { own, sessionId, attempts, start, rotate } = await trial(t, (token) =>
      token === "two" ? { commit: COMMIT } : unavailable,
    );
    await start({ cloneRetryMs: [HOUR_MS / 60] });
    await own.until(sessionId, hasError);
    await rotate("two");
    await own.until(sessionId, isReady);
    assert.deepEqual(attempts, ["one", "two"]);
  });

  test("an interrupt during the wait → ends the turn; the repository still comes", async (t) => {
    const { own, sessionId, start, rotate } = await trial(t, (token) =>
      token === "two" ? { commit: COMMIT } : unavailable,
    );
    await start({ cloneRetryMs: [HOUR_MS / 60] });
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => hasError(log) && types(log).includes("agent.tool_use"));
    await own.interrupt(sessionId);
    await own.until(sessionId, (log) => idles(log) === 1);
    await rotate("two");
    await own.until(sessionId, isReady);
  });

  test("the process ends during the wait → at once, and the next one goes on counting", async (t) => {
    const { own, sessionId, attempts, start, row } = await trial(t, () => unavailable);
    const first = await start({ cloneRetryMs: [1, HOUR_MS / 60, 1] });
    await own.until(sessionId, (log) => errors(log).length === 2);
    await first.close();
    assert.equal((await row()).attempts, 2);
    const due = "update session_resources set retry_at = now() where retry_at is not null";
    await own.db.write.query({ text: due });
    await start();
    const log = await own.until(sessionId, (entries) => statuses(entries).includes("exhausted"));
    assert.deepEqual(statuses(log), ["retrying", "retrying", "retrying", "exhausted"]);
    assert.equal(attempts.length, 4);
  });

  test("the process dies after any event of the series → the next one goes on, and tells each failure once", async (t) => {
    // The first event is that of the container.
    for (const point of [2, 3, 5]) {
      const { db, own, sessionId, attempts, start } = await trial(t, () => unavailable);
      const dying = dyingDatabase(db, point, true);
      const first = await start({ db: dying.db, leaseMs: DYING_LEASE_MS, pollMs: 50, graceMs: 0 });
      await dying.dead;
      await closeDead(db, first);
      await start({ pollMs: 20 });
      await own.until(sessionId, (entries) => statuses(entries).includes("exhausted"));
      await own.send(sessionId, steps(bash("echo one")));
      const log = await own.until(sessionId, (entries) => idles(entries) === 1);
      assert.deepEqual(
        statuses(log),
        ["retrying", "retrying", "retrying", "exhausted", "exhausted"],
        `${point}`,
      );
      assert.equal(attempts.length, 5, `${point}`);
    }
  });

  test("a turn begins while the end of the last attempt is still being handled → its command waits for the new attempt", async (t) => {
    const called = Promise.withResolvers<void>();
    const { db, own, sessionId, attempts, start } = await trial(t, async (_token, count) => {
      if (count < 5) return unavailable;
      await called.promise;
      return { commit: COMMIT };
    });
    // The lookup of files after an attempt waits here until the next attempt has begun.
    const query: typeof db.write.query = async (statement) => {
      if (statement.name === "run_resources" && attempts.length === 4)
        while (attempts.length === 4) await new Promise(setImmediate);
      return await db.write.query(statement);
    };
    await start({ db: { ...db, write: { query } } });
    await own.until(sessionId, (entries) => statuses(entries).includes("exhausted"));
    await own.send(sessionId, steps(bash("echo one")));
    const command = once(own.engine.events, "command");
    await own.until(sessionId, (entries) => types(entries).includes("agent.tool_use"));
    // A command that does not wait would begin now.
    await Promise.race([command, pause(300)]);
    called.resolve();
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.ok(
      isReady(log) && types(log).indexOf("session.resource_ready") < types(log).indexOf("agent.tool_result"),
    );
  });

  test("the session is deleted during the wait → at once", async (t) => {
    const { db, own, sessionId, attempts, start } = await trial(t, () => unavailable);
    await start({ cloneRetryMs: [HOUR_MS / 60] });
    await own.until(sessionId, hasError);
    const closed = once(own.engine.events, "closed");
    await db.write.query({
      text: `update sessions set deleted_at = now(), status = 'terminated', terminated_at = now(), archived_at = now(),
        pending_at = now() where id = $1`,
      values: [sessionId],
    });
    own.hub.publish(sessionId, true);
    await closed;
    assert.equal(attempts.length, 1);
  });

  test("others are cloned meanwhile, however many wait", async (t) => {
    const { db, own, sessionId, start } = await trial(t, () => unavailable);
    for (const count of [1, 2, 3, 4, 5]) {
      await db.write.query({
        text: `insert into session_resources (id, session_id, type, url, mount_path)
          values ($1, $2, 'hosted_repository', $3, $4)`,
        values: [newUuid(), sessionId, `https://git.example/o/r${count}`, `/data/r${count}`],
      });
    }
    await start({ cloneRetryMs: [HOUR_MS / 60] });
    await own.until(sessionId, (log) => errors(log).length === 6);
  });
});

test("the disk was reclaimed, and the host is unavailable when the repository is to be put on the next one → retried", async (t) => {
  const { own, sessionId, attempts, start } = await trial(t, (_token, count) =>
    count === 2 ? unavailable : { commit: COMMIT },
  );
  await start({ sandboxIdleMs: 0, reclaimMs: 100, pollMs: 20 });
  await own.until(sessionId, (log) => types(log).includes("session.container_reclaimed"));
  await own.send(sessionId, steps(bash("echo one")));
  const log = await own.until(sessionId, (entries) => idles(entries) === 1);
  assert.deepEqual(statuses(log), ["retrying"]);
  assert.equal(attempts.length, 3);
});

describe("a failure that lasts", () => {
  test("the environment's networking changes → tried again at the next turn", async (t) => {
    const { db, own, sessionId, attempts, start } = await trial(t, () => denied);
    await start();
    await own.until(sessionId, hasError);
    await db.write.query({
      text: `update environments set config = jsonb_set(config::jsonb, '{networking}', '{"type": "unrestricted"}')::json`,
    });
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => idles(log) === 1);
    assert.equal(attempts.length, 2);
  });
});

function faultOf(placement: Placement) {
  assert.ok(placement !== "later" && "fault" in placement);
  return placement.fault;
}

/** Returns milliseconds until the next attempt. The row is written after the event. */
async function waitLeft(db: TestDatabase): Promise<number> {
  for (;;) {
    const text =
      "select extract(epoch from retry_at - now()) * 1000 as left from session_resources where retry_at is not null";
    const { rows } = await db.read.query<{ left: string }>({ text });
    if (rows[0] !== undefined) return Number(rows[0].left);
  }
}

describe("a setup script that the environment requires", () => {
  test("it failed, and was mended → tried again at the next turn by itself, in the sandbox that is open", async (t) => {
    const { db, own, sessionId, attempts, start } = await trial(t, () => ({ commit: COMMIT }));
    const configure = async (script: string) =>
      await db.write.query({
        text: "update environments set config = (config::jsonb || $1)::json",
        values: [JSON.stringify({ repository_setup_script: script, repository_setup_required: true })],
      });
    await configure("fail");
    await start();
    await own.until(sessionId, hasError);
    await own.send(sessionId, steps(bash("echo one")));
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.deepEqual([statuses(log), attempts.length, isReady(log)], [["terminal"], 1, false]);
    await configure("make");
    await own.send(sessionId, steps(bash("echo two")));
    const later = await own.until(sessionId, (entries) => idles(entries) === 2);
    assert.deepEqual([statuses(later), attempts.length, isReady(later)], [["terminal"], 2, true]);
    assert.equal(own.engine.specs.length, 1);
  });
});
