// Subject: start-embedded-postgres.ts
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { before, type TestContext, test } from "node:test";
import fc from "fast-check";
import { temporaryInstance, withDatabase } from "../../../test-support/embedded-postgres.ts";
import { isPreparationDue, prepareCluster } from "./prepared-cluster.ts";

const SEED = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31));
/** Maximum number of files after which a start is interrupted. A new cluster has about as many files. */
const FILES = 1_000;

before(async () => {
  if (isPreparationDue()) await prepareCluster();
});

for (const isPrepared of [false, true]) {
  const how = isPrepared ? "of the prepared cluster " : "";
  for (const step of ["cluster", "password", "server"])
    test(`start: a first start ${how}is killed as its step "${step}" begins → the next start works`, (t) =>
      startAfterKill(t, isPrepared, async ({ steps }) => await steps(step)));

  for (const count of fc.sample(fc.integer({ min: 1, max: FILES }), { seed: SEED, numRuns: 3 }))
    test(`start: a first start ${how}is killed while its files are made → the next start works`, async (t) => {
      t.diagnostic(`TEST_SEED=${SEED}: after ${count} files`);
      await startAfterKill(t, isPrepared, (start) => untilFiles(start, count));
    });
}

interface FirstStart {
  dataDir: string;
  /** Resolves when the step begins. */
  steps(name: string): Promise<void>;
}

/** Waits until so many files are made, or all. */
async function untilFiles({ dataDir, steps }: FirstStart, count: number): Promise<void> {
  const ended = steps("password").then(() => true);
  while (globSync(join(dataDir, "cluster.partial-*/**")).length < count)
    if (await Promise.race([ended, new Promise((resolve) => setImmediate(resolve, false))])) return;
}

async function startAfterKill(
  t: TestContext,
  isPrepared: boolean,
  until: (start: FirstStart) => Promise<void>,
): Promise<void> {
  const instance = temporaryInstance(t, { isPrepared });
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
