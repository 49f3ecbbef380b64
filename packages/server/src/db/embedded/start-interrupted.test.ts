// Subject: start-embedded-postgres.ts
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { temporaryInstance, withDatabase } from "../../../test-support/embedded-postgres.ts";

const SEED = Number(process.env.BERTH_TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31));
/** At most the files that initdb makes: with this many it has ended. */
const FILES = 1_000;

for (const step of ["cluster", "password", "server"]) {
  test(`start: a first start is killed as its step "${step}" begins → the next start works`, (t) =>
    startAfterKill(t, async ({ steps }) => await steps(step)));
}

for (const count of fc.sample(fc.integer({ min: 1, max: FILES }), { seed: SEED, numRuns: 3 })) {
  test("start: a first start is killed within initdb → the next start works", async (t) => {
    t.diagnostic(`BERTH_TEST_SEED=${SEED}: after ${count} files`);
    await startAfterKill(t, async ({ dataDir, steps }) => {
      const ended = steps("password").then(() => true);
      while (globSync(join(dataDir, "cluster.partial-*/**")).length < count)
        if (await Promise.race([ended, new Promise((resolve) => setImmediate(resolve, false))])) return;
    });
  });
}

interface FirstStart {
  dataDir: string;
  /** Resolves when the step begins. */
  steps(name: string): Promise<void>;
}

async function startAfterKill(t: TestContext, until: (start: FirstStart) => Promise<void>): Promise<void> {
  const instance = temporaryInstance(t);
  const child = instance.startInChild();
  const lines = createInterface({ input: child.log });
  const steps = (name: string) =>
    new Promise<void>((resolve) => {
      lines.on("line", (line) => line.includes(`"step":"${name}"`) && resolve());
    });
  await until({ dataDir: instance.dataDir, steps });
  child.process.kill("SIGKILL");
  await child.exited;
  const server = await instance.start();
  const { rows } = await withDatabase(server.connection, (db) => db.write.query({ text: "select 1 as one" }));
  assert.deepEqual(rows, [{ one: 1 }]);
}
