import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Api } from "../../tests/acceptance/harness/api.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  steps,
} from "../../tests/acceptance/harness/fixtures.ts";
import { readFrames } from "../../tests/acceptance/harness/stream.ts";
import { Cluster } from "../../tests/many-machines/harness/cluster.ts";
import { createToken } from "../../tests/many-machines/harness/create-token.ts";
import { startStores } from "../../tests/many-machines/harness/stores.ts";
import type { Figure } from "../figure.ts";
import { load, requestText } from "../load.ts";

const COUNTS = [1, 2, 3];
const CALLERS = 48;
const SECONDS = 4;
const WARM_UP_SECONDS = 2;
const SESSIONS = 12;
const PATH = "/api/v1/cloud/sessions";

interface Rates {
  create: number;
  list: number;
  turn: number;
}

/**
 * Measures clusters with as many API services as runners, on one PostgreSQL and one S3 server. Clients
 * connect to each service, so that no balancer is measured.
 */
export async function machineFigures(): Promise<Figure[]> {
  const measured: Rates[] = [];
  for (const count of COUNTS) measured.push(await withCluster(count, measure));
  const [alone, ...more] = measured as [Rates, ...Rates[]];
  const whats = {
    create: `create a session, ${CALLERS} callers`,
    list: `list of 20 sessions, ${CALLERS} callers`,
    turn: `turns with one command, ${SESSIONS} sessions at once`,
  };
  return (["create", "list", "turn"] as const).flatMap((name) =>
    more.map((rates, index) => ({
      what: `${whats[name]}, ${index + 2} processes of each role`,
      peer: "1 of each role",
      unit: "/s" as const,
      value: rates[name],
      peerValue: alone[name],
    })),
  );
}

async function withCluster(count: number, work: (apis: readonly Api[]) => Promise<Rates>): Promise<Rates> {
  const directory = mkdtempSync(join(tmpdir(), "berth-bench-"));
  chmodSync(directory, 0o711);
  const { stores, stop } = await startStores(directory);
  try {
    const cluster = await Cluster.start({
      directory,
      settings: { ...stores, BERTH_LOG_LEVEL: "error" },
      apis: count,
      runners: count,
    });
    try {
      const token = await createToken(directory);
      return await work(cluster.apis.map(({ berth }) => new Api(berth.url, token)));
    } finally {
      await cluster.stop();
    }
  } finally {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(apis: readonly Api[]): Promise<Rates> {
  const [api] = apis as readonly [Api, ...Api[]];
  const [agent, environment] = [(await makeAgent(api)).id, (await makeEnvironment(api)).id];
  const create = (to: Api) =>
    requestText({ url: to.url, token: to.token }, "POST", PATH, { agent, environment_id: environment });
  const list = (to: Api) => requestText({ url: to.url, token: to.token }, "GET", PATH);
  return {
    turn: await turns(apis),
    create: await rate(apis, create),
    list: await rate(apis, list),
  };
}

async function rate(apis: readonly Api[], text: (to: Api) => string): Promise<number> {
  const during = async (seconds: number) => {
    const callers = CALLERS / apis.length;
    const loads = await Promise.all(apis.map((to) => load(to.url, { callers, seconds }, () => text(to))));
    return loads.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  await during(WARM_UP_SECONDS);
  return await during(SECONDS);
}

/** Returns turns per second. Each session begins its next turn when one has ended. */
async function turns(apis: readonly Api[]): Promise<number> {
  const made = Array.from({ length: SESSIONS }, async (_, n) => {
    const api = apis[n % apis.length] as Api;
    return { api, id: (await makeSession(api)).id };
  });
  let began = Number.POSITIVE_INFINITY;
  let ended = 0;
  let warm = 0;
  await Promise.all(
    (await Promise.all(made)).map(async ({ api, id }) => {
      const send = () => api.ok("POST", `/sessions/${id}/events`, { events: [steps(bash("echo done"))] });
      const stream = readFrames(api, id, { query: "from=start" });
      await send();
      let turn = 0;
      for await (const { data } of stream) {
        if (data.type !== "session.status_idle") continue;
        turn += 1;
        // The first turn opens the sandbox.
        if (turn === 1 && ++warm === SESSIONS) began = performance.now();
        const passed = performance.now() - began;
        if (passed > SECONDS * 1_000) return;
        if (passed > 0 && turn > 1) ended += 1;
        await send();
      }
    }),
  );
  return ended / SECONDS;
}
