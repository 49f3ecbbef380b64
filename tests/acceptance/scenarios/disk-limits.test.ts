import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { type Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeEnvironment, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { loopBackingFiles, missingForDiskLimits, WITHOUT_LOOP_DEVICES } from "../harness/loop-devices.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const SKIP = missingForDiskLimits();
const FULL = /No space left on device/;
let directory: string;
let host: GitHost;
let berth: Berth;
let api: Api;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "disk-limits-"));
  host = await startGitHost({ dir: join(directory, "host") });
  const files = { "README.md": "# Large\n", large: "x".repeat(70 * 2 ** 20) };
  await host.createRepository({ org: "acme", name: "large", private: false, files });
  berth = await Berth.start({ settings: providerSettings(host) });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await host.stop();
  await rm(directory, { recursive: true, force: true });
});

async function limitedEnvironment(client = api): Promise<string> {
  return (await makeEnvironment(client, { resources: { disk_mb: 64 } })).id;
}

covers(
  ["environment-disk-limit"],
  "disk_mb: a session can fill its own disk and continue; another session has its own limit",
  async () => {
    const environment = await api.ok("GET", `/environments/${await limitedEnvironment()}`);
    const { pids, ...resources } = environment.resources;
    assert.deepEqual(resources, { cpus: 2, memory_mb: 4096, disk_mb: 64 });
    assert.ok(pids >= 512 && pids <= 4_096, `${pids}`);
    const session = await makeSession(api, { environment_id: environment.id });
    const fill = "head -c 100M /dev/zero >/data/filling; stat -c 'size %s' /data/filling; df -B1 /data";
    const [filled, alive] = toolResults(
      await runTurn(api, session.id, bash(fill), bash("echo a$((1 + 1))ive")),
    );
    assert.match(filled ?? "", FULL);
    const size = Number(/^size (\d+)$/m.exec(filled ?? "")?.[1]);
    assert.ok(64 * 2 ** 20 <= size && size <= 68 * 2 ** 20, `${size}`);
    assert.match(alive ?? "", /a2ive/);
    const neighbour = await makeSession(api, { environment_id: environment.id });
    const write = bash("head -c 60M /dev/zero >/data/x && echo has room");
    assert.match(toolResults(await runTurn(api, neighbour.id, write))[0] ?? "", /has room/);
    const freed = bash("rm /data/filling; echo more >/data/more && cat /data/more");
    assert.match(toolResults(await runTurn(api, session.id, freed))[0] ?? "", /more/);
    assert.equal(loopBackingFiles(berth.dataDir).length, 2);
    for (const { id } of [session, neighbour]) await api.ok("DELETE", `/sessions/${id}`);
    await waitUntil(
      () => loopBackingFiles(berth.dataDir).length === 0,
      () => "a loop device remains",
    );
    assert.ok(!(await readFile("/proc/mounts", "utf8")).includes(berth.dataDir));
  },
  SKIP,
);

covers(
  ["environment-disk-default"],
  "no disk_mb: the operator's limit applies, or none",
  async () => {
    const fill = bash("head -c 100M /dev/zero >/data/filling; stat -c 'size %s' /data/filling");
    const own = await Berth.start({ settings: { BERTH_SESSION_DISK_MB: "64" } });
    try {
      const client = await own.client();
      const session = await makeSession(client);
      assert.match(toolResults(await runTurn(client, session.id, fill))[0] ?? "", FULL);
      assert.equal(loopBackingFiles(own.dataDir).length, 1);
    } finally {
      await own.stop();
    }
    const none = await Berth.start({ settings: { BERTH_SESSION_DISK_MB: "0" } });
    try {
      const client = await none.client();
      const session = await makeSession(client);
      assert.match(toolResults(await runTurn(client, session.id, fill))[0] ?? "", /^size 104857600$/m);
      assert.equal(loopBackingFiles(none.dataDir).length, 0);
    } finally {
      await none.stop();
    }
    const session = await makeSession(api);
    const room = toolResults(
      await runTurn(api, session.id, bash("df -BM --output=size /data | tail -n 1")),
    )[0];
    assert.ok(Number(/^\s*(\d+)M$/m.exec(room ?? "")?.[1]) >= 10_240, `${room}`);
  },
  SKIP,
);

covers(["environment-disk-limit"], "disk_mb: an integer of at least 64, or null for no limit", async () => {
  for (const bad of [63, 0, -1, 64.5, "64", 2 ** 40]) {
    const response = await api.post("/environments", { name: "bad", resources: { disk_mb: bad } });
    assertError(response, 400, "invalid_request_error", { param: "resources.disk_mb" });
  }
  const path = `/environments/${await limitedEnvironment()}`;
  const kept = await api.ok("POST", path, { resources: { cpus: 1 } });
  assert.deepEqual([kept.resources.disk_mb, kept.resources.cpus], [64, 1]);
  assert.equal((await api.ok("POST", path, { resources: { disk_mb: null } })).resources.disk_mb, null);
});

covers(
  ["environment-disk-limit"],
  "killed service: files on a limited disk and the limit itself remain",
  async () => {
    const first = await Berth.start();
    let client = await first.client();
    const session = await makeSession(client, { environment_id: await limitedEnvironment(client) });
    await runTurn(client, session.id, bash("cd /data && git init -q work && echo draft >work/draft"));
    await first.kill("SIGKILL");
    const second = await Berth.start({ dataDir: first.dataDir });
    try {
      client = await second.client();
      const command = "cat /data/work/draft; head -c 100M /dev/zero >/data/filling";
      const [text] = toolResults(await runTurn(client, session.id, bash(command)));
      assert.match(text ?? "", /^draft$/m);
      assert.match(text ?? "", FULL);
      assert.equal(loopBackingFiles(first.dataDir).length, 1);
    } finally {
      await second.stop();
    }
  },
  SKIP,
);

covers(
  ["environment-disk-clone"],
  "a repository larger than the disk: repository_clone_error, and the session continues",
  async () => {
    const resources = [
      { type: "hosted_repository", url: `${host.url}/acme/large`, mount_path: "/data/large" },
    ];
    const session = await makeSession(api, { environment_id: await limitedEnvironment(), resources });
    const events = await runTurn(api, session.id, bash("ls /data; echo room >/data/x && cat /data/x"));
    assert.match(toolResults(events)[0] ?? "", /^room/m);
    const log = await readEventsUntil(api, session.id, ({ type }) => type === "session.error");
    const { error } = log.at(-1) ?? {};
    assert.equal(error.type, "repository_clone_error");
    assert.match(error.message, /the session's disk is full/);
  },
  SKIP,
);

covers(
  ["environment-disk-refused"],
  "no loop devices: a session with disk_mb reports a sandbox_error, and others run",
  async () => {
    const bare = await Berth.start({ wrapper: WITHOUT_LOOP_DEVICES });
    try {
      const client = await bare.client();
      const session = await makeSession(client, { environment_id: await limitedEnvironment(client) });
      const events = await runTurn(client, session.id, bash("echo ran > /data/x; cat /data/x"));
      const { error } = events.find(({ type }) => type === "session.error") ?? {};
      assert.equal(error?.type, "sandbox_error");
      assert.match(error.message, /^The session's disk is limited \(disk_mb\), which this machine cannot/);
      assert.ok(!toolResults(events).some((text) => /^ran$/m.test(text)));
      const other = await makeSession(client);
      assert.match(toolResults(await runTurn(client, other.id, bash("echo ran")))[0] ?? "", /^ran$/m);
    } finally {
      await bare.stop();
    }
  },
  SKIP,
);
