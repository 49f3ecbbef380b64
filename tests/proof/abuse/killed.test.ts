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
import { endRunner, isAlive, livingPid } from "../../crash/processes.ts";
import { abuses } from "./abuses.ts";
import { type HostState, holds, hostState } from "./host-state.ts";

/**
 * Every abuse at once, each in a session of its own, and then a process of the service is killed: what it had on the host is
 * gone ten seconds after its successor is ready, each session is told of its interrupted call, and goes on.
 */

const LONGEST_MS = 10_000;
const LONGEST_START_MS = 60_000;
const lack = missingForDiskLimits();
const root = process.getuid?.() === 0;

describe("a kill in the middle of abuse", {
  skip: root ? false : "without root limits are weaker",
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

  test("of the runner", async (context) => {
    const api = new Api(berth.url, token);
    const sessions = await startAbuses(api);
    const state = await untilAllRun(berth, api, sessions);
    await endRunner(berth);
    const began = performance.now();
    await livingPid(berth, "runner");
    await berth.ready();
    const ready = performance.now() - began;
    const gone = await untilGone(berth, state);
    context.diagnostic(`ready after ${ready.toFixed(0)} ms, gone ${gone.toFixed(0)} ms later`);
    const left = await settleAll(berth, new Api(berth.url, token), sessions);
    context.diagnostic(`nothing left ${left.toFixed(0)} ms after the deletions`);
  });

  test("of the whole service", async (context) => {
    const api = new Api(berth.url, token);
    const sessions = await startAbuses(api);
    const state = await untilAllRun(berth, api, sessions);
    const runner = await livingPid(berth, "runner");
    process.kill(runner, "SIGKILL");
    await berth.kill("SIGKILL");
    // The kernel alone ends them all as well, but lets each pay the CPU time that it owes first, at a quarter of a processor.
    berth = await Berth.start({ dataDir: berth.dataDir });
    context.diagnostic(`gone ${(await untilGone(berth, state)).toFixed(0)} ms after the next start`);
    const left = await settleAll(berth, new Api(berth.url, token), sessions);
    context.diagnostic(`nothing left ${left.toFixed(0)} ms after the deletions`);
  });
});

interface Abused {
  id: string;
  input: string;
}

/** A second step follows, so that each turn goes on after the call that is interrupted. */
async function startAbuses(api: Api): Promise<Abused[]> {
  const disk = lack === false ? { disk_mb: 64 } : {};
  const resources = { cpus: 0.25, memory_mb: 64, pids: 64, ...disk };
  const { id: environment_id } = await makeEnvironment(api, { name: crypto.randomUUID(), resources });
  const chosen = Object.values(abuses).filter(({ fillsDisk }) => lack === false || !fillsDisk);
  return await Promise.all(
    chosen.map(async ({ command }) => {
      const { id } = await makeSession(api, { environment_id });
      const lasting = { tool: "Bash", input: { command: `${command}; sleep 7777`, timeout: 600_000 } };
      const events = [steps(lasting, { tool: "Bash", input: { command: "echo goes on" } })];
      const sent = await api.ok("POST", `/sessions/${id}/events`, { events });
      return { id, input: sent.data[0].id };
    }),
  );
}

/** What the host has once a command is begun in every session, and they are more than bwrap, process 1 and a shell. */
async function untilAllRun(berth: Berth, api: Api, sessions: readonly Abused[]): Promise<HostState> {
  await Promise.all(
    sessions.map(({ id }) => readEventsUntil(api, id, ({ type }) => type === "agent.tool_use")),
  );
  let state = hostState(berth);
  await holds(LONGEST_START_MS, () => {
    state = hostState(berth);
    assert.ok(state.helpers.length >= sessions.length && state.processes.length > 3 * sessions.length);
  });
  return state;
}

/** What is there now is the successor's: none of it is of before. */
async function untilGone(berth: Berth, before: HostState): Promise<number> {
  return await holds(LONGEST_MS, () => {
    const now = hostState(berth);
    assert.deepEqual(
      before.processes.filter((pid) => isAlive(pid) && now.processes.includes(pid)),
      [],
    );
    const generated = (state: HostState) => state.files.filter((path) => path.includes("/"));
    for (const [those, these] of [
      [before.groups, now.groups],
      [generated(before), generated(now)],
    ] as const)
      assert.deepEqual(
        these.filter((path) => those.includes(path)),
        [],
      );
  });
}

/** Each turn ends with an interrupted call and the step after it; deleted, the sessions leave nothing. */
async function settleAll(berth: Berth, api: Api, sessions: readonly Abused[]): Promise<number> {
  await Promise.all(
    sessions.map(async ({ id, input }) => {
      const events = await waitForTurn(api, id, input);
      const [told, next] = toolResults(events);
      assert.match(told ?? "", /interrupted/, JSON.stringify(events.map(({ type }: AnyJson) => type)));
      assert.match(next ?? "", /goes on/);
      assert.match(
        toolResults(await runTurn(api, id, { tool: "Bash", input: { command: "echo again" } }))[0] ?? "",
        /again/,
      );
    }),
  );
  await Promise.all(sessions.map(({ id }) => api.ok("DELETE", `/sessions/${id}`)));
  return await holds(LONGEST_MS, () => {
    const { processes, mounts, loops, groups, helpers, files } = hostState(berth);
    assert.deepEqual([processes, mounts, loops, groups, helpers, files], [[], [], [], [], [], []]);
  });
}
