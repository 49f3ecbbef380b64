import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import type { Berth } from "../../tests/acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment } from "../../tests/acceptance/harness/fixtures.ts";
import { startBareServer } from "../bare-server.ts";
import { cpuPerOperation, cpuTimes } from "../cpu-time.ts";
import { type Figure, median, times } from "../figure.ts";
import { type Load, load, requestText } from "../load.ts";

const CALLERS = 64;
const SECONDS = 4;
const WARM_UP_SECONDS = 3;
const SESSIONS = 12_000;
const PATH = "/api/v1/cloud/sessions";

/**
 * Measures creating and listing sessions of several agents, environments and owners through the complete API.
 * The table was never analyzed, as in a new installation. The peer is `node:http`, which sends the same bytes
 * from memory.
 */
export async function httpFigures(berth: Berth, api: Api): Promise<Figure[]> {
  const owners = [
    api,
    ...(await Promise.all([1, 2, 3].map((n) => berth.client({ user: `owner${n}@example.com` })))),
  ];
  const texts = (await Promise.all(owners.map(createTexts))).flat();
  const [first = ""] = texts;
  const one = await api.ok("POST", "/sessions", JSON.parse(first.slice(first.indexOf("\r\n\r\n"))));
  const alone = await createAlone(api, one);
  const create = await compareWithBare(berth, one, inTurn(texts));
  const fill = inTurn(await createTexts(api));
  for (let made = 0; made < SESSIONS; )
    made += (await load(api.url, { callers: CALLERS, seconds: 1 }, fill)).count;
  const list = () => requestText({ url: api.url, token: api.token ?? "" }, "GET", PATH);
  const page = await api.ok("GET", "/sessions");
  const lists = await compareWithBare(berth, page, list);
  const peer = "bare `node:http` with the same response";
  return [
    { what: `list of 20 sessions of ${SESSIONS}, ${CALLERS} callers`, peer, unit: "/s", ...lists },
    { what: `create a session, ${CALLERS} callers`, peer, unit: "/s", ...create },
    { what: "create a session, one caller", peer: "get a session", unit: "ms", ...alone },
  ];
}

/** Returns requests that create sessions, in all combinations of some agents and environments. */
async function createTexts(api: Api): Promise<string[]> {
  const agents = await Promise.all([1, 2, 3].map(() => makeAgent(api)));
  const environments = await Promise.all([1, 2, 3].map(() => makeEnvironment(api)));
  return agents.flatMap((agent) =>
    environments.map(({ id }) =>
      requestText({ url: api.url, token: api.token ?? "" }, "POST", PATH, {
        agent: agent.id,
        environment_id: id,
      }),
    ),
  );
}

function inTurn(texts: readonly string[]): () => string {
  let sent = 0;
  return () => texts[sent++ % texts.length] ?? "";
}

async function createAlone(api: Api, { id, agent, environment_id }: AnyJson) {
  const create = () => api.ok("POST", "/sessions", { agent: agent.id, environment_id });
  const get = () => api.ok("GET", `/sessions/${id}`);
  await times(100, create);
  return { value: median(await times(400, create)), peerValue: median(await times(400, get)) };
}

async function compareWithBare(berth: Berth, body: unknown, next: () => string) {
  const bare = await startBareServer(body);
  try {
    await load(berth.url, { callers: CALLERS, seconds: WARM_UP_SECONDS }, next);
    const before = cpuTimes(berth.pid);
    const own: Load = await load(berth.url, { callers: CALLERS, seconds: SECONDS }, next);
    const note = cpuPerOperation(before, cpuTimes(berth.pid), own.count);
    const { perSecond } = await load(bare.url, { callers: CALLERS, seconds: SECONDS }, next);
    return { value: own.perSecond, peerValue: perSecond, note };
  } finally {
    await bare.stop();
  }
}
