import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { listAll } from "../acceptance/harness/list-all.ts";
import { CAN_INJECT, injectKill, RENAME_CALLS, WRITE_CALLS } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";
import { isAlive, waitForPid } from "./processes.ts";

/**
 * Points of kills while the runner saves a turn's outputs: when it stores a file, and at writes before and
 * after.
 */
const POINTS = [
  { calls: RENAME_CALLS, when: 1 },
  ...[24, 30, 36].map((when) => ({ calls: WRITE_CALLS, when })),
];

const FILES = 100;
/**
 * Points while contents get their names in four threads, each counted separately: in the first group, and in
 * later ones.
 */
const NAMED = [3, 10, 14, 20].map((when) => ({ calls: RENAME_CALLS, when }));

const LIMITS = { timeout: 600_000, skip: !CAN_INJECT };

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

test("runner killed while it saves outputs: each is saved once when the turn ends", LIMITS, (context) =>
  killAtEach(context, POINTS, async (session, name) => {
    const script = "cd /mnt/session/outputs; for n in 1 2 3; do [ -e $n ] || echo $n > $n; done";
    // If one of the calls is interrupted, the other one creates the files.
    await runTurn(api, session, bash(script), bash(script));
    const files: AnyJson[] = (await api.ok("GET", `/files?scope_id=${session}`)).data;
    assert.deepEqual(files.map(({ filename }) => filename).sort(), ["1", "2", "3"], name);
  }),
);

test(
  "runner killed while it stores the contents of many outputs: each is saved once when the turn ends",
  LIMITS,
  (context) =>
    killAtEach(context, NAMED, async (session, name) => {
      await writeOutputs(session, name);
      await assertSaved(session, name);
    }),
);

test(
  "runner killed at the writes of a turn with many outputs: each is saved once when the turn ends",
  LIMITS,
  (context) =>
    killAtEveryWrite(context, {
      service: () => berth,
      sampledPoints: 5,
      async run(name, attach) {
        const { id } = await makeSession(api);
        await attach();
        await writeOutputs(id, name);
        return id;
      },
      check: assertSaved,
    }),
);

/** Runs a turn of a new session for each point. Asserts that at least half of the points are reached. */
async function killAtEach(
  context: TestContext,
  points: readonly { calls: readonly string[]; when: number }[],
  turn: (session: string, name: string) => Promise<void>,
): Promise<void> {
  let kills = 0;
  for (const { calls, when } of points) {
    const { id } = await makeSession(api);
    const runner = await waitForPid(berth, "runner");
    const tracer = await injectKill(runner, when, calls);
    await turn(id, `${calls[0]} ${when}`);
    if (!isAlive(runner)) kills += 1;
    await tracer.stop();
  }
  context.diagnostic(`${kills} of ${points.length} points killed the runner`);
  assert.ok(kills >= points.length / 2, `only ${kills} kills`);
}

/**
 * Writes outputs in two calls: if one is interrupted, the other one creates the files. The contents include
 * the name, because an existing content would not be renamed again.
 */
async function writeOutputs(session: string, name: string): Promise<void> {
  const script = `cd /mnt/session/outputs; for n in $(seq ${FILES}); do [ -e $n ] || echo ${name} $n > $n; done`;
  await runTurn(api, session, bash(script), bash(script));
}

async function assertSaved(session: string, name: string): Promise<void> {
  const expected = Array.from({ length: FILES }, (_, index) => `${index + 1}: ${name} ${index + 1}\n`);
  assert.deepEqual(await saved(session), expected.toSorted(), name);
}

/** Returns `name: content` of each file. */
async function saved(session: string): Promise<string[]> {
  const found: string[] = [];
  for (const { id, filename } of await listAll(api, `/files?scope_id=${session}&limit=100`))
    found.push(`${filename}: ${(await api.get(`/files/${id}/content`)).body}`);
  return found.toSorted();
}
