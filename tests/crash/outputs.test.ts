import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { listAll } from "../acceptance/harness/list-all.ts";
import { CAN_INJECT, injectKill, RENAME_CALLS, WRITE_CALLS } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";
import { isAlive, waitForPid } from "./processes.ts";

/** The runner is killed while it saves the outputs of a turn: when it stores a file, and at writes before and after. */
const POINTS = [
  { calls: RENAME_CALLS, when: 1 },
  ...[24, 30, 36].map((when) => ({ calls: WRITE_CALLS, when })),
];

const FILES = 100;
/** Contents get their names in four threads, each of which is counted: in the first group, and in later ones. */
const NAMED = [3, 10, 14, 20];

const LIMITS = { timeout: 600_000, skip: !CAN_INJECT };

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

test(
  "runner killed while it saves outputs: each is saved once when the turn ends",
  LIMITS,
  async (context) => {
    let kills = 0;
    for (const { calls, when } of POINTS) {
      const session = await makeSession(api);
      const runner = await waitForPid(berth, "runner");
      const tracer = await injectKill(runner, when, calls);
      const script = "cd /mnt/session/outputs; for n in 1 2 3; do [ -e $n ] || echo $n > $n; done";
      // If one of the calls is interrupted, the other one creates the files.
      await runTurn(api, session.id, bash(script), bash(script));
      const files: AnyJson[] = (await api.ok("GET", `/files?scope_id=${session.id}`)).data;
      if (!isAlive(runner)) kills += 1;
      await tracer.stop();
      assert.deepEqual(files.map(({ filename }) => filename).sort(), ["1", "2", "3"], `${calls} ${when}`);
    }
    context.diagnostic(`${kills} of ${POINTS.length} points killed the runner`);
    assert.ok(kills >= POINTS.length / 2, `only ${kills} kills`);
  },
);

test(
  "runner killed while it stores the contents of many outputs: each is saved once when the turn ends",
  LIMITS,
  async (context) => {
    let kills = 0;
    for (const when of NAMED) {
      const { id } = await makeSession(api);
      const runner = await waitForPid(berth, "runner");
      const tracer = await injectKill(runner, when, RENAME_CALLS);
      await writeOutputs(id, `${when}`);
      if (!isAlive(runner)) kills += 1;
      await tracer.stop();
      await assertSaved(id, `${when}`);
    }
    context.diagnostic(`${kills} of ${NAMED.length} points killed the runner`);
    assert.ok(kills >= NAMED.length / 2, `only ${kills} kills`);
  },
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

/** If one of the calls is interrupted, the other one makes the files. Contents are of this name alone: one that exists gets no name again. */
async function writeOutputs(session: string, name: string): Promise<void> {
  const script = `cd /mnt/session/outputs; for n in $(seq ${FILES}); do [ -e $n ] || echo ${name} $n > $n; done`;
  await runTurn(api, session, bash(script), bash(script));
}

async function assertSaved(session: string, name: string): Promise<void> {
  const expected = Array.from({ length: FILES }, (_, index) => `${index + 1}: ${name} ${index + 1}\n`);
  assert.deepEqual(await saved(session), expected.toSorted(), name);
}

/** `name: content` of each file. */
async function saved(session: string): Promise<string[]> {
  const found: string[] = [];
  for (const { id, filename } of await listAll(api, `/files?scope_id=${session}&limit=100`))
    found.push(`${filename}: ${(await api.get(`/files/${id}/content`)).body}`);
  return found.toSorted();
}
