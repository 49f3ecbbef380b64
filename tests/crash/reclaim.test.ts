import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeFile, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { canInject, injectKill, movingCalls, writingCalls } from "./inject-kill.ts";
import { isAlive, livingPid } from "./processes.ts";

/**
 * The runner is killed while it reclaims the disk of an idle session: when it moves the disk aside, when it stores the
 * outputs that a process left after its turn, and at writes to the database before, between and after.
 */
const points = [
  { calls: movingCalls, when: 1 },
  { calls: movingCalls, when: 2 },
  ...[1, 6, 12, 18, 26].map((when) => ({ calls: writingCalls, when })),
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

test("a runner killed in the middle of a reclaim leaves a session that works, and nothing doubled", {
  timeout: 300_000,
  skip: !canInject,
}, async (context) => {
  let cuts = 0;
  for (const { calls, when } of points) {
    const session = await makeSession(api);
    await runTurn(api, session.id, bash("echo 1 > /data/1; echo out > /mnt/session/outputs/out"));
    const runner = await livingPid(berth, "runner");
    const tracer = await injectKill(runner, when, calls);
    await readEventsUntil(api, session.id, ({ type }) => type === "session.container_reclaimed");
    // The kill may come after the event, when the disk is moved aside.
    await Promise.race([tracer.exited, pause(500)]);
    if (!isAlive(runner)) cuts += 1;
    await tracer.stop();
    await check(session.id, `${calls} ${when}`);
  }
  context.diagnostic(`${cuts} of ${points.length} points cut a reclaim`);
  assert.ok(cuts >= points.length / 2, `only ${cuts} cuts`);
});

test("what a process left of outputs and memories before its runner was killed is saved before the disk goes", async () => {
  const warm = await Berth.start({ settings: { BERTH_DISK_RECLAIM_SECONDS: "1" } });
  try {
    const client = await warm.client();
    const store = await client.ok("POST", "/memory_stores", { name: "Lore" });
    const resources = [{ type: "memory_store", memory_store_id: store.id }];
    const session = await makeSession(client, { resources });
    const writes = "echo late > /mnt/session/outputs/late; echo late > /mnt/memory/lore/late.md";
    const waiting = `(while [ ! -e /data/go ]; do sleep 0.1; done; ${writes}; curl -s http://written.example/) &`;
    await runTurn(client, session.id, bash(`${waiting} echo begun`));
    const { id } = await makeFile(client, "go");
    const file = { type: "file", file_id: id, mount_path: "/data/go" };
    await client.ok("POST", `/sessions/${session.id}/resources`, file);
    await readEventsUntil(client, session.id, ({ type }) => type === "session.egress_denied");
    process.kill(await livingPid(warm, "runner"), "SIGKILL");
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
  assert.match(toolResults(events)[0] ?? "", /^2$/, `${point}: only the two headings are left`);
  const files: AnyJson[] = (await api.ok("GET", `/files?scope_id=${session}`)).data;
  assert.deepEqual(
    files.map(({ filename }) => filename),
    ["out"],
    point,
  );
}
