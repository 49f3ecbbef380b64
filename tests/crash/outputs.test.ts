import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { CAN_INJECT, injectKill, RENAME_CALLS, WRITE_CALLS } from "./inject-kill.ts";
import { isAlive, waitForPid } from "./processes.ts";

/** The runner is killed while it saves the outputs of a turn: when it stores a file, and at writes before and after. */
const POINTS = [
  { calls: RENAME_CALLS, when: 1 },
  ...[24, 30, 36].map((when) => ({ calls: WRITE_CALLS, when })),
];

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

test("runner killed while it saves outputs: each is saved once when the turn ends", {
  timeout: 600_000,
  skip: !CAN_INJECT,
}, async (context) => {
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
});
