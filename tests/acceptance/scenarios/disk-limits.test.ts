import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { type Api, refused } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { bash, makeEnvironment, makeSession, results, turn } from "../harness/fixtures.ts";
import { lackForDiskLimits, loopFiles, withoutLoopDevices } from "../harness/loop-devices.ts";
import { proves } from "../harness/proves.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { eventsUntil } from "../harness/stream.ts";
import { until } from "../harness/until.ts";

const skip = lackForDiskLimits();
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

async function limited(client = api): Promise<string> {
  return (await makeEnvironment(client, { resources: { disk_mb: 64 } })).id;
}

proves(
  ["environment-disk-limit"],
  "a session writes what its disk takes and goes on, and its neighbour has its own",
  async () => {
    const environment = await api.ok("GET", `/environments/${await limited()}`);
    assert.deepEqual(environment.resources, { cpus: 2, memory_mb: 4096, pids: 512, disk_mb: 64 });
    const session = await makeSession(api, { environment_id: environment.id });
    const fill = "head -c 100M /dev/zero >/data/filling; stat -c 'size %s' /data/filling; df -B1 /data";
    const [filled, alive] = results(await turn(api, session.id, bash(fill), bash("echo a$((1 + 1))ive")));
    assert.match(filled ?? "", FULL);
    const size = Number(/^size (\d+)$/m.exec(filled ?? "")?.[1]);
    assert.ok(64 * 2 ** 20 <= size && size <= 68 * 2 ** 20, `${size}`);
    assert.match(alive ?? "", /a2ive/);
    const neighbour = await makeSession(api, { environment_id: environment.id });
    const write = bash("head -c 60M /dev/zero >/data/x && echo has room");
    assert.match(results(await turn(api, neighbour.id, write))[0] ?? "", /has room/);
    const freed = bash("rm /data/filling; echo more >/data/more && cat /data/more");
    assert.match(results(await turn(api, session.id, freed))[0] ?? "", /more/);
    assert.equal(loopFiles(berth.dataDir).length, 2);
    for (const { id } of [session, neighbour]) await api.ok("DELETE", `/sessions/${id}`);
    await until(
      () => loopFiles(berth.dataDir).length === 0,
      () => "a loop device is left",
    );
    assert.ok(!(await readFile("/proc/mounts", "utf8")).includes(berth.dataDir));
  },
  skip,
);

proves(
  ["environment-disk-default"],
  "a session whose environment says nothing has the operator's limit, or none",
  async () => {
    const fill = bash("head -c 100M /dev/zero >/data/filling; stat -c 'size %s' /data/filling");
    const own = await Berth.start({ settings: { BERTH_SESSION_DISK_MB: "64" } });
    try {
      const client = await own.client();
      const session = await makeSession(client);
      assert.match(results(await turn(client, session.id, fill))[0] ?? "", FULL);
      assert.equal(loopFiles(own.dataDir).length, 1);
    } finally {
      await own.stop();
    }
    const none = await Berth.start({ settings: { BERTH_SESSION_DISK_MB: "0" } });
    try {
      const client = await none.client();
      const session = await makeSession(client);
      assert.match(results(await turn(client, session.id, fill))[0] ?? "", /^size 104857600$/m);
      assert.equal(loopFiles(none.dataDir).length, 0);
    } finally {
      await none.stop();
    }
    const session = await makeSession(api);
    const room = results(await turn(api, session.id, bash("df -BM --output=size /data | tail -n 1")))[0];
    assert.ok(Number(/^\s*(\d+)M$/m.exec(room ?? "")?.[1]) >= 10_240, `${room}`);
  },
  skip,
);

proves(
  ["environment-disk-limit"],
  "disk_mb is a whole number from 64 on, and null takes it away",
  async () => {
    for (const bad of [63, 0, -1, 64.5, "64", 2 ** 40]) {
      const answer = await api.post("/environments", { name: "bad", resources: { disk_mb: bad } });
      refused(answer, 400, "invalid_request_error", { param: "resources.disk_mb" });
    }
    const path = `/environments/${await limited()}`;
    const kept = await api.ok("POST", path, { resources: { cpus: 1 } });
    assert.deepEqual([kept.resources.disk_mb, kept.resources.cpus], [64, 1]);
    assert.equal((await api.ok("POST", path, { resources: { disk_mb: null } })).resources.disk_mb, null);
  },
);

proves(
  ["environment-disk-limit"],
  "what lies on a limited disk outlives a service that is killed, and the limit holds on",
  async () => {
    const first = await Berth.start();
    let client = await first.client();
    const session = await makeSession(client, { environment_id: await limited(client) });
    await turn(client, session.id, bash("cd /data && git init -q work && echo draft >work/draft"));
    await first.kill("SIGKILL");
    const second = await Berth.start({ dataDir: first.dataDir });
    try {
      client = await second.client();
      const look = "cat /data/work/draft; head -c 100M /dev/zero >/data/filling";
      const [text] = results(await turn(client, session.id, bash(look)));
      assert.match(text ?? "", /^draft$/m);
      assert.match(text ?? "", FULL);
      assert.equal(loopFiles(first.dataDir).length, 1);
    } finally {
      await second.stop();
    }
  },
  skip,
);

proves(
  ["environment-disk-clone"],
  "a repository that is too large says so, and the session goes on",
  async () => {
    const resources = [
      { type: "hosted_repository", url: `${host.url}/acme/large`, mount_path: "/data/large" },
    ];
    const session = await makeSession(api, { environment_id: await limited(), resources });
    const events = await turn(api, session.id, bash("ls /data; echo room >/data/x && cat /data/x"));
    assert.match(results(events)[0] ?? "", /^room/m);
    const log = await eventsUntil(api, session.id, ({ type }) => type === "session.error");
    const { error } = log.at(-1) ?? {};
    assert.equal(error.type, "repository_clone_error");
    assert.match(error.message, /the session's disk is full/);
  },
  skip,
);

proves(
  ["environment-disk-refused"],
  "without loop devices a session with disk_mb says why it cannot run, and others run",
  async () => {
    const bare = await Berth.start({ under: withoutLoopDevices });
    try {
      const client = await bare.client();
      const session = await makeSession(client, { environment_id: await limited(client) });
      const events = await turn(client, session.id, bash("echo ran > /data/x; cat /data/x"));
      const { error } = events.find(({ type }) => type === "session.error") ?? {};
      assert.equal(error?.type, "sandbox_error");
      assert.match(error.message, /^The session's disk is limited \(disk_mb\), which this machine cannot/);
      assert.ok(!results(events).some((text) => /^ran$/m.test(text)));
      const other = await makeSession(client);
      assert.match(results(await turn(client, other.id, bash("echo ran")))[0] ?? "", /^ran$/m);
    } finally {
      await bare.stop();
    }
  },
  skip,
);
