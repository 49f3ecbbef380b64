import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { type AnyJson, Api } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import {
  makeEnvironment,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../../acceptance/harness/fixtures.ts";
import { missingForDiskLimits } from "../../acceptance/harness/loop-devices.ts";
import { readEventsUntil } from "../../acceptance/harness/stream.ts";
import { isAlive, killRunner, waitForPid } from "../../crash/processes.ts";
import { ABUSES } from "./abuses.ts";
import { type HostState, hostState, waitUntilPasses } from "./host-state.ts";

/**
 * Runs all abuses concurrently, each in its own session, while a process of the service is killed. Its
 * resources on the host are gone ten seconds after its successor is ready. Each session gets the result of
 * its interrupted call and continues.
 */

const MAX_WAIT_MS = 10_000;
const MAX_START_MS = 60_000;
const MISSING_FOR_DISK_LIMITS = missingForDiskLimits();
const IS_ROOT = process.getuid?.() === 0;

describe("kill during abuse", {
  skip: IS_ROOT ? false : "not root: limits are weaker",
  timeout: 900_000,
}, () => {
  let berth: Berth;
  let token: string;
  before(async () => {
    berth = await Berth.start();
    token = await berth.token();
  });
  after(async () => {
    await berth.stop();
    rmSync(berth.dataDir, { recursive: true, force: true });
  });

  test("killed runner: nothing remains, and sessions continue", async (context) => {
    const api = new Api(berth.url, token);
    const sessions = await startAbuses(api);
    const state = await waitUntilAllRun(berth, api, sessions);
    await killRunner(berth);
    const startedAt = performance.now();
    await waitForPid(berth, "runner");
    await berth.ready();
    const readyMs = performance.now() - startedAt;
    const goneMs = await waitUntilGone(berth, state);
    context.diagnostic(`ready after ${readyMs.toFixed(0)} ms, gone ${goneMs.toFixed(0)} ms later`);
    const cleanupMs = await checkAndDelete(berth, new Api(berth.url, token), sessions);
    context.diagnostic(`clean ${cleanupMs.toFixed(0)} ms after the deletions`);
  });

  test("killed service: nothing remains, and sessions continue", async (context) => {
    const api = new Api(berth.url, token);
    const sessions = await startAbuses(api);
    const state = await waitUntilAllRun(berth, api, sessions);
    const runner = await waitForPid(berth, "runner");
    process.kill(runner, "SIGKILL");
    await berth.kill("SIGKILL");
    // Without a successor the kernel ends them too, but later: each is throttled to a quarter of a CPU.
    berth = await Berth.start({ dataDir: berth.dataDir });
    context.diagnostic(`gone ${(await waitUntilGone(berth, state)).toFixed(0)} ms after the next start`);
    const cleanupMs = await checkAndDelete(berth, new Api(berth.url, token), sessions);
    context.diagnostic(`clean ${cleanupMs.toFixed(0)} ms after the deletions`);
  });
});

interface AbusedSession {
  id: string;
  input: string;
}

/**
 * Starts the abuses, each followed by a second step, so that the turn continues after the interrupted call.
 */
async function startAbuses(api: Api): Promise<AbusedSession[]> {
  const disk = MISSING_FOR_DISK_LIMITS === false ? { disk_mb: 64 } : {};
  const resources = { cpus: 0.25, memory_mb: 64, pids: 64, ...disk };
  const { id: environment_id } = await makeEnvironment(api, { name: crypto.randomUUID(), resources });
  const chosen = Object.values(ABUSES).filter(
    ({ fillsDisk }) => MISSING_FOR_DISK_LIMITS === false || !fillsDisk,
  );
  return await Promise.all(
    chosen.map(async ({ command }) => {
      const { id } = await makeSession(api, { environment_id });
      const endless = { tool: "Bash", input: { command: `${command}; sleep 7777`, timeout: 600_000 } };
      const events = [steps(endless, { tool: "Bash", input: { command: "echo goes on" } })];
      const sent = await api.ok("POST", `/sessions/${id}/events`, { events });
      return { id, input: sent.data[0].id };
    }),
  );
}

/**
 * Returns the host state once every session runs its command: more processes than bwrap, process 1 and a
 * shell for each.
 */
async function waitUntilAllRun(
  berth: Berth,
  api: Api,
  sessions: readonly AbusedSession[],
): Promise<HostState> {
  await Promise.all(
    sessions.map(({ id }) => readEventsUntil(api, id, ({ type }) => type === "agent.tool_use")),
  );
  let state = hostState(berth);
  await waitUntilPasses(MAX_START_MS, () => {
    state = hostState(berth);
    assert.ok(state.helpers.length >= sessions.length && state.processes.length > 3 * sessions.length);
  });
  return state;
}

/** Waits until the killed process's resources are gone; its successor may have new ones. */
async function waitUntilGone(berth: Berth, before: HostState): Promise<number> {
  return await waitUntilPasses(MAX_WAIT_MS, () => {
    const now = hostState(berth);
    assert.deepEqual(
      before.processes.filter((pid) => isAlive(pid) && now.processes.includes(pid)),
      [],
    );
    const generated = (state: HostState) => state.files.filter((path) => path.includes("/"));
    for (const [earlier, current] of [
      [before.groups, now.groups],
      [generated(before), generated(now)],
    ] as const)
      assert.deepEqual(
        current.filter((path) => earlier.includes(path)),
        [],
      );
  });
}

/**
 * Asserts that each turn ends with an interrupted call and the next step, deletes the sessions, and waits
 * until nothing remains.
 */
async function checkAndDelete(berth: Berth, api: Api, sessions: readonly AbusedSession[]): Promise<number> {
  await Promise.all(
    sessions.map(async ({ id, input }) => {
      const events = await waitForTurn(api, id, input);
      const [interrupted, next] = toolResults(events);
      assert.match(interrupted ?? "", /interrupted/, JSON.stringify(events.map(({ type }: AnyJson) => type)));
      assert.match(next ?? "", /goes on/);
      assert.match(
        toolResults(await runTurn(api, id, { tool: "Bash", input: { command: "echo again" } }))[0] ?? "",
        /again/,
      );
    }),
  );
  await Promise.all(sessions.map(({ id }) => api.ok("DELETE", `/sessions/${id}`)));
  return await waitUntilPasses(MAX_WAIT_MS, () => {
    const { processes, mounts, loops, groups, helpers, files } = hostState(berth);
    assert.deepEqual([processes, mounts, loops, groups, helpers, files], [[], [], [], [], [], []]);
  });
}
