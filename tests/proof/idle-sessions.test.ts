import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  runTurn,
  toolResults,
} from "../acceptance/harness/fixtures.ts";
import { NO_LIMITS } from "../acceptance/harness/no-limits.ts";
import { waitForPid } from "../crash/processes.ts";
import { assertNoMoreThan, hostState, stableState, waitUntilPasses } from "./abuse/host-state.ts";

/**
 * Tests the cost of idle sessions: a row, and a disk until it is reclaimed. An open sandbox is three
 * processes.
 */

const SESSIONS = Number(process.env.BERTH_TEST_IDLE_SESSIONS ?? 10_000);
const WARMUP_SESSIONS = 500;
const CALLERS = 32;
const CONCURRENT_TURNS = 20;
const MIB = 1024 * 1024;
/** The memory limit for each session, and a tolerance for the heap. */
const [MAX_BYTES_PER_SESSION, TOLERANCE] = [10 * 1024, 64 * MIB];
const MAX_WAIT_MS = 20_000;

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start({ settings: { ...NO_LIMITS, BERTH_SANDBOX_IDLE_SECONDS: "2" } });
  api = await berth.client();
  await berth.ready();
});
after(() => berth.stop());

test("idle session: three processes while its sandbox is open, none and no mounts when it is closed", {
  timeout: 600_000,
}, async () => {
  // The remains of the service's own first sandbox disappear some seconds after it.
  await waitUntilPasses(MAX_WAIT_MS, () => {
    const { processes, helpers, loops } = hostState(berth);
    assert.deepEqual([processes, helpers, loops], [[], [], []]);
  });
  const baseline = await stableState(berth);
  const { id } = await makeSession(api);
  // The Write tool keeps no shell open, unlike Bash.
  await runTurn(api, id, { tool: "Write", input: { file_path: "/data/kept", content: "kept" } });
  await waitUntilPasses(MAX_WAIT_MS, () => assert.equal(hostState(berth).processes.length, 3));
  await waitUntilPasses(MAX_WAIT_MS, () => assertNoMoreThan({ ...hostState(berth), files: [] }, baseline));
  assert.deepEqual(hostState(berth).files, [id], "the disk remains");
  assert.deepEqual(toolResults(await runTurn(api, id, bash("cat /data/kept"))), ["kept"]);
  await api.ok("DELETE", `/sessions/${id}`);
  await waitUntilPasses(MAX_WAIT_MS, () => assertNoMoreThan(hostState(berth), baseline));
});

test(`${SESSIONS} idle sessions: use nothing on the host, can be listed, and twenty run concurrently`, {
  timeout: 600_000,
}, async (context) => {
  const { id: agent } = await makeAgent(api);
  const { id: environment_id } = await makeEnvironment(api);
  const make = () => api.ok("POST", "/sessions", { agent, environment_id });
  await runMany(WARMUP_SESSIONS, make);
  const baseline = await stableState(berth);
  const [apiBefore, runnerBefore] = [memory(berth.pid), memory(await waitForPid(berth, "runner"))];
  const made = await runMany(SESSIONS, make);
  assertNoMoreThan(await stableState(berth), baseline);
  const [apiAfter, runnerAfter] = [memory(berth.pid), memory(await waitForPid(berth, "runner"))];
  for (const [part, grown] of [
    ["api", apiAfter - apiBefore],
    ["runner", runnerAfter - runnerBefore],
  ] as const) {
    context.diagnostic(`the ${part} grew by ${(grown / MIB).toFixed(0)} MiB`);
    assert.ok(grown < SESSIONS * MAX_BYTES_PER_SESSION + TOLERANCE, `the ${part} grew by ${grown} bytes`);
  }
  const seen = new Set<string>();
  for (let page = "", pages = 0; pages < 10; pages++) {
    const part: AnyJson = await api.ok(
      "GET",
      `/sessions?limit=100${page && `&page=${encodeURIComponent(page)}`}`,
    );
    for (const { id } of part.data) seen.add(id);
    page = part.next_page;
  }
  assert.equal(seen.size, 1_000);
  const step = Math.floor(made.length / CONCURRENT_TURNS);
  const woken = made.filter((_, index) => index % step === 0).slice(0, CONCURRENT_TURNS);
  const results = await Promise.all(
    woken.map(async ({ id }) => toolResults(await runTurn(api, id, bash(`echo ${id}`)))),
  );
  assert.deepEqual(
    results,
    woken.map(({ id }) => [id]),
  );
  await waitUntilPasses(MAX_WAIT_MS, () => assertNoMoreThan({ ...hostState(berth), files: [] }, baseline));
});

/** Calls `run` `count` times, with CALLERS concurrent callers. */
async function runMany(count: number, run: () => Promise<AnyJson>): Promise<AnyJson[]> {
  const done: AnyJson[] = [];
  let started = 0;
  const caller = async () => {
    while (started < count) {
      started++;
      done.push(await run());
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return done;
}

/** Returns the proportional memory of a process (PSS), in bytes. */
function memory(pid: number): number {
  const rollup = readdirSync(`/proc/${pid}`).includes("smaps_rollup")
    ? readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
    : "";
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) * 1024;
}
