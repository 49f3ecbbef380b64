import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { appendByRun } from "@berth/runs/test-support/internals/lease";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { createSharedReader } from "./shared-reader.ts";

/** Creates a session, its reader, and the list of the reader's pauses; `end` ends a pause. */
async function house(t: TestContext) {
  const db = await testDatabase(t);
  const sessionId = await seedSession(db.write, await seed(db.write));
  const lease = await seedLease(db.write, sessionId, "worker");
  const pauses: { ms: number; end(): void }[] = [];
  let reads = 0;
  const query: typeof db.read.query = (statement) => {
    reads += 1;
    return db.read.query(statement);
  };
  const read = createSharedReader({ query }, (ms) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pauses.push({ ms, end: resolve });
    return promise;
  });
  return {
    pauses,
    reads: () => reads,
    append: async (text: string) => {
      const content = [{ type: "text" as const, text }];
      await appendByRun(db.write, lease, [{ event: { type: "agent.message", content } }]);
    },
    read: (afterSeq: number) => read(sessionId, afterSeq),
  };
}

test("many readers of a page: the next waits, and has all that came meanwhile", async (t) => {
  const { pauses, reads, append, read } = await house(t);
  await append("first");
  const [page] = await Promise.all(Array.from({ length: 100 }, () => read(0)));
  assert.equal(page?.events.length, 1);
  assert.deepEqual([reads(), pauses.map(({ ms }) => ms)], [1, [5]]);
  const next = Array.from({ length: 100 }, () => read(page?.lastSeq ?? 0));
  await append("second");
  await append("third");
  assert.equal(reads(), 1);
  pauses[0]?.end();
  const pages = await Promise.all(next);
  assert.deepEqual([pages[0]?.events.length, new Set(pages).size, reads()], [2, 1, 2]);
});

test("few readers: none waits", async (t) => {
  const { pauses, append, read } = await house(t);
  await append("first");
  const page = await read(0);
  await append("second");
  await nextTick();
  assert.equal((await read(page.lastSeq)).events.length, 1);
  assert.deepEqual(pauses, []);
});
