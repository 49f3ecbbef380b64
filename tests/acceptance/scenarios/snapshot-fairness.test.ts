import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import type { Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { countSnapshotsBuilt, waitForSnapshots } from "../harness/repository-snapshots.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** More than are made at once. */
const SLOW = ["slow-1", "slow-2", "slow-3", "slow-4"];
/** The length of a line, of which as much comes each second as git bears without giving up. */
const LENGTH = "fff0";
const DROP = "a".repeat(100);

let directory: string;
let host: GitHost;
let berth: Berth;
const dripping = new Map<ServerResponse, NodeJS.Timeout>();
const seen = new Map<string, number>();

/** Each slow repository can be cloned once; what git fetches of it then comes by drops. */
function drips({ method, url = "", headers }: IncomingMessage, response: ServerResponse): boolean {
  const name = SLOW.find((slow) => url.includes(`/${slow}`));
  if (name === undefined || !/^git\/\d+\./.test(headers["user-agent"] ?? "")) return false;
  if (method === "GET") seen.set(name, (seen.get(name) ?? 0) + 1);
  if (method === "GET" || (seen.get(name) ?? 0) < 2) return false;
  response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" });
  response.write(LENGTH);
  dripping.set(
    response,
    setInterval(() => response.write(DROP), 1_000),
  );
  response.on("close", () => {
    clearInterval(dripping.get(response));
    dripping.delete(response);
  });
  return true;
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHost({ dir: directory, intercept: drips });
  for (const name of [...SLOW, "own"])
    await host.createRepository({ org: "acme", name, private: false, files: { "a.txt": `${name}\n` } });
  berth = await Berth.start({ settings: providerSettings(host) });
});
after(async () => {
  await berth.stop();
  await host.stop();
  await rm(directory, { recursive: true, force: true });
});

const url = (name: string): string => `${host.url}/acme/${name}`;

/** What the session of a repository has of it, and on what. */
async function inside(as: Api, name: string): Promise<string> {
  const [agent, environment] = await Promise.all([makeAgent(as), makeEnvironment(as)]);
  const resources = [{ type: "hosted_repository", url: url(name), mount_path: "/data/repo" }];
  const session = await as.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    resources,
  });
  const look = bash("cat /data/repo/a.txt && stat -f -c %T /data/repo");
  return (toolResults(await runTurn(as, session.id, look))[0] ?? "").trim();
}

covers(
  ["template-turns"],
  "an organization whose server never ends its answers holds back its own alone",
  async () => {
    const slow = await berth.client({ user: "owner@slow.example", org: "slow" });
    await Promise.all(SLOW.map((name) => inside(slow, name)));
    await waitUntil(
      () => dripping.size > 0,
      () => `no fetch is answered by drops:\n${berth.log.slice(-2_000)}`,
    );
    const other = await berth.client({ user: "owner@other.example", org: "other" });
    assert.notEqual((await inside(other, "own")).split("\n")[1], "overlayfs");
    await waitForSnapshots(berth, url("own"), 1);
    assert.equal(await inside(other, "own"), "own\noverlayfs");
    assert.equal(dripping.size, 1, "its own wait for one another");
    for (const name of SLOW) assert.equal(countSnapshotsBuilt(berth, url(name)), 0);
  },
);
