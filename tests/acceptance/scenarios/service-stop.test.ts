import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGitHost } from "../../git-host/git-host.ts";
import { type AnyJson, Api } from "../harness/api.ts";
import type { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeEnvironment, makeSession, runTurn, steps, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { readOrEmpty } from "../harness/read-or-empty.ts";
import { countSnapshotsBuilt, waitForSnapshots } from "../harness/repository-snapshots.ts";
import { sharedSystem } from "../harness/root-filesystem.ts";
import { servicesOf } from "../harness/services-of-test.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const SYSTEM = sharedSystem();

/** Milliseconds after which a stop counts as hanging. */
const HANG_MS = 120_000;

/** The command of a set-up that does not end. No other process of the machine has this command line. */
const HANGS = `sleep ${5_000_000 + process.pid}`;

covers(
  ["service-stop"],
  "stop while the sender of a content stalls: it continues after the start",
  async (t) => {
    const start = servicesOf(t);
    const berth = await start();
    const api = await berth.client();
    const content = new Uint8Array(randomBytes(9 * 1_048_576));
    const total = content.length + 1;
    const file = await api.ok("POST", "/files", { filename: "a.bin" });
    const path = `/files/${file.id}/content`;
    const range = `bytes 0-${total - 1}/${total}`;
    const headers = Object.fromEntries(api.headers({ "content-range": range, "content-length": `${total}` }));
    const sending = request(api.address(path), { method: "PUT", headers });
    sending.on("error", () => undefined).write(content);
    const received = async () => (await api.ok("GET", `/files/${file.id}`)).uploaded_bytes;
    await waitUntil(
      async () => (await received()) > 0,
      () => "no bytes are counted",
    );
    assert.equal(await stop(berth), 0);

    const again = await start({ dataDir: berth.dataDir });
    const later = new Api(again.url, api.token);
    const offset = (await later.ok("GET", `/files/${file.id}`)).uploaded_bytes;
    assert.ok(offset > 0);
    const whole = new Uint8Array([...content, 1]);
    const rest = await later.call("PUT", path, undefined, {
      raw: whole.subarray(offset),
      headers: { "content-range": `bytes ${offset}-${total - 1}/${total}` },
    });
    assert.deepEqual(
      [rest.body.status, rest.body.sha256],
      ["ready", createHash("sha256").update(whole).digest("hex")],
    );
  },
);

covers(
  ["service-stop", "environment-system"],
  "stop while the root filesystem is built: a session waits for it, no process and no mount is left, and the session goes on once there is one",
  async (t) => {
    const start = servicesOf(t);
    const berth = await start({ settings: { BERTH_ROOTFS: "debian" } });
    const api = await berth.client();
    const session = await makeSession(api);
    const command = bash("grep -o 'VERSION_CODENAME=.*' /etc/os-release");
    await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(command)] });
    const isProgress = ({ type }: AnyJson) => type === "session.environment_progress";
    const waiting = (await readEventsUntil(api, session.id, isProgress)).find(isProgress);
    assert.deepEqual([waiting?.phase, waiting?.seconds], ["system", null]);
    await waitUntil(
      () => globSync(join(berth.dataDir, "rootfs/*.making/tree/etc")).length > 0,
      () => `no build begins: ${berth.log.slice(-1_000)}`,
    );
    assert.equal(await stop(berth), 0);
    await waitForNothing(berth.dataDir, "SIGTERM");
    const built = globSync(join(berth.dataDir, "rootfs/*")).filter((path) => !/\.(making|lock)$/.test(path));
    assert.deepEqual(built, []);

    const again = await start({ dataDir: berth.dataDir, settings: SYSTEM.settings });
    const later = new Api(again.url, api.token);
    await readEventsUntil(later, session.id, ({ type }) => type === "session.status_idle");
    const [seen] = toolResults(await runTurn(later, session.id, command));
    assert.match(seen ?? "", /^VERSION_CODENAME=trixie/);
  },
  SYSTEM.skip,
);

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  covers(
    ["service-stop"],
    `${signal} while a layer is built: nothing of it is left or used, and another session gets one`,
    async (t) => {
      const start = servicesOf(t);
      const dataDir = await mkdtemp(join(tmpdir(), "berth-test-"));
      const { settings } = SYSTEM;
      const berth = await start({ dataDir, settings });
      const api = await berth.client();
      const fields = (setup_script: string) => ({ config: { type: "cloud", setup_script } });
      const environment = await makeEnvironment(api, fields(`echo begun >/opt/it; ${HANGS}`));
      const session = await makeSession(api, { environment_id: environment.id });
      await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(bash("cat /opt/it"))] });
      await waitUntil(
        () => commands().includes(HANGS),
        () => `no more layers are built: ${berth.log.slice(-1_000)}`,
      );
      assert.equal(await stop(berth, signal), signal === "SIGTERM" ? 0 : null);
      await waitForNothing(dataDir, signal);

      const again = await start({ dataDir, settings });
      const later = new Api(again.url, api.token);
      await later.ok("POST", `/environments/${environment.id}`, fields("echo built >/opt/it"));
      const other = await makeSession(later, { environment_id: environment.id });
      assert.match(toolResults(await runTurn(later, other.id, bash("cat /opt/it")))[0] ?? "", /^built/);
      await waitUntil(
        () => globSync(join(dataDir, "layers/*.making")).length < 2,
        () => "the layer that was cut off is left",
      );
    },
    SYSTEM.skip,
  );
}

