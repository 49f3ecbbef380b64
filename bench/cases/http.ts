import type { Api } from "../../tests/acceptance/harness/api.ts";
import { makeAgent, makeEnvironment } from "../../tests/acceptance/harness/fixtures.ts";
import { startBareServer } from "../bare-server.ts";
import { type Figure, rate } from "../figure.ts";

const CALLERS = 16;
const SECONDS = 4;

/** Lists and creates sessions through the complete API. The peer is `node:http`, which sends the same bytes from memory. */
export async function httpFigures(api: Api): Promise<Figure[]> {
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  const body = { agent: agent.id, environment_id: environment.id };
  for (let made = 0; made < 40; made++) await api.ok("POST", "/sessions", body);
  const page = await api.ok("GET", "/sessions");
  const list = await compareWithBare(
    page,
    (url, headers) => fetch(url, { headers }),
    `${api.url}/api/v1/cloud/sessions`,
    api,
  );
  const post = (url: string, headers: Record<string, string>) =>
    fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const create = await compareWithBare(page.data[0], post, `${api.url}/api/v1/cloud/sessions`, api);
  const peer = "bare `node:http` with the same response";
  return [
    {
      what: `list of 20 sessions, ${CALLERS} callers`,
      peer,
      unit: "/s",
      ...list,
      note: "signed cursor, access checks, PostgreSQL read",
    },
    {
      what: `create a session, ${CALLERS} callers`,
      peer,
      unit: "/s",
      ...create,
      note: "durable; the peer stores nothing",
    },
  ];
}

async function compareWithBare(
  body: unknown,
  call: (url: string, headers: Record<string, string>) => Promise<Response>,
  url: string,
  api: Api,
): Promise<{ value: number; peerValue: number }> {
  const bare = await startBareServer(body);
  const headers = { authorization: `Bearer ${api.token}` };
  const drained = async (promise: Promise<Response>) => {
    const response = await promise;
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The response has status ${response.status}.`);
  };
  try {
    await rate(1, CALLERS, () => drained(call(url, headers)));
    const value = await rate(SECONDS, CALLERS, () => drained(call(url, headers)));
    const peerValue = await rate(SECONDS, CALLERS, () => drained(call(bare.url, headers)));
    return { value, peerValue };
  } finally {
    await bare.stop();
  }
}
