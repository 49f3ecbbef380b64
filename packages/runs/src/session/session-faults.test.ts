// Subject: an uncaught error of a session ends that session's turn, or its run, and nothing else.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { LogEntry } from "@berth/agent";
import { testDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import type { ToFaultyWorker } from "../../test-support/faulty-worker.ts";
import { bash, idles, installation, steps, types } from "../../test-support/worker.ts";

const PROGRAM = join(import.meta.dirname, "../../test-support/faulty-worker.ts");

async function faulty(t: TestContext) {
  const db = await testDatabase(t);
  const from: Seed = await seed(db.write);
  const own = await installation(t, db);
  const child = fork(PROGRAM, { serialization: "advanced", silent: true });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await ask(child, { connection: db.connection });
  const session = () => seedSession(db.write, from);
  return { ...own, child, session };
}

async function ask(child: ChildProcess, message: ToFaultyWorker): Promise<void> {
  child.send(message);
  await once(child, "message");
}

function errors(log: readonly LogEntry[]): string[] {
  return log.flatMap(({ event }) => (event.type === "session.error" ? [event.error.type] : []));
}

for (const kind of ["throw", "reject", "emit"])
  test(`${kind}: the turn ends with an error, a neighbour's goes on, and so does the session`, async (t) => {
    const { child, session, send, until } = await faulty(t);
    const [own, neighbour] = [await session(), await session()];
    await send(neighbour, steps(bash("hang"), { say: "Done." }));
    await until(neighbour, (log) => types(log).includes("agent.tool_use"));
    await send(own, steps(bash(`${kind} and hang`), { say: "Done." }));
    const log = await until(own, (entries) => idles(entries) === 1);
    assert.deepEqual(errors(log), ["unknown_error"]);
    await send(own, "Go on.");
    const later = await until(own, (entries) => idles(entries) === 2);
    assert.equal(errors(later).length, 1);
    assert.equal(child.exitCode, null);
    const beside = await until(neighbour, () => true);
    assert.deepEqual([errors(beside), idles(beside)], [[], 0]);
  });

test("outside of a turn: the session is let go, and goes on with its next message", async (t) => {
  const { child, session, send, until } = await faulty(t);
  const own = await session();
  await ask(child, { throwsAtClose: true });
  await send(own, steps(bash("true"), { say: "Done." }));
  await until(own, (entries) => idles(entries) === 1);
  await ask(child, { throwsAtClose: false });
  await send(own, steps(bash("true"), { say: "Done." }));
  const log = await until(own, (entries) => idles(entries) === 2);
  assert.deepEqual(errors(log), []);
  assert.equal(child.exitCode, null);
});

test("what no session threw ends the process", async (t) => {
  const { child } = await faulty(t);
  child.send({ throws: true } satisfies ToFaultyWorker);
  assert.deepEqual(await once(child, "exit"), [7, null]);
});
