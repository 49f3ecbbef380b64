import type { Api } from "../../tests/acceptance/harness/api.ts";
import { makeAgent, makeEnvironment } from "../../tests/acceptance/harness/fixtures.ts";
import { startBareServer } from "../bare-server.ts";
import { type Figure, rate } from "../figure.ts";

const callers = 16;
const seconds = 4;

/** Sessions listed and created through the whole of the API, beside `node:http` answering the same bytes from memory. */
export async function httpFigures(api: Api): Promise<Figure[]> {
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  const body = { agent: agent.id, environment_id: environment.id };
  for (let made = 0; made < 40; made++) await api.ok("POST", "/sessions", body);
  const page = await api.ok("GET", "/sessions");
  const list = await besideBare(
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
  const create = await besideBare(page.data[0], post, `${api.url}/api/v1/cloud/sessions`, api);
  const peer = "bare `node:http` with the same answer";
  return [
    {
      what: `list of 20 sessions, ${callers} callers`,
      peer,
      unit: "/s",
      ...list,
      note: "signed cursor, rights, PostgreSQL read",
    },
    {
      what: `create a session, ${callers} callers`,
      peer,
      unit: "/s",
      ...create,
      note: "durable: the peer stores nothing",
    },
  ];
}

async function besideBare(
  answer: unknown,
  call: (url: string, headers: Record<string, string>) => Promise<Response>,
  url: string,
  api: Api,
): Promise<{ value: number; peerValue: number }> {
  const bare = await startBareServer(answer);
  const headers = { authorization: `Bearer ${api.token}` };
  const drained = async (response: Promise<Response>) => {
    const answered = await response;
    await answered.arrayBuffer();
    if (answered.status !== 200) throw new Error(`answered ${answered.status}`);
  };
  try {
    await rate(1, callers, () => drained(call(url, headers)));
    const value = await rate(seconds, callers, () => drained(call(url, headers)));
    const peerValue = await rate(seconds, callers, () => drained(call(bare.url, headers)));
    return { value, peerValue };
  } finally {
    await bare.stop();
  }
}
