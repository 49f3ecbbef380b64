// Tests sessions in pods whose disks come from volume snapshots with their repositories, through the whole
// service.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { CustomObjectsApi, KubeConfig, type V1PersistentVolumeClaim } from "@kubernetes/client-node";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { notTodays } from "../effort/effort.ts";
import type { GitHost } from "../git-host/git-host.ts";
import { startGitHostOnDefaultPort } from "../git-host/github-host.ts";
import { findKit, missingForCluster } from "./harness/find-kit.ts";
import { GATEWAY_SETTINGS, Gateways } from "./harness/gateways.ts";
import { makeEgressImage } from "./harness/make-egress-image.ts";
import { PodService, printLogOfFailures } from "./harness/pod-service.ts";
import { SNAPSHOT_API } from "./harness/snapshot-definitions.ts";
import { startTestCluster, type TestCluster } from "./harness/test-cluster.ts";

const KIT = findKit();
const SKIP =
  missingForCluster() ??
  (KIT?.kind === "cluster" ? "it plays the storage driver of a cluster of its own" : false);
/** Text in a file of the repository, so that a disk can be searched for it. */
const CANARY = "canary of the repository";
/** The author by the clone's token. */
const AUTHOR = "robot (test) <4242+robot@users.noreply.git.localhost";

let cluster: TestCluster;
let objects: CustomObjectsApi;
let service: PodService;
let runner: Berth;
let api: Api;
let host: GitHost;
let repositories: string;
let token: string;
/** Called for each request of git in a pod, before the host responds. */
let onGit: (response: ServerResponse) => boolean = () => false;
const CLEANUP: (() => unknown)[] = [];

