import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeFile, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { CAN_INJECT, injectKill, RENAME_CALLS, WRITE_CALLS } from "./inject-kill.ts";
import { pointsToTry, sample } from "./points.ts";
import { isAlive, waitForPid } from "./processes.ts";
import { newSeed } from "./seed.ts";

/**
 * Tests kills of the runner while it reclaims the disk of an idle session. Points are the rename of the disk,
 * the storing of outputs that a process wrote after the turn, and database writes around them.
 */
const SEED = newSeed();
const WRITES = Array.from({ length: 26 }, (_, n) => n + 1);
const POINTS = [
  { calls: RENAME_CALLS, when: 1 },
  { calls: RENAME_CALLS, when: 2 },
  ...sample(WRITES, pointsToTry(3), SEED).map((when) => ({ calls: WRITE_CALLS, when })),
];

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start({
    settings: { BERTH_DISK_RECLAIM_SECONDS: "1", BERTH_SANDBOX_IDLE_SECONDS: "0" },
  });
  api = await berth.client();
});
after(() => berth.stop());

test("runner killed during a reclaim: the session works, and nothing is duplicated", {
  timeout: 600_000,
  skip: !CAN_INJECT,
}, async (context) => {
  let kills = 0;
  for (const { calls, when } of POINTS) {
    const session = await makeSession(api);
    await runTurn(api, session.id, bash("echo 1 > /data/1; echo out > /mnt/session/outputs/out"));
    const runner = await waitForPid(berth, "runner");
    const tracer = await injectKill(runner, when, calls);
    await readEventsUntil(api, session.id, ({ type }) => type === "session.container_reclaimed");
    // The kill may follow the event, when the disk is renamed.
    await Promise.race([tracer.exited, pause(500)]);
    if (!isAlive(runner)) kills += 1;
    await tracer.stop();
    await check(session.id, `${calls} ${when}`);
  }
  context.diagnostic(`${kills} of ${POINTS.length} points killed the runner, seed ${SEED}`);
  assert.ok(kills >= POINTS.length / 2, `only ${kills} kills`);
});

test("runner killed after a background process wrote outputs and memories: they are saved before the disk is removed", async () => {
  const warm = await Berth.start({ settings: { BERTH_DISK_RECLAIM_SECONDS: "1" } });
  try {
    const client = await warm.client();
    const store = await client.ok("POST", "/memory_stores", { name: "Lore" });
    const resources = [{ type: "memory_store", memory_store_id: store.id }];
    const session = await makeSession(client, { resources });
    const writes = "echo late > /mnt/session/outputs/late; echo late > /mnt/memory/lore/late.md";
    const background = `(while [ ! -e /data/go ]; do sleep 0.1; done; ${writes}; curl -s http://written.example/) &`;
    await runTurn(client, session.id, bash(`${background} echo begun`));
    const { id } = await makeFile(client, "go");
    const file = { type: "file", file_id: id, mount_path: "/data/go" };
    await client.ok("POST", `/sessions/${session.id}/resources`, file);
    await readEventsUntil(client, session.id, ({ type }) => type === "session.egress_denied");
    process.kill(await waitForPid(warm, "runner"), "SIGKILL");
    await readEventsUntil(client, session.id, ({ type }) => type === "session.container_reclaimed");
    const files: AnyJson[] = (await client.ok("GET", `/files?scope_id=${session.id}`)).data;
    assert.deepEqual(
      files.map(({ filename }) => filename),
      ["late"],
    );
    const memories: AnyJson[] = (await client.ok("GET", `/memory_stores/${store.id}/memories`)).data;
    assert.deepEqual(
      memories.map(({ path }) => path),
      ["/late.md"],
    );
  } finally {
    await warm.stop();
  }
});

async function check(session: string, point: string): Promise<void> {
  const events = await runTurn(
    api,
    session,
    bash("ls /data /mnt/session/outputs | grep -c . ; echo out > /mnt/session/outputs/out"),
  );
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, point);
  const log: AnyJson[] = (await api.ok("GET", `/sessions/${session}/events?limit=100`)).data;
  const ids = log.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, point);
  const count = (type: string) => log.filter((event) => event.type === type).length;
  assert.deepEqual([count("user.message"), count("session.status_idle")], [2, 2], point);
  assert.equal(count("agent.tool_use"), count("agent.tool_result"), point);
  assert.equal(count("session.container_reclaimed"), 1, point);
  assert.match(toolResults(events)[0] ?? "", /^2$/, `${point}: only the two directory headings are left`);
  const files: AnyJson[] = (await api.ok("GET", `/files?scope_id=${session}`)).data;
  assert.deepEqual(
    files.map(({ filename }) => filename),
    ["out"],
    point,
  );
}
