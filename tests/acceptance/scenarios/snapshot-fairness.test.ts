import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import type { Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { countSnapshotsBuilt, waitForSnapshots } from "../harness/repository-snapshots.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** More repositories than are built concurrently. */
const SLOW = ["slow-1", "slow-2", "slow-3", "slow-4"];
/** The length prefix of a pkt-line. DROP is sent each second, just often enough that git does not give up. */
const LENGTH = "fff0";
const DROP = "a".repeat(100);

let host: GitHost;
let berth: Berth;
const SLOW_RESPONSES = new Map<ServerResponse, NodeJS.Timeout>();
const REQUEST_COUNTS = new Map<string, number>();

/** Lets each slow repository be cloned once; later fetches get a response that never ends. */
function drip({ method, url = "", headers }: IncomingMessage, response: ServerResponse): boolean {
  const name = SLOW.find((slow) => url.includes(`/${slow}`));
  if (name === undefined || !/^git\/\d+\./.test(headers["user-agent"] ?? "")) return false;
  if (method === "GET") REQUEST_COUNTS.set(name, (REQUEST_COUNTS.get(name) ?? 0) + 1);
  if (method === "GET" || (REQUEST_COUNTS.get(name) ?? 0) < 2) return false;
  response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" });
  response.write(LENGTH);
  SLOW_RESPONSES.set(
    response,
    setInterval(() => response.write(DROP), 1_000),
  );
  response.on("close", () => {
    clearInterval(SLOW_RESPONSES.get(response));
    SLOW_RESPONSES.delete(response);
  });
  return true;
}

before(async () => {
  host = await startGitHost({ intercept: drip });
  for (const name of [...SLOW, "own"])
    await host.createRepository({ org: "acme", name, private: false, files: { "a.txt": `${name}\n` } });
  berth = await Berth.start({ settings: providerSettings(host) });
});
after(async () => {
  await berth.stop();
  await host.stop();
});

const url = (name: string): string => `${host.url}/acme/${name}`;

/** Returns the file of a new session's repository, and its filesystem type. */
async function readInSession(as: Api, name: string): Promise<string> {
  const [agent, environment] = await Promise.all([makeAgent(as), makeEnvironment(as)]);
  const resources = [{ type: "hosted_repository", url: url(name), mount_path: "/data/repo" }];
  const session = await as.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    resources,
  });
  const command = bash("cat /data/repo/a.txt && stat -f -c %T /data/repo");
  return (toolResults(await runTurn(as, session.id, command))[0] ?? "").trim();
}

covers(
  ["snapshot-turns"],
  "a git server whose responses never end: delays only snapshots of its own organization",
  async () => {
    const slow = await berth.client({ user: "owner@slow.example", org: "slow" });
    await Promise.all(SLOW.map((name) => readInSession(slow, name)));
    await waitUntil(
      () => SLOW_RESPONSES.size > 0,
      () => `no fetch got a slow response:\n${berth.log.slice(-2_000)}`,
    );
    const other = await berth.client({ user: "owner@other.example", org: "other" });
    assert.notEqual((await readInSession(other, "own")).split("\n")[1], "overlayfs");
    await waitForSnapshots(berth, url("own"), 1);
    assert.equal(await readInSession(other, "own"), "own\noverlayfs");
    assert.equal(SLOW_RESPONSES.size, 1, "the fetches of one organization run one at a time");
    for (const name of SLOW) assert.equal(countSnapshotsBuilt(berth, url(name)), 0);
  },
);
