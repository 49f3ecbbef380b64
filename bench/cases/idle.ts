import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import type { Berth } from "../../tests/acceptance/harness/berth.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  runTurn,
} from "../../tests/acceptance/harness/fixtures.ts";
import { hostState, waitUntilPasses } from "../../tests/proof/abuse/host-state.ts";
import { type Figure, median, percentile, times } from "../figure.ts";

const SESSIONS = 10_000;
const OPEN = 20;

/**
 * Measures the cost of idle sessions: a list among ten thousand, twenty started at once, and memory of open
 * ones.
 */
export async function idleFigures(berth: Berth, api: Api): Promise<Figure[]> {
  const { id: agent } = await makeAgent(api);
  const { id: environment_id } = await makeEnvironment(api);
  const make = () => api.ok("POST", "/sessions", { agent, environment_id });
  const list = () => times(200, () => api.ok("GET", "/sessions?limit=20"));
  const idle = [...(await together(OPEN, make))];
  await list();
  const few = await list();
  for (let made = OPEN; made < SESSIONS; made += OPEN) idle.push(...(await together(OPEN, make)));
  const many = await list();
  const wake = ({ id }: AnyJson) => runTurn(api, id, bash("true"));
  const [one = 0] = await times(1, () => wake(idle[0]));
  const [all = 0] = await times(1, () => Promise.all(idle.slice(1, OPEN + 1).map(wake)));
  return [
    {
      what: `list of 20 among ${SESSIONS} idle sessions`,
      peer: `the same among ${OPEN}`,
      unit: "ms",
      value: median(many),
      p95: percentile(many, 0.95),
      peerValue: median(few),
      note: `p99 ${percentile(many, 0.99).toFixed(1)} ms`,
    },
    {
      what: `${OPEN} of them started at once, until the end of a turn with a command`,
      peer: "one of them",
      unit: "ms",
      value: all,
      peerValue: one,
    },
    await openFigure(berth, api),
  ];
}

/**
 * Measures the proportional set size of the host's processes for an open session without a running command.
 */
async function openFigure(berth: Berth, api: Api): Promise<Figure> {
  await waitUntilPasses(60_000, () => assert.deepEqual(hostState(berth).processes, []));
  const quiet = { tool: "Write", input: { file_path: "/data/kept", content: "kept" } };
  await Promise.all(
    Array.from({ length: OPEN }, async () => runTurn(api, (await makeSession(api)).id, quiet)),
  );
  const { processes } = hostState(berth);
  const value = processes.reduce((sum, pid) => sum + pss(pid), 0) / OPEN;
  return {
    what: "memory of an open idle session",
    peer: "1 MiB",
    unit: "MiB",
    value,
    peerValue: 1,
    note: `${processes.length / OPEN} processes; none when parked`,
  };
}

async function together(count: number, run: () => Promise<AnyJson>): Promise<AnyJson[]> {
  return await Promise.all(Array.from({ length: count }, run));
}

function pss(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;
}
