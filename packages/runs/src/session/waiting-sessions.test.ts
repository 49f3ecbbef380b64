// Subject: sessions that only wait take no slot of the worker from sessions that have something to do.
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { type Model, ModelError } from "@berth/agent";
import { createRehearsalModel } from "@berth/agent/models";
import { requestRetry } from "@berth/api/test-support/internals/features";
import { newUuid } from "@berth/contract";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { bash, type Installation, idles, installation, steps, types } from "../../test-support/worker.ts";
import type { CloneRepository } from "../inputs/placement.ts";
import type { WorkerOptions } from "./worker.ts";

const HOUR_MS = 3_600_000;
const unavailable = {
  fault: { type: "repository_clone_error", message: "503.", transient: true },
} as const;

interface Trial {
  db: TestDatabase;
  own: Installation;
  /** A session with a repository whose host is unavailable. */
  waiting: string;
  /** A session that needs nothing. */
  other: string;
  clone: CloneRepository;
  /** Makes the repository's host serve it. */
  serve(): Promise<void>;
}

async function trial(t: TestContext): Promise<Trial> {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const from = await seed(db.write);
  const waiting = await seedSession(db.write, from, { pending: true });
  const other = await seedSession(db.write, from);
  const resource = newUuid();
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, url, mount_path)
      values ($1, $2, 'git_repository', 'https://git.example/o/r', '/data/r')`,
    values: [resource, waiting],
  });
  let isServed = false;
  return {
    db,
    own,
    waiting,
    other,
    clone: async () => (isServed ? { commit: "a".repeat(40) } : unavailable),
    async serve() {
      isServed = true;
      // The row is written after the event.
      while ((await requestRetry(db.write, resource)) === null);
      own.hub.publish(waiting, true);
    },
  };
}

const failed = (log: Parameters<typeof types>[0]) => types(log).includes("session.error");
const called = (log: Parameters<typeof types>[0]) => types(log).includes("agent.tool_use");
const ended = (log: Parameters<typeof types>[0]) => idles(log) === 1;

describe("a worker with one slot", () => {
  test("no turn, the clone waits for its retry → another session gets its turn", async (t) => {
    const { own, waiting, other, clone } = await trial(t);
    await own.worker({ clone, cloneRetryMs: [HOUR_MS / 60], concurrency: 1 });
    await own.until(waiting, failed);
    await own.send(other, steps(bash("echo other")));
    await own.until(other, ended);
  });

  test("a turn waits for the clone → another gets its turn, and the first goes on when that has ended", async (t) => {
    const { own, waiting, other, clone, serve } = await trial(t);
    await own.worker({ clone, cloneRetryMs: [HOUR_MS / 60], concurrency: 1 });
    await own.send(waiting, steps({ tools: [bash("echo one"), bash("echo two")] }));
    await own.until(waiting, (log) => failed(log) && called(log));
    const began = once(own.engine.events, "command");
    await own.send(other, steps(bash("linger")));
    await began;
    await serve();
    const log = await own.until(waiting, (entries) => types(entries).includes("session.resource_ready"));
    assert.ok(!types(log).includes("agent.tool_result"));
    assert.deepEqual(
      own.engine.commands.map(({ script }) => script),
      ["linger"],
      "one turn at a time",
    );
    own.engine.events.emit("go", "linger");
    await own.until(other, ended);
    const whole = await own.until(waiting, ended);
    assert.equal(types(whole).filter((type) => type === "agent.tool_result").length, 2);
  });

  test("the turn that waits is interrupted while another has the slot → it ends at once", async (t) => {
    const { own, waiting, other, clone, serve } = await trial(t);
    await own.worker({ clone, cloneRetryMs: [HOUR_MS / 60], concurrency: 1 });
    await own.send(waiting, steps(bash("echo one")));
    await own.until(waiting, (log) => failed(log) && called(log));
    const began = once(own.engine.events, "command");
    await own.send(other, steps(bash("linger")));
    await began;
    await serve();
    await own.until(waiting, (log) => types(log).includes("session.resource_ready"));
    await own.interrupt(waiting);
    const log = await own.until(waiting, ended);
    const end = log.at(-1)?.event;
    assert.ok(end?.type === "session.status_idle" && end.stop_reason?.type === "cancelled");
    own.engine.events.emit("go", "linger");
    await own.until(other, ended);
    await own.send(other, steps(bash("echo again")));
    await own.until(other, (entries) => idles(entries) === 2);
  });

  test("no turn, the clone has failed for good → the session takes no slot while it stays warm", async (t) => {
    const { own, waiting, other, clone } = await trial(t);
    await own.worker({ clone, cloneRetryMs: [], concurrency: 1, sandboxIdleMs: HOUR_MS });
    await own.until(waiting, failed);
    await own.send(other, steps(bash("echo other")));
    await own.until(other, ended);
  });

  test("a turn waits to ask its model again → another gets its turn", async (t) => {
    const { own, waiting, other } = await trial(t);
    const rehearsal = createRehearsalModel();
    let failures = 0;
    const model: Model = {
      ...rehearsal,
      async *stream(request, signal) {
        if (JSON.stringify(request.messages).includes("first") && failures++ === 0)
          throw new ModelError("overloaded", "529.", { retryable: true, retryAfterMs: HOUR_MS });
        yield* rehearsal.stream(request, signal);
      },
    };
    await own.worker({ concurrency: 1, model: () => model });
    await own.send(waiting, steps({ say: "first" }));
    await own.until(waiting, (log) => types(log).includes("session.status_rescheduled"));
    await own.send(other, steps(bash("echo other")));
    await own.until(other, ended);
    await own.interrupt(waiting);
    await own.until(waiting, ended);
  });

  test("a turn waits to ask its model again, and the service stops → at once, and another goes on with the wait", async (t) => {
    const { own, other } = await trial(t);
    const busy = new ModelError("overloaded", "529.", { retryable: true, retryAfterMs: HOUR_MS });
    const rehearsal = createRehearsalModel();
    const model: Model = {
      ...rehearsal,
      stream: () => {
        throw busy;
      },
    };
    const options = { graceMs: HOUR_MS, busyRetryMs: 2 * HOUR_MS, model: () => model };
    const first = await own.worker(options);
    await own.send(other, steps({ say: "first" }));
    const waits = (log: Parameters<typeof types>[0]) =>
      log.flatMap(({ event }) => (event.type === "session.status_rescheduled" ? [event.retry_at] : []));
    await own.until(other, (log) => waits(log).length === 1);
    await first.close();
    await own.worker(options);
    const log = await own.until(other, (log) => waits(log).length === 2);
    assert.equal(waits(log)[0], waits(log)[1]);
    assert.equal(types(log).filter((type) => type === "span.model_request_start").length, 1);
    await own.interrupt(other);
    await own.until(other, ended);
  });

  test("a sandbox waits until the root filesystem is built → another session gets its turn", async (t) => {
    const { own, waiting, other } = await trial(t);
    const asked = Promise.withResolvers<void>();
    const ready = Promise.withResolvers<void>();
    const settled = async () => {
      asked.resolve();
      await ready.promise;
      return { kind: "unavailable", why: "none" };
    };
    const rootFilesystem = { settled, state: () => ({ kind: "building" }) };
    const systems = { rootFilesystem } as unknown as NonNullable<WorkerOptions["systems"]>;
    await own.worker({ concurrency: 1, systems });
    await asked.promise;
    await own.send(other, steps({ say: "other" }));
    await own.until(other, ended);
    ready.resolve();
    await own.until(waiting, (log) => types(log).includes("session.resource_ready"));
  });
});
