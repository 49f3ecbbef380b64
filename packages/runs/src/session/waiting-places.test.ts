// Subject: sessions whose sandbox waits for a place or its image.
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { ImageError, type SandboxWait, WaitOverError } from "@berth/sandbox";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { bash, type Installation, idles, installation, steps, types } from "../../test-support/worker.ts";

const HOUR_MS = 3_600_000;
const NO_NODE: SandboxWait = {
  for: "place",
  reason: "0/1 nodes are available: 1 Insufficient cpu.",
  othersRun: false,
};
const NO_IMAGE: SandboxWait = {
  for: "image",
  reason: "ErrImagePull: 503 Service Unavailable",
  othersRun: false,
};

type Log = Parameters<typeof types>[0];
const ended = (log: Log) => idles(log) === 1;
const reasons = (log: Log) =>
  log.flatMap(({ event }) => (event.type === "session.status_rescheduled" ? [event.reason] : []));
const isTold = (log: Log) => reasons(log).length > 0;

interface Trial {
  db: TestDatabase;
  own: Installation;
  /** A session whose sandbox waits until `goOn` is called, or until it is not needed. */
  waiting: string;
  other: string;
  /** Ends the wait with this error, or opens the sandbox. Default: it opens. */
  goOn(error?: Error): void;
  /** How many openings were begun, and how many of them were given up. */
  readonly opened: { begun: number; givenUp: number };
}

/** @param from the number of the first opening that waits. */
async function trial(t: TestContext, wait = NO_NODE, from = 1): Promise<Trial> {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const seeded = await seed(db.write);
  const waiting = await seedSession(db.write, seeded);
  const other = await seedSession(db.write, seeded);
  const opened = { begun: 0, givenUp: 0 };
  const going = Promise.withResolvers<Error | undefined>();
  const open = own.engine.open.bind(own.engine);
  let first: string | undefined;
  own.engine.open = async (spec) => {
    first ??= spec.id;
    if (spec.id !== first) return await open(spec);
    opened.begun += 1;
    if (opened.begun < from) return await open(spec);
    const aborted = Promise.withResolvers<never>();
    spec.signal?.addEventListener("abort", () => {
      opened.givenUp += 1;
      aborted.reject(spec.signal?.reason);
    });
    spec.onWaiting?.(wait);
    const failure = await Promise.race([going.promise, aborted.promise]);
    spec.onWaiting?.(null);
    if (failure !== undefined) throw failure;
    return await open(spec);
  };
  return { db, own, waiting, other, opened, goOn: (error) => going.resolve(error) };
}

async function statusOf({ db }: Trial, session: string): Promise<string | undefined> {
  const { rows } = await db.write.query<{ status: string }>({
    text: "select status from sessions where id = $1",
    values: [session],
  });
  return rows[0]?.status;
}