covers(
  ["service-stop"],
  "stop while a repository's snapshot is built: nothing of it is left or used, and the next session has one built",
  async (t) => {
    const start = servicesOf(t);
    const host = await startGitHost();
    t.after(() => host.stop());
    await host.createRepository({ org: "acme", name: "it", private: false, files: { "a.txt": "a\n" } });
    const url = `${host.url}/acme/it`;
    const settings = providerSettings(host);
    const berth = await start({ settings });
    const api = await berth.client();
    const cat = async (client: Api) => {
      const session = await makeSession(client, {
        resources: [{ type: "git_repository", url, mount_path: "/data/it" }],
      });
      return toolResults(await runTurn(client, session.id, bash("cat /data/it/a.txt")))[0]?.trim();
    };
    assert.equal(await cat(api), "a");
    const built = () => globSync(join(berth.dataDir, "repositories/snapshots/*"));
    await waitUntil(
      () => built().length > 0,
      () => "no snapshot is built",
    );
    assert.equal(await stop(berth), 0);
    assert.equal(countSnapshotsBuilt(berth, url), 0, "it was stopped before it was complete");
    assert.deepEqual(built(), []);
    await waitForNothing(berth.dataDir, "SIGTERM");

    const again = await start({ dataDir: berth.dataDir, settings });
    assert.equal(await cat(new Api(again.url, api.token)), "a");
    await waitForSnapshots(again, url, 1);
  },
);

covers(
  ["service-stop"],
  "stop while a repository is set up: nothing of it is left or used, and the next session has it set up",
  async (t) => {
    const start = servicesOf(t);
    const host = await startGitHost();
    t.after(() => host.stop());
    await host.createRepository({ org: "acme", name: "it", private: false, files: { "a.txt": "a\n" } });
    const settings = providerSettings(host);
    const berth = await start({ settings });
    const api = await berth.client();
    const config = (repository_setup_script: string) => ({
      config: { type: "cloud", repository_setup_script },
    });
    const environment = await makeEnvironment(api, config(`echo cut >made; ${HANGS}`));
    const resource = { type: "git_repository", url: `${host.url}/acme/it`, mount_path: "/data/it" };
    const fields = { environment_id: environment.id, resources: [resource] };
    const cut = await makeSession(api, fields);
    await api.ok("POST", `/sessions/${cut.id}/events`, { events: [steps(bash("cat /data/it/made"))] });
    const named = (name: string) => globSync(join(berth.dataDir, "repositories/snapshots/*", name));
    await waitUntil(
      () => named("disk*").length > 0 && commands().includes(HANGS),
      () => `nothing is set up: ${berth.log.slice(-1_000)}`,
    );
    assert.equal(await stop(berth), 0);
    assert.equal(named("").length, 1, "the plain snapshot");
    await waitForNothing(berth.dataDir, "SIGTERM");

    const again = await start({ dataDir: berth.dataDir, settings });
    const later = new Api(again.url, api.token);
    await later.ok("POST", `/environments/${environment.id}`, config("echo whole >made"));
    const other = await makeSession(later, fields);
    const events = await runTurn(later, other.id, bash("cat /data/it/made; stat -f -c %T /data/it"));
    assert.match(toolResults(events)[0] ?? "", /^whole\noverlayfs/);
    assert.equal(named("changes").length, 1);
  },
);

/**
 * Waits until no process of the service or its sandboxes is left, except the database of a killed service.
 * Asserts that no mount is left.
 */
async function waitForNothing(dataDir: string, signal: NodeJS.Signals): Promise<void> {
  const left = () =>
    commands()
      .filter((command) => command.includes(dataDir) || command === HANGS)
      .filter((command) => signal === "SIGTERM" || !command.includes("bin/postgres"));
  await waitUntil(
    () => left().length === 0,
    () => `left: ${left()}`,
  );
  assert.ok(!readFileSync("/proc/mounts", "utf8").includes(dataDir));
}

/** Returns the command lines of all processes. */
function commands(): string[] {
  return globSync("/proc/[0-9]*/cmdline").map((path) => readOrEmpty(path).replaceAll("\0", " ").trim());
}

async function stop(berth: Berth, signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
  const hang = setTimeout(() => berth.kill("SIGKILL"), HANG_MS);
  return await berth.kill(signal).finally(() => clearTimeout(hang));
}