printLogOfFailures(() => service);
before(async () => {
  if (SKIP !== false || KIT?.kind !== "scripts") return;
  const directory = mkdtempSync(join(tmpdir(), "berth-volumes-"));
  CLEANUP.push(() => rmSync(directory, { recursive: true, force: true }));
  const image = makeEgressImage(join(directory, "image"), KIT.directory);
  repositories = join(directory, "git/repositories");
  const intercept = ({ headers }: IncomingMessage, response: ServerResponse) =>
    /^git\/(?!2 \(berth)/.test(headers["user-agent"] ?? "") && onGit(response);
  host = await startGitHostOnDefaultPort({ dir: join(directory, "git"), intercept });
  CLEANUP.push(() => host.stop());
  [cluster] = await Promise.all([startTestCluster(), image]);
  CLEANUP.push(() => cluster.close());
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  objects = config.makeApiClient(CustomObjectsApi);
  service = await PodService.prepare(cluster);
  CLEANUP.push(() => service.close());
  const gateways = await Gateways.open(service, cluster, image, CLEANUP);
  service.set({
    ...GATEWAY_SETTINGS,
    kubernetes_snapshot_class: cluster.snapshotClass,
    hosted_providers: [{ host: host.host, token_env: ["GH_TOKEN"], ca_file: host.caFile }],
    egress_allow_private: host.host,
  });
  api = await service.startApi();
  await gateways.startNext();
  runner = await service.start("runner");
  token = host.createToken({ user: "robot", permissions: "write" });
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

interface Wanted {
  token?: string | null;
  as?: Api;
  environment?: AnyJson;
}

/** Creates a session with a repository. */
async function open(name: string, { token: given = token, as = api, environment = {} }: Wanted = {}) {
  const [agent, { id: environment_id }] = await Promise.all([
    makeAgent(as),
    makeEnvironment(as, { credentials: "proxy", ...environment }),
  ]);
  const resource = {
    type: "hosted_repository",
    url: `${host.url}/acme/${name}`,
    mount_path: "/data/repo",
    ...(given === null ? {} : { authorization_token: given }),
  };
  return await as.ok("POST", "/sessions", { agent: agent.id, environment_id, resources: [resource] });
}

async function inRepository({ id }: AnyJson, commands: string[], as = api): Promise<string[]> {
  const calls = commands.map((command) => bash(`(cd /data/repo && ${command})`));
  return toolResults(await runTurn(as, id, ...calls)).map((text) => text.trim());
}

async function createRepository(name: string): Promise<void> {
  const files = { "README.md": "# First\n", "src/canary.txt": `${CANARY}\n` };
  await host.createRepository({ org: "acme", name, private: true, files });
}

/** Makes a commit on the host. */
function commit(name: string): void {
  const git = "git -c user.name=H -c user.email=h@example.com";
  const script = `tree=$({ git ls-tree main; printf '100755 blob %s\\tnew\\n' $(echo new | git hash-object -w --stdin); } | git mktree)
    git update-ref refs/heads/main $(${git} commit-tree -m Second -p main $tree)`;
  execFileSync("sh", ["-euc", script], { cwd: join(repositories, `acme/${name}.git`) });
}

interface SnapshotObject {
  metadata: { name: string; uid: string };
  status?: { readyToUse?: boolean };
}

function snapshotPlace() {
  return { ...SNAPSHOT_API, namespace: cluster.namespace, plural: "volumesnapshots" };
}

async function snapshots(): Promise<SnapshotObject[]> {
  return (await objects.listNamespacedCustomObject(snapshotPlace())).items;
}

async function remove({ metadata: { name } }: SnapshotObject): Promise<void> {
  await objects.deleteNamespacedCustomObject({ ...snapshotPlace(), name });
}

/** Returns the only snapshot that was taken during the work. */
async function takenBy(work: () => Promise<unknown>): Promise<SnapshotObject> {
  const former = (await snapshots()).map(({ metadata }) => metadata.uid);
  await work();
  const [taken, ...others] = (await snapshots()).filter(({ metadata }) => !former.includes(metadata.uid));
  assert.deepEqual(others, []);
  assert.ok(taken, "a snapshot was taken");
  return taken;
}

async function claimsOf({ id }: AnyJson): Promise<V1PersistentVolumeClaim[]> {
  const { namespace } = cluster;
  const { items } = await service.core.listNamespacedPersistentVolumeClaim({
    namespace,
    labelSelector: "berth.disk",
  });
  return items.filter(({ metadata }) => metadata?.annotations?.["berth.disk-name"] === id);
}

async function claimOf(session: AnyJson): Promise<V1PersistentVolumeClaim> {
  const [claim, ...others] = await claimsOf(session);
  assert.deepEqual(others, []);
  assert.ok(claim, "the session has a disk");
  return claim;
}

/** Returns the snapshot that a session's disk was created from; undefined if the disk was empty. */
async function sourceOf(session: AnyJson): Promise<string | undefined> {
  return (await claimOf(session)).spec?.dataSource?.name;
}

/** Returns the files of a volume, as its driver sees them. */
function filesOn(claim: V1PersistentVolumeClaim): string[] {
  return onVolume(claim, "find", ".", "-type", "f");
}

function filesWith(claim: V1PersistentVolumeClaim, text: string): string[] {
  return onVolume(claim, "grep", "-rlF", "-e", text, ".");
}

/** Returns the lines that a command prints on the volume. */
function onVolume({ spec }: V1PersistentVolumeClaim, ...command: string[]): string[] {
  const node = dirname(cluster.kubeconfig);
  const pid = readFileSync(join(node, "containerd.pid"), "utf8").trim();
  const cwd = `/proc/${pid}/root${node}/volumes/${spec?.volumeName ?? "none"}`;
  assert.ok(existsSync(`${cwd}/data`), "the volume is mounted");
  const { stdout } = spawnSync(command[0] ?? "", command.slice(1), { cwd, encoding: "utf8" });
  return stdout.split("\n").filter(Boolean);
}

async function counted(event: string): Promise<number> {
  const metrics = await (await fetch(`${runner.url}/metrics`)).text();
  const sample = new RegExp(`^berth_repository_snapshots_total\\{event="${event}"\\} (\\d+)$`, "m");
  return Number(sample.exec(metrics)?.[1] ?? 0);
}

async function errorOf(session: AnyJson, as = api): Promise<AnyJson> {
  const events = await readEventsUntil(as, session.id, ({ type }) =>
    /^session\.(resource_ready|error)$/.test(type),
  );
  const { error } = events.at(-1);
  return { type: error?.type, message: error?.message };
}

covers(
  ["kubernetes-snapshots"],
  "the second session of an organization begins on a disk that is made of a snapshot, with the newest commit and nothing of the first one",
  async () => {
    await createRepository("widget");
    const first = await open("widget");
    const snapshot = await takenBy(() =>
      inRepository(first, [
        "echo secret of the first >own; git config own.secret yes; echo secret of the first >../own",
      ]),
    );
    assert.equal(await sourceOf(first), undefined);
    assert.equal(snapshot.status?.readyToUse, true);
    commit("widget");
    const colleague = await service.client("colleague@example.com");
    const second = await open("widget", { as: colleague });
    const texts = await inRepository(
      second,
      [
        "git log --format=%s; git status --porcelain --branch; git fsck --strict; cat new",
        `ls -A . .. | grep own; git config own.secret; find /data /home/agent /tmp /var/tmp -perm /6000 ! -path /tmp -print; find /data ! -user agent`,
        "cut -d' ' -f3- .git/logs/HEAD | cut -d'>' -f1; stat -c '%A %n' new README.md .git",
        "echo more >>README.md && git commit -qam More && git push -q origin HEAD:more && git rev-parse HEAD",
      ],
      colleague,
    );
    assert.equal(await sourceOf(second), snapshot.metadata.name);
    assert.equal(texts[0], "Second\nFirst commit\n## main...origin/main\nnew");
    assert.equal(texts[1], "(no output)");
    assert.equal(texts[2], `${AUTHOR}\n-rwxr-xr-x new\n-rw-r--r-- README.md\ndrwxr-xr-x .git`);
    assert.equal(texts[3], await host.head("acme", "widget", "more"));
    const volume = await claimOf(second);
    assert.deepEqual(filesWith(volume, CANARY), ["./data/repo/src/canary.txt"]);
    assert.deepEqual(filesWith(volume, "secret of the first"), []);
    assert.deepEqual([await counted("cloned"), await counted("built"), await counted("updated")], [1, 1, 1]);
    const other = await service.client("eve@other.example", "other");
    const elsewhere = await open("widget", { as: other });
    await inRepository(elsewhere, ["true"], other);
    assert.equal(await sourceOf(elsewhere), undefined, "another organization has none");
    await service.parked();
    await remove(snapshot);
    const [again] = await inRepository(second, ["git log -1 --format=%s"], colleague);
    assert.equal(again, "More");
  },
  SKIP,
);

covers(
  ["kubernetes-snapshot-access"],
  "no read access: the error of a clone and nothing on the disk, also when access ends while the disk is made of a snapshot, and when the runner is killed then",
  async () => {
    await createRepository("guarded");
    const colleague = await service.client("colleague@example.com");
    const refused = await errorOf(await open("guarded", { token: "wrong-token" }));
    assert.equal(refused.type, "repository_authentication_error");
    await inRepository(await open("guarded"), ["true"]);
    const without = await open("guarded", { token: "wrong-token", as: colleague });
    assert.deepEqual(await errorOf(without, colleague), refused);
    assert.deepEqual([await sourceOf(without), filesOn(await claimOf(without))], [undefined, []]);

    const losing = host.createToken({ user: "losing", permissions: "read" });
    onGit = () => {
      host.revokeToken(losing);
      return false;
    };
    const revoked = await open("guarded", { token: losing, as: colleague });
    assert.deepEqual(await errorOf(revoked, colleague), refused);
    assert.match((await sourceOf(revoked)) ?? "", /^berth-/);
    assert.deepEqual(filesOn(await claimOf(revoked)), []);

    const lost = host.createToken({ user: "lost", permissions: "read" });
    const asked = Promise.withResolvers<void>();
    onGit = () => {
      asked.resolve();
      return true;
    };
    const begun = await open("guarded", { token: lost, as: colleague });
    await asked.promise;
    const former = await claimOf(begun);
    assert.ok(filesOn(former).length > 0, "its files were on the disk");
    await runner.kill("SIGKILL");
    onGit = () => false;
    host.revokeToken(lost);
    runner = await service.start("runner");
    assert.deepEqual(await errorOf(begun, colleague), refused);
    const now = await claimOf(begun);
    assert.notEqual(now.metadata?.uid, former.metadata?.uid);
    assert.deepEqual([await sourceOf(begun), filesOn(now)], [undefined, []]);
  },
  SKIP || notTodays("pods", 0, 2),
);

covers(
  ["kubernetes-snapshot-lost"],
  "a snapshot that is deleted, or of which the cluster makes no volume: sessions clone, without an error, and no volume is left over",
  async () => {
    await createRepository("lost");
    await remove(await takenBy(async () => inRepository(await open("lost"), ["true"])));
    const taken = await takenBy(async () => {
      const second = await open("lost");
      assert.deepEqual(await inRepository(second, ["git status --porcelain"]), ["(no output)"]);
      assert.equal(await sourceOf(second), undefined);
    });
    rmSync(join(dirname(cluster.kubeconfig), `volumes/snapshot-${taken.metadata.uid}.img`));
    const third = await open("lost");
    assert.deepEqual(await inRepository(third, ["git status --porcelain"]), ["(no output)"]);
    assert.equal(await sourceOf(third), undefined);
    const { data } = await api.ok("GET", `/sessions/${third.id}/events?limit=100`);
    assert.deepEqual(
      data.filter(({ type }: AnyJson) => type === "session.error"),
      [],
    );
    await runner.logged(/a disk could not be created from a volume snapshot, so the session clones/);
  },
  SKIP || notTodays("pods", 1, 2),
);
