import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type Fault, Faults } from "../../git-host/faults.ts";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import type { AnyJson, Api, Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";

const BIG = Buffer.alloc(50_000, "large ");

const faults = new Faults();
let directory: string;
let host: GitHost;
let other: GitHost;
let berth: Berth;
let api: Api;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "git-lfs-"));
  host = await startGitHost({ dir: join(directory, "host"), intercept: faults.intercept });
  other = await startGitHost({ dir: join(directory, "other") });
  const settings = providerSettings(host);
  const reachable = `${settings.BERTH_EGRESS_ALLOW_PRIVATE} ${other.host}`;
  berth = await Berth.start({ settings: { ...settings, BERTH_EGRESS_ALLOW_PRIVATE: reachable } });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await Promise.all([host.stop(), other.stop()]);
  await rm(directory, { recursive: true, force: true });
});

async function makeRepository(name: string, files: Record<string, string>): Promise<void> {
  const pointer = host.lfs.add(`acme/${name}`, BIG);
  const all = {
    ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    "big.bin": pointer,
    ...files,
  };
  await host.createRepository({ org: "acme", name, private: true, files: all });
}

async function run(
  credentials: string,
  resource: Json,
  hosts: string[],
  command: string,
): Promise<AnyJson[]> {
  const config = { type: "cloud", networking: { type: "limited", allowed_hosts: hosts } };
  const [agent, environment] = await Promise.all([
    makeAgent(api),
    makeEnvironment(api, { credentials, config }),
  ]);
  const body = { agent: agent.id, environment_id: environment.id, resources: [resource] };
  const session = await api.ok("POST", "/sessions", body);
  return runTurn(api, session.id, bash(command));
}

for (const credentials of ["inject", "proxy"]) {
  covers(
    ["lfs-files"],
    `git lfs (${credentials}): clones have the files, and a changed one is pushed`,
    async () => {
      const name = `media-${credentials}`;
      await makeRepository(name, {});
      const password = host.createToken({ user: "robot", permissions: "write" });
      const url = `${host.url}/acme/${name}`;
      const change = `cd /data/${name} && wc -c <big.bin && git status --porcelain && echo ${credentials} >big.bin && git commit -qam x && git push -q origin HEAD && echo pushed`;
      const hosted = await run(
        credentials,
        { type: "hosted_repository", url, authorization_token: password },
        [],
        change,
      );
      assert.match(toolResults(hosted)[0] ?? "", /^50000\n(Uploading[^\n]*\n)?pushed/);
      assert.equal(host.lfs.of(`acme/${name}`).at(-1)?.toString(), `${credentials}\n`);
      const generic = { type: "git_repository", url, username: "robot", password };
      const read = await run(
        credentials,
        generic,
        [],
        `cat /data/${name}/big.bin; git -C /data/${name} status --porcelain`,
      );
      assert.match(toolResults(read)[0] ?? "", new RegExp(`^${credentials}$`, "m"));
      const ready = read.find(({ type }) => type === "session.resource_ready");
      assert.ok(ready !== undefined && !("note" in ready));
    },
  );
}

covers(
  ["lfs-missing"],
  "git lfs: a server at another host is not asked; the log and the agent are told",
  async () => {
    await makeRepository("elsewhere", {
      ".lfsconfig": `[lfs]\n\turl = ${other.url}/acme/elsewhere.git/info/lfs\n`,
    });
    const authorization_token = host.createToken({ user: "robot", permissions: "write" });
    const resource = { type: "hosted_repository", url: `${host.url}/acme/elsewhere`, authorization_token };
    const events = await run("inject", resource, [other.host], "head -1 /data/elsewhere/big.bin");
    assert.match(toolResults(events)[0] ?? "", /^version https:\/\/git-lfs/);
    const ready = events.find(({ type }) => type === "session.resource_ready");
    assert.match(ready?.note ?? "", /not at the repository's host/);
    assert.deepEqual(other.requests, []);
  },
);

for (const credentials of ["inject", "proxy"]) {
  covers(
    ["lfs-refused"],
    `git lfs (${credentials}): a server that rejects the credential → an authentication error after a few requests`,
    async () => {
      const name = `closed-${credentials}`;
      await makeRepository(name, {});
      host.lfs.rejectCredentials(`acme/${name}`);
      const authorization_token = host.createToken({ user: "robot", permissions: "write" });
      const resource = { type: "hosted_repository", url: `${host.url}/acme/${name}`, authorization_token };
      const events = await run(credentials, resource, [], `ls -A /data/${name} 2>&1`);
      const [{ error } = { error: null }] = events.filter(({ type }) => type === "session.error");
      assert.equal(error?.type, "repository_authentication_error");
      assert.equal(error.retry_status.type, "terminal");
      assert.match(error.message, /Git LFS server rejected the credential/);
      const requests = host.requests.filter(({ path }) => path.startsWith(`/acme/${name}.git/info/lfs/`));
      assert.ok(requests.length > 0 && requests.length <= 6, `${requests.length} requests`);
    },
  );
}

covers(
  ["lfs-files"],
  "git lfs: a server that fails once for a reason that passes is asked again",
  async () => {
    const passing: [request: "batch" | "object", name: string, faults: Fault[]][] = [
      ["batch", "unavailable", [{ status: 503 }, { status: 500 }]],
      ["batch", "limited", [{ status: 429 }, { status: 429, headers: { "Retry-After": "1" } }]],
      ["object", "object-unavailable", [{ status: 503 }]],
    ];
    const password = host.createToken({ user: "robot", permissions: "write" });
    await Promise.all(
      passing.map(async ([request, name, queued]) => {
        await makeRepository(name, {});
        faults.queue(`acme/${name} ${request}`, ...queued);
        const url = `${host.url}/acme/${name}`;
        const resource = { type: "git_repository", url, username: "robot", password };
        const events = await run("inject", resource, [], `wc -c </data/${name}/big.bin`);
        assert.match(toolResults(events)[0] ?? "", /^50000/, name);
        assert.ok(!("note" in events.find(({ type }) => type === "session.resource_ready")), name);
      }),
    );
  },
);
