// Tests whether /readyz reports that this service runs sessions, or why it does not.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn, steps } from "../acceptance/harness/fixtures.ts";
import { readFrames } from "../acceptance/harness/stream.ts";
import { waitForPid } from "./processes.ts";

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
  await berth.ready();
});
after(() => berth.stop());

test("readyz: the runner is frozen → 503 until it goes on", async () => {
  const runner = await waitForPid(berth, "runner");
  process.kill(runner, "SIGSTOP");
  await readyzSays(503, "frozen");
  process.kill(runner, "SIGCONT");
  await readyzSays(200);
});

test("readyz: no sandbox can be opened → 503", async () => {
  const session = await makeSession(api);
  await rm(join(berth.dataDir, "sandbox"), { recursive: true, force: true });
  await runTurn(api, session.id, { tools: [bash("true")] }, { say: "done" });
  await readyzSays(503, "sandbox");
  await berth.kill("SIGTERM");
  berth = await Berth.start({ dataDir: berth.dataDir });
  await readyzSays(200);
  api = await berth.client();
});

test("readyz: SIGTERM during a turn → 503 at once, while the turn still reaches its readers", async () => {
  const session = await makeSession(api);
  const events: string[] = [];
  const started = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const { data } of readFrames(api, session.id, { query: "from=start" })) {
      events.push(data.type);
      if (data.type === "agent.tool_use") started.resolve();
    }
  })();
  const turn = [{ tools: [bash("sleep 3; echo late")] }, { say: "done" }];
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(...turn)] });
  await started.promise;
  const stopped = berth.kill("SIGTERM");
  await readyzSays(503, "draining");
  assert.equal((await fetch(`${berth.url}/livez`)).status, 200);
  await reading;
  assert.ok(events.includes("agent.tool_result"), events.join(" "));
  assert.equal(await stopped, 0);
});

/** Waits for this response of /readyz. Fails after three minutes. */
async function readyzSays(status: number, reason?: string): Promise<void> {
  let last: [number, unknown] = [0, null];
  for (let tries = 0; tries < 3_600; tries++) {
    const response = await fetch(`${berth.url}/readyz`);
    last = [response.status, await response.json()];
    const expected = reason === undefined ? { status: "ok" } : { status: "unavailable", reason };
    if (last[0] === status && JSON.stringify(last[1]) === JSON.stringify(expected)) return;
    await pause(50);
  }
  assert.fail(`readyz says ${JSON.stringify(last)}`);
}
