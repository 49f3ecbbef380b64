import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { type Fault, Faults } from "../git-host/faults.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";
import { killRunner } from "./processes.ts";

/** Tests kills of the runner during attempts to clone a repository whose host is unavailable. */
const RETRIES = 3;
const faults = new Faults();
let host: GitHost;
let berth: Berth;
let api: Api;
before(async () => {
  host = await startGitHost({ intercept: faults.intercept });
  const retries = Array(RETRIES).fill("0.2").join(",");
  berth = await Berth.start({ settings: { ...providerSettings(host), BERTH_CLONE_RETRY_SECONDS: retries } });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await host.stop();
});

/** Creates a session with the new repository `acme/<name>`. */
async function open(name: string, ...queued: Fault[]): Promise<string> {
  await host.createRepository({ org: "acme", name, private: false, files: { "a.txt": "a\n" } });
  faults.queue(`acme/${name}`, ...queued);
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  const resource = { type: "git_repository", url: `${host.url}/acme/${name}`, mount_path: "/data/r" };
  const body = { agent: agent.id, environment_id: environment.id, resources: [resource] };
  return (await api.ok("POST", "/sessions", body)).id;
}

const statusOf = ({ type, error }: AnyJson): string | null =>
  type === "session.error" ? error.retry_status.type : null;
const statuses = (events: AnyJson[]) => events.map(statusOf).filter((status) => status !== null);
const unavailable = (count: number) => Array.from({ length: count }, (): Fault => ({ status: 503 }));
const SERIES = [...Array(RETRIES).fill("retrying"), "exhausted"];

test("runner killed while an attempt runs and while the next waits: the series goes on, and then the next turn clones", {
  timeout: 600_000,
}, async () => {
  const begun = Promise.withResolvers<void>();
  const session = await open("killed", { status: 503 });
  faults.queue("acme/killed", "hang").then(begun.resolve);
  await begun.promise;
  faults.queue("acme/killed", ...unavailable(RETRIES));
  await killRunner(berth);
  let seen = 0;
  await readEventsUntil(api, session, (event) => statusOf(event) === "retrying" && ++seen === 2);
  await killRunner(berth);
  const log = await readEventsUntil(api, session, (event) => statusOf(event) === "exhausted");
  assert.deepEqual(statuses(log), SERIES);
  const [text] = toolResults(await runTurn(api, session, bash("cat r/a.txt")));
  assert.match(text ?? "", /^a/);
});

test("runner killed at any write of a series: each failure is told once, and none is tried once more", {
  timeout: 600_000,
  skip: !CAN_INJECT,
}, async (context) => {
  await killAtEveryWrite(context, {
    service: () => berth,
    sampledPoints: 3,
    async run(name, attach) {
      await attach();
      const session = await open(name.replace("-", ""), ...unavailable(50));
      await readEventsUntil(api, session, (event) => statusOf(event) === "exhausted");
      // A repeated report would arrive before the end of this turn.
      await runTurn(api, session, bash("true"));
      return (await api.ok("GET", `/sessions/${session}/events?limit=100`)).data;
    },
    async check(events, name) {
      const told = statuses(events);
      assert.deepEqual(told.slice(0, SERIES.length), SERIES, name);
      // An interrupted turn does not wait for its own attempt.
      assert.ok(["", "exhausted"].includes(told.slice(SERIES.length).join()), `${name}: ${told}`);
    },
  });
});
