import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Api } from "../../../tests/acceptance/harness/api.ts";
import { Berth } from "../../../tests/acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment } from "../../../tests/acceptance/harness/fixtures.ts";
import { readFrames } from "../../../tests/acceptance/harness/stream.ts";
import { requestText } from "../../load.ts";
import type { Lap, Place, Racer, Work } from "../racer.ts";

const EVENTS = [{ type: "user.message", content: [{ type: "text", text: "Go on." }] }];

export const BERTH: Racer = {
  name: "Berth",
  durable: "yes: on the disk before the answer",
  packages: [],
  async start({ store, model }: Place) {
    const modelsFile = join(store, "models.json");
    const providers = { local: { kind: "openai-compatible", base_url: model } };
    await writeFile(modelsFile, JSON.stringify({ providers, models: [{ id: "local/m" }] }));
    const settings = { BERTH_MODELS_FILE: modelsFile };
    const berth = await Berth.start({ dataDir: join(store, "data"), settings });
    await berth.ready();
    return {
      url: berth.url,
      pid: berth.pid,
      work: async () => await work(await berth.client()),
      stop: async () => void (await berth.kill("SIGTERM")),
    };
  },
};

async function work(api: Api): Promise<Work> {
  const agent = await makeAgent(api, { model: "local/m" });
  const environment = await makeEnvironment(api);
  const body = { agent: agent.id, environment_id: environment.id };
  const { id } = await api.ok("POST", "/sessions", body);
  const stop = new AbortController();
  const stream = readFrames(api, id, { query: "from=start", signal: stop.signal });
  const request = { url: api.url, token: api.token };
  const path = "/api/v1/cloud/sessions";
  return {
    create: () => requestText(request, "POST", path, body),
    list: () => requestText(request, "GET", `${path}?limit=20`),
    turn: () => turn(api, id, stream),
    end: () => stop.abort(),
  };
}

async function turn(api: Api, id: string, stream: ReturnType<typeof readFrames>): Promise<Lap> {
  const lap: Lap = { echoed: null, began: null, ended: null };
  const sent = performance.now();
  const posted = api.ok("POST", `/sessions/${id}/events`, { events: EVENTS });
  while (lap.ended === null) {
    const { value } = await stream.next();
    const since = performance.now() - sent;
    const type = value?.data.type;
    if (type === "user.message") lap.echoed = since;
    if (type === "session.status_running") lap.began = since;
    if (type === "session.status_idle") lap.ended = since;
  }
  await posted;
  return lap;
}