async function addRepository({ db, own }: Trial, session: string): Promise<void> {
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, url, mount_path)
      values ($1, $2, 'git_repository', 'https://git.example/o/r', '/data/r')`,
    values: [newUuid(), session],
  });
  await db.write.query({
    text: "update sessions set pending_at = now() where id = $1",
    values: [session],
  });
  own.hub.publish(session, true);
}

describe("a sandbox waits for its place", () => {
  for (const wait of [NO_NODE, NO_IMAGE])
    test(`its call waits for the ${wait.for} → the session says why, another gets its turn, and it goes on`, async (t) => {
      const one = await trial(t, wait);
      const { own, waiting, other, goOn } = one;
      await own.worker({ concurrency: 1 });
      await own.send(waiting, steps({ tools: [bash("echo one"), bash("echo two")] }));
      const [reason] = reasons(await own.until(waiting, isTold));
      assert.match(reason ?? "", /^The sandbox (waits for a node|is not ready on its node yet): /);
      assert.ok(reason?.endsWith(wait.reason));
      assert.equal(await statusOf(one, waiting), "rescheduling");
      const began = once(own.engine.events, "command");
      await own.send(other, steps(bash("linger")));
      await began;
      own.engine.events.emit("go", "linger");
      await own.until(other, ended);
      goOn();
      const started = await own.until(waiting, (log) => types(log).includes("session.container_started"));
      const event = started
        .map((entry) => entry.event)
        .find(({ type }) => type === "session.container_started");
      assert.ok(event?.type === "session.container_started" && (event.waited_seconds ?? -1) >= 0);
      assert.notEqual(await statusOf(one, waiting), "rescheduling");
      const log = await own.until(waiting, ended);
      assert.equal(types(log).filter((type) => type === "agent.tool_result").length, 2);
      assert.equal(reasons(log).length, 1, "two calls, told once");
    });

  test("the turn is interrupted → it ends at once, and the wait with its sandbox's time", async (t) => {
    const { own, waiting, opened } = await trial(t);
    await own.worker({ sandboxIdleMs: 0 });
    await own.send(waiting, steps(bash("echo one")));
    await own.until(waiting, isTold);
    await own.interrupt(waiting);
    const log = await own.until(waiting, ended);
    const end = log.at(-1)?.event;
    assert.ok(end?.type === "session.status_idle" && end.stop_reason.type === "cancelled");
    assert.ok(!types(log).includes("session.error"));
    while (opened.givenUp === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(opened, { begun: 1, givenUp: 1 });
  });

  for (const wait of [NO_NODE, NO_IMAGE])
    test(`the sandbox ended, and the next one waits for the ${wait.for} → the turn ends without it, and outputs stay to be collected`, async (t) => {
      const { db, own, waiting, opened, goOn } = await trial(t, wait, 2);
      const isDue = async () =>
        (
          await db.write.query<{ due: boolean }>({
            text: "select outputs_due as due from sessions where id = $1",
            values: [waiting],
          })
        ).rows[0]?.due;
      await own.worker();
      await own.send(waiting, steps(bash("die")));
      const log = await own.until(waiting, ended);
      assert.deepEqual([opened.begun, reasons(log)], [2, []]);
      assert.match(JSON.stringify(log), /were not saved as they are: not all files could be read in time/);
      assert.equal(await isDue(), true);
      goOn();
      await own.send(waiting, steps(bash("echo again")));
      await own.until(waiting, (entries) => idles(entries) === 2);
      assert.equal(opened.begun, 2);
    });

  test("the service stops → at once, the call is told not to have begun, and another goes on with the turn", async (t) => {
    const { own, waiting, opened, goOn } = await trial(t, NO_IMAGE);
    const first = await own.worker({ graceMs: HOUR_MS });
    await own.send(waiting, steps(bash("echo one"), bash("echo two")));
    await own.until(waiting, isTold);
    await first.close();
    assert.deepEqual(opened, { begun: 1, givenUp: 1 });
    goOn();
    await own.worker();
    const log = await own.until(waiting, ended);
    const results = log.flatMap(({ event }) =>
      event.type === "agent.tool_result" ? [JSON.stringify(event.content)] : [],
    );
    assert.equal(results.length, 2);
    assert.match(results[0] ?? "", /was restarted while this call waited for the sandbox/);
    assert.deepEqual(
      own.engine.commands.map(({ script }) => script),
      ["echo two"],
    );
  });

  test("its time is over → the error has the scheduler's words, and the next command tries anew", async (t) => {
    const one = await trial(t);
    const { own, waiting, opened, goOn } = one;
    await own.worker();
    await own.send(waiting, steps(bash("echo one")));
    await own.until(waiting, isTold);
    const message =
      "No node of the cluster took the session's sandbox within 10 minutes: 1 Insufficient cpu.";
    goOn(new WaitOverError(message));
    const log = await own.until(waiting, ended);
    const errors = log.flatMap(({ event }) => (event.type === "session.error" ? [event.error.message] : []));
    assert.deepEqual(errors, [message]);
    assert.equal(await statusOf(one, waiting), "idle");
    await own.send(waiting, steps(bash("echo again")));
    await own.until(waiting, (entries) => idles(entries) === 2);
    assert.equal(opened.begun, 2);
  });

  test("no turn, a repository is to be cloned → the wait is nobody's to be told, it goes on, and a turn begins and is interrupted meanwhile", async (t) => {
    const one = await trial(t);
    const { own, waiting, opened, goOn } = one;
    const clone = async () => ({ commit: "a".repeat(40) });
    await own.worker({ clone, sandboxIdleMs: 0 });
    await addRepository(one, waiting);
    while (opened.begun === 0) await new Promise((resolve) => setImmediate(resolve));
    await own.send(waiting, steps(bash("echo one")));
    await own.until(waiting, isTold);
    await own.interrupt(waiting);
    await own.until(waiting, ended);
    assert.equal(await statusOf(one, waiting), "idle");
    assert.deepEqual(opened, { begun: 1, givenUp: 0 });
    goOn();
    const log = await own.until(waiting, (entries) => types(entries).includes("session.resource_ready"));
    assert.equal(await statusOf(one, waiting), "idle");
    assert.equal(reasons(log).length, 1);
  });

  for (const [what, change] of [
    ["archived", "update sessions set archived_at = now(), pending_at = now() where id = $1"],
    [
      "terminated",
      "update sessions set terminated_at = now(), status = 'terminated', pending_at = now() where id = $1",
    ],
  ] as const)
    test(`the session is ${what} while its sandbox waits for a place → it is given up at once`, async (t) => {
      const one = await trial(t);
      const { db, own, waiting, opened } = one;
      await own.worker({ sandboxIdleMs: HOUR_MS });
      await addRepository(one, waiting);
      while (opened.begun === 0) await new Promise((resolve) => setImmediate(resolve));
      await db.write.query({ text: change, values: [waiting] });
      own.hub.publish(waiting, true);
      while (opened.givenUp === 0) await new Promise((resolve) => setImmediate(resolve));
      const held = "select count(*)::integer as held from sessions where id = $1 and lease_owner is not null";
      const isHeld = async () =>
        (await db.write.query<{ held: number }>({ text: held, values: [waiting] })).rows[0]?.held !== 0;
      while (await isHeld());
      assert.deepEqual(opened, { begun: 1, givenUp: 1 });
    });

  test("its workspace is ephemeral, and the turn is interrupted → the wait ends with its sandbox's time", async (t) => {
    const { db, own, waiting, opened } = await trial(t);
    await db.write.query({
      text: "update environments set workspace = 'ephemeral'",
    });
    await own.worker({ sandboxIdleMs: 0 });
    await own.send(waiting, steps(bash("echo one")));
    await own.until(waiting, isTold);
    await own.interrupt(waiting);
    await own.until(waiting, ended);
    while (opened.givenUp === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(opened, { begun: 1, givenUp: 1 });
  });

  test("the image does not come → its sentence is the session's error", async (t) => {
    const { own, waiting, goOn } = await trial(t, NO_IMAGE);
    await own.worker();
    await own.send(waiting, steps(bash("echo one")));
    await own.until(waiting, isTold);
    goOn(new ImageError('The image "a" could not be pulled within 10 minutes: ErrImagePull: not found'));
    const log = await own.until(waiting, ended);
    const errors = log.flatMap(({ event }) => (event.type === "session.error" ? [event.error.message] : []));
    assert.deepEqual(errors, [
      'The image "a" could not be pulled within 10 minutes: ErrImagePull: not found',
    ]);
  });
});
