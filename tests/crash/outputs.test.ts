import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { canInject, injectKill, movingCalls, writingCalls } from "./inject-kill.ts";
import { isAlive, livingPid } from "./processes.ts";

/** The runner is killed while it saves the outputs of a turn: when it stores a content, and at writes around that. */
const points = [
  { calls: movingCalls, when: 1 },
  ...[24, 30, 36].map((when) => ({ calls: writingCalls, when })),
];

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

test("a runner killed while it saves outputs has saved each once when the turn is told as ended", {
  timeout: 300_000,
  skip: !canInject,
}, async (context) => {
  let cuts = 0;
  for (const { calls, when } of points) {
    const session = await makeSession(api);
    const runner = await livingPid(berth, "runner");
    const tracer = await injectKill(runner, when, calls);
    const script = "cd /mnt/session/outputs; for n in 1 2 3; do [ -e $n ] || echo $n > $n; done";
    // Whichever of the two is cut off, the other makes the files.
    await runTurn(api, session.id, bash(script), bash(script));
    const files: AnyJson[] = (await api.ok("GET", `/files?scope_id=${session.id}`)).data;
    if (!isAlive(runner)) cuts += 1;
    await tracer.stop();
    assert.deepEqual(files.map(({ filename }) => filename).sort(), ["1", "2", "3"], `${calls} ${when}`);
  }
  context.diagnostic(`${cuts} of ${points.length} points cut a turn`);
  assert.ok(cuts >= points.length / 2, `only ${cuts} cuts`);
});
