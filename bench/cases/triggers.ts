import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import type { Berth } from "../../tests/acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { deliver } from "../../tests/acceptance/harness/hook-sender.ts";
import { type Figure, median, percentile } from "../figure.ts";

const IDLE = 100;
const REST_MS = 200;
const MANY = 1_000;
const MANY_MS = 60_000;

/**
 * Measures the time from the sending of a signed delivery until a reader sees the first event of its session, one after
 * another, and that of the answers to a thousand deliveries in a minute, of which each must have become one session.
 */
export async function triggerFigures(berth: Berth, api: Api): Promise<Figure[]> {
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  const deployment = await api.ok("POST", "/deployments", {
    ...{ name: "d", agent: agent.id, environment_id: environment.id },
    initial_events: [steps({ say: "Done." })],
  });
  const path = `/deployments/${deployment.id}`;
  const made = await api.ok("POST", `${path}/triggers`, { type: "signed", max_runs_per_hour: 10_000 });
  const hook = { source: "signed", url: `${berth.url}/hooks/${made.id}`, secret: made.secret };
  const send = async (id: string): Promise<number> => {
    const began = performance.now();
    const { status } = await deliver({ ...hook, id, body: JSON.stringify({ type: "alarm", id }) });
    assert.equal(status, 202);
    return performance.now() - began;
  };

  const answers: number[] = [];
  const [byHook, byRun]: [number[], number[]] = [[], []];
  for (let at = 0; at < IDLE; at++) {
    byHook.push(await untilSeen(api, deployment.id, async () => void answers.push(await send(`idle-${at}`))));
    byRun.push(await untilSeen(api, deployment.id, async () => void (await api.ok("POST", `${path}/run`))));
  }

  const began = performance.now();
  const often = await Promise.all(
    Array.from({ length: MANY }, async (_, at) => {
      await pause((at / MANY) * MANY_MS);
      return await send(`many-${at}`);
    }),
  );
  const sentMs = performance.now() - began;
  const all = await settled(api, `${path}/triggers/${made.id}/deliveries`);
  const lateMs = performance.now() - began - sentMs;
  const many = all.filter(({ delivery_id }) => delivery_id.startsWith("many-"));
  assert.equal(many.length, MANY);
  assert.ok(many.every(({ status }) => status === "started"));
  const sessions = new Set(many.map(({ session_id }) => session_id));
  assert.equal(sessions.size, MANY);
  const runs = await pages(api, `${path}/runs?trigger_type=event`);
  assert.equal(runs.length, MANY + IDLE);
  return [
    {
      what: "signed delivery sent → the session's first event is read, idle service",
      ...{ value: median(byHook), p95: percentile(byHook, 0.95), unit: "ms", limit: 100 },
      ...{ peer: "`run` of the same deployment → the same", peerValue: median(byRun) },
      note: `p99 ${percentile(byHook, 0.99).toFixed(0)} ms, of the peer ${percentile(byRun, 0.99).toFixed(0)} ms`,
    },
    {
      what: `${MANY} deliveries in ${(sentMs / 1_000).toFixed(0)} s to one service: delivery → 202`,
      ...{ value: median(often), p95: percentile(often, 0.95), unit: "ms" },
      ...{ peer: "one after another", peerValue: median(answers) },
      note: `p99 ${percentile(often, 0.99).toFixed(0)} ms; all 202, each one session, the last ${lateMs.toFixed(0)} ms after the last delivery`,
    },
  ];
}

/** Returns the milliseconds until the newest session of a deployment is another one, whose first event was read. */
async function untilSeen(api: Api, deployment: string, begin: () => Promise<void>): Promise<number> {
  const newest = async (): Promise<string | undefined> =>
    (await api.ok("GET", `/sessions?deployment_id=${deployment}&limit=1`)).data[0]?.id;
  await pause(REST_MS);
  const before = await newest();
  const began = performance.now();
  await begin();
  for (;;) {
    const id = await newest();
    if (id === before) continue;
    const { data } = await api.ok("GET", `/sessions/${id}/events?limit=1`);
    assert.equal(data.length, 1);
    return performance.now() - began;
  }
}

/** Resolves with all deliveries once none waits to be handed on. */
async function settled(api: Api, path: string): Promise<AnyJson[]> {
  while ((await api.ok("GET", `${path}?status=pending&limit=1`)).data.length > 0) await pause(20);
  return await pages(api, `${path}?status=started`);
}

async function pages(api: Api, path: string): Promise<AnyJson[]> {
  const found: AnyJson[] = [];
  for (let page: string | null = ""; page !== null; ) {
    const query: string = `${path}&limit=100${page === "" ? "" : `&page=${page}`}`;
    const { data, next_page } = await api.ok("GET", query);
    found.push(...data);
    page = next_page;
  }
  return found;
}
