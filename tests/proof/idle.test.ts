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
import { livingPid } from "../crash/processes.ts";
import { holds, hostState, noMoreThan, restingState } from "./abuse/host-state.ts";

/** What sessions cost that do nothing: a row, and a disk for a day; a sandbox that is open for them two processes. */

const sessions = Number(process.env.BERTH_TEST_IDLE_SESSIONS ?? 10_000);
const WARM = 500;
const CALLERS = 32;
const WOKEN = 20;
const MIB = 1024 * 1024;
/** Beside what a session may take, what a heap swings by itself. */
const [BYTES_A_SESSION, SWING] = [10 * 1024, 64 * MIB];
const PARKED_MS = 20_000;

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_SANDBOX_IDLE_SECONDS: "2" } });
  api = await berth.client();
});
after(() => berth.stop());

test("an open idle session is two processes, and a parked one is none and mounts nothing", {
  timeout: 180_000,
}, async () => {
  const nothing = await restingState(berth);
  assert.deepEqual([nothing.processes, nothing.helpers, nothing.loops], [[], [], []]);
  const { id } = await makeSession(api);
  // Read by a tool that keeps no shell, unlike Bash.
  await runTurn(api, id, { tool: "Write", input: { file_path: "/data/kept", content: "kept" } });
  await holds(PARKED_MS, () => assert.equal(hostState(berth).processes.length, 2));
  await holds(PARKED_MS, () => noMoreThan({ ...hostState(berth), files: [] }, nothing));
  assert.deepEqual(hostState(berth).files, [id], "the disk is kept");
  assert.deepEqual(toolResults(await runTurn(api, id, bash("cat /data/kept"))), ["kept"]);
  await api.ok("DELETE", `/sessions/${id}`);
  await holds(PARKED_MS, () => noMoreThan(hostState(berth), nothing));
});

test(`${sessions} idle sessions own nothing on the host, are listed, and twenty wake at once`, {
  timeout: 240_000,
}, async (context) => {
  const { id: agent } = await makeAgent(api);
  const { id: environment_id } = await makeEnvironment(api);
  const make = () => api.ok("POST", "/sessions", { agent, environment_id });
  await many(WARM, make);
  const nothing = await restingState(berth);
  const [apiBefore, runnerBefore] = [memory(berth.pid), memory(await livingPid(berth, "runner"))];
  const made = await many(sessions, make);
  noMoreThan(await restingState(berth), nothing);
  const [apiAfter, runnerAfter] = [memory(berth.pid), memory(await livingPid(berth, "runner"))];
  for (const [part, grown] of [
    ["api", apiAfter - apiBefore],
    ["runner", runnerAfter - runnerBefore],
  ] as const) {
    context.diagnostic(`the ${part} grew by ${(grown / MIB).toFixed(0)} MiB`);
    assert.ok(grown < sessions * BYTES_A_SESSION + SWING, `the ${part} grew by ${grown} bytes`);
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
  const step = Math.floor(made.length / WOKEN);
  const woken = made.filter((_, index) => index % step === 0).slice(0, WOKEN);
  const answers = await Promise.all(
    woken.map(async ({ id }) => toolResults(await runTurn(api, id, bash(`echo ${id}`)))),
  );
  assert.deepEqual(
    answers,
    woken.map(({ id }) => [id]),
  );
  await holds(PARKED_MS, () => noMoreThan({ ...hostState(berth), files: [] }, nothing));
});

/** Does it so many times, by some callers at once. */
async function many(count: number, run: () => Promise<AnyJson>): Promise<AnyJson[]> {
  const done: AnyJson[] = [];
  let begun = 0;
  const caller = async () => {
    while (begun < count) {
      begun++;
      done.push(await run());
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return done;
}

/** Bytes of a process that no other shares. */
function memory(pid: number): number {
  const rollup = readdirSync(`/proc/${pid}`).includes("smaps_rollup")
    ? readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
    : "";
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) * 1024;
}
