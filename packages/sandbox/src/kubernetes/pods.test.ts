// Subject: pods of several engines in one namespace, as when several runners share it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  type Cluster as ApiCluster,
  KubeConfig,
  loadYaml,
  RbacAuthorizationV1Api,
  type V1PolicyRule,
} from "@kubernetes/client-node";
import { findKit, missingForCluster } from "../../../../tests/kubernetes/harness/find-kit.ts";
import { ok } from "../../test-support/conformance/context.ts";
import { clientOf, MIB, PodEngines } from "../../test-support/pod-engines.ts";
import { DEFAULT_IDENTITY } from "../inside/git-config.ts";
import { RuntimeClassError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { KubernetesOptions } from "./kubernetes-engine.ts";
import type { PodSnapshots } from "./pod-snapshots.ts";
import { probeSnapshots } from "./probe-snapshots.ts";

const skip = missingForCluster() ?? false;
const NO_GIT = { identity: DEFAULT_IDENTITY, author: null, coAuthors: [], signingKey: null, httpsHosts: [] };
/** Whether the node's processes are invisible from this host. */
const isElsewhere = findKit()?.kind === "cluster";

let pods: PodEngines;

before(async () => {
  if (skip === false) pods = await PodEngines.start(130_000);
});
after(() => pods?.close());

async function epochs(id: string): Promise<string[]> {
  return (await pods.api.pods(`berth.sandbox=${id}`)).map(
    ({ metadata }) => metadata?.labels?.["berth.epoch"] ?? "none",
  );
}

/** Returns the annotation that the cluster autoscaler reads, of each pod of the sandbox. */
async function mayBeEvicted(id: string): Promise<(string | undefined)[]> {
  return (await pods.api.pods(`berth.sandbox=${id}`)).map(
    ({ metadata }) => metadata?.annotations?.["cluster-autoscaler.kubernetes.io/safe-to-evict"],
  );
}

/** Returns the uids of the sandbox's pods that are not being deleted. */
async function uids(id: string): Promise<string[]> {
  return (await pods.api.pods(`berth.sandbox=${id}`))
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata?.uid ?? "");
}

test("a later lease goes on in the pod of an earlier one, where nothing runs any more, and the former one can do nothing", {
  skip,
}, async () => {
  const log: object[] = [];
  const [first, second] = [await pods.runner({ log: (line) => log.push(line) }), await pods.runner()];
  const one = pods.spec();
  const former = await first.open({ ...one, epoch: 1 });
  const pod = await uids(one.id);
  await ok(former, "echo kept >/data/kept; echo kept >/dev/shm/kept");
  await former.run({ script: "sleep 601 & (setsid sleep 602 &)", shell: "main", timeoutMs: 60_000 });
  const begun = Promise.withResolvers<void>();
  const running = former.run({
    script: "trap '' TERM HUP; (trap '' TERM; echo begun; sleep 603; touch /data/later)",
    timeoutMs: 60_000,
    onOutput: () => begun.resolve(),
  });
  await begun.promise;
  const later = await second.open({ ...one, epoch: 2 });
  assert.equal((await running).ended, "closed");
  await former.closed;
  assert.deepEqual(log, [
    { msg: "a sandbox ends with the pipes of its pod", sandbox: one.id, error: "it exited with 137" },
  ]);
  assert.equal(
    await ok(later, "cat /data/kept /dev/shm/kept; pgrep -c sleep || true; ls /data"),
    "kept\nkept\n0\nkept",
  );
  await assert.rejects(first.open({ ...one, epoch: 1 }), /a later lease has a sandbox of this session/);
  await first.sweep(undefined, async () => []);
  await first.close();
  assert.deepEqual([await uids(one.id), await epochs(one.id)], [pod, ["2"]]);
  assert.equal(await ok(later, "echo alive"), "alive");
  await later.close();
  assert.deepEqual(await epochs(one.id), []);
});

test("a sandbox that is left has its pod until another goes on in it; one that was closed has none", {
  skip,
}, async () => {
  const [first, second] = [await pods.runner(), await pods.runner()];
  const one = pods.spec();
  const former = await first.open({ ...one, epoch: 1 });
  const pod = await uids(one.id);
  await former.run({ script: "sleep 604 &", shell: "main", timeoutMs: 60_000 });
  await former.leave?.();
  await first.close();
  assert.deepEqual([await uids(one.id), await epochs(one.id)], [pod, ["1"]]);
  const later = await second.open({ ...one, epoch: 3 });
  assert.deepEqual([await uids(one.id), await epochs(one.id)], [pod, ["3"]]);
  const [named] = [await later.run({ script: "pgrep -c sleep; pwd", shell: "main", timeoutMs: 60_000 })];
  assert.equal(Buffer.from(named.output).toString(), "0\n/data\n");
  await later.close();
});

test("of two that take a pod over, the later lease has it", { skip }, async () => {
  const [first, second, third] = [await pods.runner(), await pods.runner(), await pods.runner()];
  const one = pods.spec();
  await first.open({ ...one, epoch: 1 });
  const [lower, higher] = await Promise.allSettled([
    second.open({ ...one, epoch: 2 }),
    third.open({ ...one, epoch: 3 }),
  ]);
  assert.ok(higher.status === "fulfilled", String((higher as { reason?: unknown }).reason));
  if (lower.status === "fulfilled") await lower.value.closed;
  assert.equal(await ok(higher.value, "echo alive"), "alive");
  assert.deepEqual(await epochs(one.id), ["3"]);
  await higher.value.close();
});

test("a pod that was made with something else, or was sent something since, is replaced", {
  skip,
}, async () => {
  const source = await mkdtemp(join(pods.directory, "shown-"));
  await writeFile(join(source, "file"), "first");
  const file = join(pods.directory, "made-with");
  await writeFile(file, "first");
  const one = pods.spec({
    directories: [{ source, target: "/mnt/shown" }],
    files: [{ source: file, target: "/mnt/session/uploads/a" }],
  });
  let epoch = 0;
  const opened = async (overrides: Partial<SandboxSpec> = {}) => {
    epoch += 1;
    const sandbox = await (await pods.runner()).open({ ...one, ...overrides, epoch });
    return { sandbox, pod: await uids(one.id) };
  };
  const first = await opened();
  const limited = { limits: { ...one.limits, memoryBytes: 128 * MIB } };
  const second = await opened(limited);
  assert.notDeepEqual(second.pod, first.pod, "its limits");
  await writeFile(file, "other");
  const third = await opened(limited);
  assert.notDeepEqual(third.pod, second.pod, "a file that was sent");
  assert.equal(await ok(third.sandbox, "cat /mnt/session/uploads/a"), "other");
  await writeFile(join(source, "file"), "other");
  await third.sandbox.refreshDirectory?.("/mnt/shown");
  await writeFile(join(source, "file"), "first");
  const fourth = await opened(limited);
  assert.notDeepEqual(fourth.pod, third.pod, "what was sent since");
  assert.equal(await ok(fourth.sandbox, "cat /mnt/shown/file"), "first");
  const fifth = await opened(limited);
  assert.deepEqual(fifth.pod, fourth.pod, "nothing has changed");
  await fifth.sandbox.close();
});

test("the pool: a pod is taken with the files that its session brings, and a later lease goes on in it", {
  skip,
}, async () => {
  const [first, second] = [await pods.runner(), await pods.runner()];
  const { warm } = first;
  assert.ok(warm !== undefined);
  const [source, empty] = [
    await mkdtemp(join(pods.directory, "skill-")),
    await mkdtemp(join(pods.directory, "store-")),
  ];
  await mkdir(join(source, "more"));
  await writeFile(join(source, "more/run"), "run", { mode: 0o555 });
  const upload = join(pods.directory, "warm-upload");
  await writeFile(upload, "uploaded");
  const one = pods.spec({
    files: [{ source: upload, target: "/mnt/session/uploads/deep/a" }],
    directories: [
      { source, target: "/mnt/skills/one" },
      { source: empty, target: "/mnt/memory/read" },
    ],
    writable: ["/mnt/memory/written", "/srv/code"],
    git: { ...NO_GIT, identity: { name: "Ann", email: "ann@example.com" } },
  });
  const shape = warm.shapeOf({ ...one, hasTunnel: false });
  assert.ok(shape !== null);
  const stored = JSON.parse(
    JSON.stringify({ ...shape, limits: Object.fromEntries(Object.entries(shape.limits).reverse()) }),
  );
  assert.equal(second.warm?.keyOf(stored), warm.keyOf(shape), "for every runner, however it is stored");
  const disk = `warm_${one.uid}_${one.id}`;
  await warm.make({ name: disk, uid: one.uid }, stored);
  assert.deepEqual(await warm.untaken(), [{ disk, serves: true }]);
  const pod = await uids(disk);
  assert.deepEqual(await mayBeEvicted(disk), ["true"]);
  await second.sweep(undefined, async () => []);
  const taken = await second.open({ ...one, disk, epoch: 1 });
  assert.deepEqual([await uids(one.id), await epochs(one.id), taken.wasThere], [pod, ["1"], true]);
  assert.deepEqual(await warm.untaken(), []);
  assert.deepEqual(await mayBeEvicted(one.id), ["false"]);
  assert.equal(
    await ok(
      taken,
      `cat /mnt/session/uploads/deep/a; /bin/sh -c 'cat /mnt/skills/one/more/run; stat -c %a /mnt/skills/one/more/run'
       git config user.name; ls -A /mnt/memory/read; touch /mnt/memory/written/x /srv/code/x
       for path in /mnt/memory/x /mnt/skills/one/x /mnt/skills/x /opt/berth/git/x; do ! touch $path 2>/dev/null || echo $path; done
       echo kept >/data/kept; echo kept >/dev/shm/kept`,
    ),
    "uploadedrun555\nAnn",
  );
  await taken.leave?.();
  const later = await first.open({ ...one, disk, epoch: 2 });
  assert.deepEqual(await uids(one.id), pod);
  assert.equal(await ok(later, "cat /data/kept /dev/shm/kept; git config user.name"), "kept\nkept\nAnn");
  await later.leave?.();
  const other = await second.open({
    ...one,
    disk,
    epoch: 3,
    git: NO_GIT,
  });
  assert.notDeepEqual(await uids(one.id), pod, "what it was sent is another session's");
  assert.equal(await ok(other, "cat /data/kept; git config user.name"), "kept\nBerth agent");
  await other.close();
});

test("the pool: what does not serve is made anew on its disk, and what nobody has taken goes with its disk", {
  skip,
}, async () => {
  const engine = await pods.runner();
  const { warm, disks } = engine;
  assert.ok(warm !== undefined && disks !== undefined);
  const one = pods.spec();
  const shape = warm.shapeOf({ ...one, hasTunnel: false });
  assert.ok(shape !== null);
  const mounted = { ...one, files: [{ target: "/srv/file" }], hasTunnel: false };
  assert.equal(warm.shapeOf(mounted), null, "a file that needs a mount");
  const disk = (name: string) => ({ name: `warm_${one.uid}_${name}`, uid: one.uid });
  const [removed, unclaimed, other] = [disk("removed"), disk("unclaimed"), disk("other")];
  for (const each of [removed, unclaimed, other]) await warm.make(each, shape);
  await assert.rejects(warm.make(other, shape), /there already/);
  const namespaced = { namespace: pods.cluster.namespace };
  const { core } = pods;
  const [pod] = await pods.api.pods(`berth.sandbox=${removed.name}`);
  await core.deleteNamespacedPod({ ...namespaced, name: pod?.metadata?.name ?? "", gracePeriodSeconds: 0 });
  const made = await engine.open({ ...one, disk: removed.name, epoch: 1 });
  assert.deepEqual([await ok(made, "id -u"), made.wasThere], [String(one.uid), false]);
  const claim = (await pods.api.claims("berth.disk")).find(
    ({ metadata }) => metadata?.annotations?.["berth.disk-name"] === unclaimed.name,
  );
  await core.deleteNamespacedPersistentVolumeClaim({ ...namespaced, name: claim?.metadata?.name ?? "" });
  const again = await engine.open({ ...one, id: `${one.id}b`, disk: unclaimed.name, epoch: 1 });
  assert.equal(await ok(again, "echo works"), "works");
  const larger = { ...one.limits, memoryBytes: 128 * MIB };
  const fitted = await engine.open({ ...one, id: `${one.id}c`, disk: other.name, epoch: 1, limits: larger });
  assert.deepEqual([await ok(fitted, "echo works"), fitted.wasThere], ["works", false]);
  assert.deepEqual(await warm.untaken(), []);
  await Promise.all([made.close(), again.close(), fitted.close()]);
  const untaken = disk("untaken");
  await warm.make(untaken, shape);
  await (await disks.takeAway(untaken.name, 0))?.();
  for (const each of [removed, unclaimed, other]) await (await disks.takeAway(each.name))?.();
  assert.deepEqual(await warm.untaken(), []);
  const left = (await disks.list()).filter((name) => name.startsWith(`warm_${one.uid}_`));
  assert.deepEqual(left, []);
});

test("a pod whose process 1 does not respond is replaced; a sandbox whose process 1 is killed ends, and the log says why", {
  skip: skip || isElsewhere,
}, async () => {
  const log: object[] = [];
  const [first, second] = [await pods.runner(), await pods.runner({ log: (line) => log.push(line) })];
  const one = pods.spec();
  await ok(await first.open({ ...one, epoch: 1 }), "echo kept >/data/kept");
  const pod = await uids(one.id);
  process.kill(await processOneOf(one.uid), "SIGSTOP");
  const later = await second.open({ ...one, epoch: 2 });
  assert.notDeepEqual(await uids(one.id), pod);
  assert.equal(await ok(later, "cat /data/kept"), "kept");
  log.length = 0;
  process.kill(await processOneOf(one.uid), "SIGKILL");
  await later.closed;
  assert.deepEqual(log, [
    { msg: "a sandbox ends with the pipes of its pod", sandbox: one.id, error: "process 1 has ended" },
  ]);
});

/** Returns the host pid of process 1 of this uid's sandbox. The node must run on this host. */
async function processOneOf(uid: number): Promise<number> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    if (!(await read("cmdline")).includes("/supervisor\0")) continue;
    if (new RegExp(`^Uid:\t${uid}\t`, "m").test(await read("status"))) return Number(pid);
  }
  throw new Error("no process 1 was found");
}

test("sweep: pods whose lease is over are removed, and no others", { skip }, async () => {
  const [first, second] = [await pods.runner(), await pods.runner()];
  const [abandoned, leased, own] = [
    pods.spec({ epoch: 5 }),
    pods.spec({ epoch: 6 }),
    pods.spec({ epoch: 7 }),
  ];
  await first.open(abandoned);
  const kept = await first.open(leased);
  await second.open(own);
  const asked: string[] = [];
  await second.sweep(undefined, async (sandboxes) => {
    asked.push(...sandboxes.map(({ id, epoch }) => `${id} ${epoch}`));
    return sandboxes.filter(({ id }) => id === abandoned.id);
  });
  // A pod of an earlier test may not be gone yet.
  const ours = asked.filter((one) => [abandoned, leased, own].some(({ id }) => one.startsWith(`${id} `)));
  assert.deepEqual(ours.sort(), [`${abandoned.id} 5`, `${leased.id} 6`].sort());
  assert.equal(await ok(kept, "echo alive"), "alive");
  assert.deepEqual(await epochs(own.id), ["7"]);
  const { metadata, status } = (await pods.api.pods(`berth.sandbox=${abandoned.id}`))[0] ?? {};
  assert.ok(metadata === undefined || metadata.deletionTimestamp !== undefined, JSON.stringify(status));
});

test("sweep: a pod that another lease takes meanwhile stays", { skip }, async () => {
  const [first, second, third] = [await pods.runner(), await pods.runner(), await pods.runner()];
  const one = pods.spec();
  await (await first.open({ ...one, epoch: 1 })).leave?.();
  const pod = await uids(one.id);
  await second.sweep(undefined, async (sandboxes) => {
    await third.open({ ...one, epoch: 2 });
    return sandboxes.filter(({ id }) => id === one.id);
  });
  assert.deepEqual([await uids(one.id), await epochs(one.id)], [pod, ["2"]]);
  await third.close();
});

test("disks: one that is taken away ends the pod of an earlier lease, and not that of a later one", {
  skip,
}, async () => {
  const [first, second] = [await pods.runner(), await pods.runner()];
  const one = pods.spec();
  await (await first.open({ ...one, epoch: 4 })).leave?.();
  await assert.rejects(
    async () => await second.disks?.takeAway(one.disk, 3),
    /a later lease has a sandbox on this disk/,
  );
  assert.equal(await second.disks?.has(one.disk), true);
  await (await second.disks?.takeAway(one.disk, 5))?.();
  assert.deepEqual(await uids(one.id), []);
  assert.equal(await ok(await second.open({ ...one, epoch: 5 }), "ls /data"), "");
});

test("disks: the engine has, lists and takes them away; another of the name is new", { skip }, async () => {
  const engine = await pods.runner();
  const { disks } = engine;
  assert.ok(disks !== undefined);
  assert.match(disks.place, /^kubernetes:[0-9a-f-]{36}\/\S+$/);
  const [one, throwaway] = [pods.spec(), pods.spec({ temporaryDisk: true })];
  assert.equal(await disks.has(one.disk), false);
  const [first, other] = await Promise.all([engine.open(one), engine.open(throwaway)]);
  await ok(first, "echo old >/data/file");
  await ok(other, "echo x >/data/file");
  assert.equal(await disks.has(one.disk), true);
  assert.equal(await disks.has(throwaway.disk), false);
  assert.ok((await disks.list()).includes(one.disk));
  await Promise.all([first.close(), other.close()]);
  await (await disks.takeAway(one.disk))?.();
  assert.equal(await disks.has(one.disk), false);
  assert.equal(await ok(await engine.open(one), "ls /data"), "");
});

test("directories: what changed on the host is shown when that is asked for, and stays read-only", {
  skip,
}, async () => {
  const source = await mkdtemp(join(pods.directory, "shown-"));
  await mkdir(join(source, "sub"));
  await writeFile(join(source, "sub/old"), "old");
  await writeFile(join(source, "kept"), "kept");
  const sandbox = await (await pods.runner()).open(
    pods.spec({ directories: [{ source, target: "/mnt/shown" }] }),
  );
  assert.equal(await ok(sandbox, "cat /mnt/shown/sub/old /mnt/shown/kept"), "oldkept");
  await rm(join(source, "sub"), { recursive: true });
  await writeFile(join(source, "kept"), "changed");
  await mkdir(join(source, "more"));
  await writeFile(join(source, "more/new"), "new", { mode: 0o444 });
  await sandbox.refreshDirectory?.("/mnt/shown");
  const shown = "cd /mnt/shown; find . -type f | sort; cat kept more/new; stat -c %a more/new";
  assert.equal(await ok(sandbox, shown), "./kept\n./more/new\nchangednew444");
  await ok(sandbox, "! touch /mnt/shown/x && ! rm -f /mnt/shown/kept && [ -e /mnt/shown/kept ]");
  await rm(join(source, "more"), { recursive: true });
  await rm(join(source, "kept"));
  await sandbox.refreshDirectory?.("/mnt/shown");
  await writeFile(join(source, "again"), "again");
  await sandbox.refreshDirectory?.("/mnt/shown");
  assert.equal(await ok(sandbox, "ls /mnt/shown; cat /mnt/shown/again"), "again\nagain");
});

test("limits: a command that meets one is told which", { skip }, async () => {
  const engine = await pods.runner();
  const sandbox = await engine.open(pods.spec());
  const full = await sandbox.run({ script: "head -c 100M /dev/zero >/data/x", timeoutMs: 60_000 });
  assert.deepEqual([full.ended, full.limit], ["exit", "disk"]);
  const fat = "perl -e '$x = \"x\" x (400 << 20)'";
  const killed = await sandbox.run({ script: fat, timeoutMs: 60_000 });
  assert.deepEqual([killed.exitCode, killed.limit], [137, "memory"]);
  const many = await sandbox.run({ script: "for i in $(seq 100); do sleep 5 & done", timeoutMs: 60_000 });
  assert.match(Buffer.from(many.output).toString(), /fork/);
  assert.equal(await ok(sandbox, "echo alive"), "alive");
});

test("probe: what the account may, and that a network which forbids nothing lets pods reach others", {
  skip,
}, async () => {
  const engine = await pods.runner();
  const states = Object.fromEntries((await engine.probe()).map(({ name, state }) => [name, state]));
  assert.deepEqual(states, {
    cluster: "yes",
    rights: "yes",
    limit_pids: "degraded",
    limit_memory: "yes",
    limit_cpu: "yes",
    limit_disk: "yes",
    snapshots: "degraded",
    // The network of the cluster that tests start enforces no policy.
    network_policy: findKit()?.kind === "scripts" ? "no" : states.network_policy,
  });
  const left = (await pods.api.pods("berth.sandbox")).map(
    ({ metadata }) => metadata?.labels?.["berth.sandbox"],
  );
  assert.deepEqual(
    left.filter((id) => id?.startsWith("network_")),
    [],
  );
});

test("the rights of the guide are all that an account needs", { skip }, async () => {
  const kubeconfig = await limitedAccount();
  const engine = await pods.runner({ kubeconfig });
  const one = pods.spec({ epoch: 1 });
  const limited = (megabytes: number) => ({ limits: { ...one.limits, diskBytes: megabytes * MIB } });
  await (await engine.open({ ...one, ...limited(64) })).close();
  await (await engine.open({ ...one, ...limited(80), epoch: 2 })).leave?.();
  const sandbox = await (await pods.runner({ kubeconfig })).open({ ...one, ...limited(80), epoch: 3 });
  assert.equal(await ok(sandbox, "echo works"), "works");
  await engine.sweep(undefined, async () => []);
  await sandbox.close();
  assert.ok((await engine.disks?.list())?.includes(one.disk));
  await (await engine.disks?.takeAway(one.disk))?.();
  const { rights } = Object.fromEntries((await engine.probe()).map(({ name, state }) => [name, state]));
  assert.equal(rights, "yes");
});

/**
 * Returns the path of a kubeconfig whose account has exactly the rights in the guide, with those for
 * snapshots only if asked.
 */
async function limitedAccount(label = "all", withSnapshots = false): Promise<string> {
  const config = clientOf(pods.cluster);
  const { namespace } = pods.cluster;
  const { core } = pods;
  const rbac = config.makeApiClient(RbacAuthorizationV1Api);
  const guide = await readFile(
    new URL("../../../../docs/guides/sandbox-engines.md", import.meta.url),
    "utf8",
  );
  const { rules } = loadYaml<{ rules: V1PolicyRule[] }>(
    /^```yaml\n(rules:.*?)^```$/ms.exec(guide)?.[1] ?? "",
  );
  const snapshots = loadYaml<V1PolicyRule[]>(/^- \{apiGroups: \[snapshot.*$/m.exec(guide)?.[0] ?? "");
  if (withSnapshots) rules.push(...snapshots);
  const name = `berth-test-${process.pid}-${label}`;
  const metadata = { name };
  await core.createNamespacedServiceAccount({ namespace, body: { metadata } });
  await rbac.createNamespacedRole({ namespace, body: { metadata, rules } });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  await rbac.createNamespacedRoleBinding({ namespace, body: { metadata, roleRef, subjects } });
  const body = { spec: { audiences: [] } };
  const { status } = await core.createNamespacedServiceAccountToken({ name, namespace, body });
  const limited = new KubeConfig();
  limited.loadFromClusterAndUser(config.getCurrentCluster() as ApiCluster, {
    name,
    token: status?.token ?? "",
  });
  const path = join(pods.directory, `kubeconfig-${label}`);
  await writeFile(path, limited.exportConfig(), { mode: 0o600 });
  return path;
}

test("a disk of a snapshot: its files are the agent's, as they were, in its first pod, for whoever goes on in that, and in the next one", {
  skip: skip || (isElsewhere ? "it needs a class of snapshots" : false),
}, async () => {
  const [first, second] = [
    await pods.runner({ snapshotClass: pods.cluster.snapshotClass }),
    await pods.runner({ snapshotClass: pods.cluster.snapshotClass }),
  ];
  const snapshots = first.disks?.snapshots;
  assert.ok(snapshots);
  const one = pods.spec();
  const source = await first.open(one);
  await ok(
    source,
    "cd /data; mkdir -m 700 own; echo a >own/plain; echo b >program; chmod 755 program; ln -s /etc/passwd link; sync -f .",
  );
  const id = randomUUID();
  await snapshots.take(one.disk, id, "test", new AbortController().signal);
  await ok(source, "echo later >/data/later");
  const found = await snapshots.find(id);
  assert.ok(found?.isReady && found.bytes === 64 * MIB, JSON.stringify(found));

  const two = pods.spec();
  const made = await first.open({ ...two, epoch: 1, diskSource: id });
  const list = "cd /data; find . -printf '%p %M %u %g\\n' | sort; find . -perm /6000";
  const files = [
    ". drwx------ agent agent",
    "./link lrwxrwxrwx agent agent",
    "./own drwx------ agent agent",
    "./own/plain -rw-r--r-- agent agent",
    "./program -rwxr-xr-x agent agent",
  ];
  assert.deepEqual((await ok(made, list)).trim().split("\n"), files);
  const pod = await uids(two.id);
  const adopted = await second.open({ ...two, epoch: 2 });
  assert.deepEqual(await uids(two.id), pod, "another goes on in its first pod");
  assert.deepEqual((await ok(adopted, list)).trim().split("\n"), files);
  await adopted.close();
  const next = await second.open({ ...two, epoch: 3 });
  await ok(next, "echo more >/data/own/plain; mkdir /data/new; mkdir /home/agent/new");
  assert.equal((await ok(next, "find /data /home/agent -perm /6000")).trim(), "");
  await Promise.all([next.close(), source.close()]);

  assert.deepEqual(
    (await snapshots.list("test")).map((one) => one.id),
    [id],
  );
  await snapshots.remove(id);
  assert.deepEqual(await snapshots.list("test"), []);
  assert.equal(await snapshots.find(id), null);
});

test("what is missing for snapshots of volumes is told", {
  skip: skip || (isElsewhere ? "it needs a class of snapshots" : false),
}, async () => {
  const told = async (options: Partial<KubernetesOptions>) =>
    (await probeSnapshots((await pods.runner(options)).disks?.snapshots as PodSnapshots | undefined)).detail;
  assert.equal(await told({}), "No class of volume snapshots is set: every session clones.");
  assert.equal(
    await told({ snapshotClass: pods.cluster.snapshotClass }),
    "Disks are made of snapshots of volumes with an organization's repositories.",
  );
  assert.equal(
    await told({ snapshotClass: "berth-missing" }),
    'The cluster does not have the volume snapshot class "berth-missing". Every session clones.',
  );
  const [without, limited] = await Promise.all([limitedAccount("without"), limitedAccount("with", true)]);
  assert.equal(
    await told({ kubeconfig: without, snapshotClass: pods.cluster.snapshotClass }),
    "The account may not create, get, list, delete volumesnapshots of snapshot.storage.k8s.io in the namespace: its Role lacks that. Every session clones.",
  );
  const possible = await told({ kubeconfig: limited, snapshotClass: pods.cluster.snapshotClass });
  assert.match(possible, /^Disks are made/, "with the right of the guide");
});

test("an image that is missing is told", { skip }, async () => {
  const engine = await pods.runner();
  await assert.rejects(engine.open(pods.spec({ image: "localhost/missing:1" })), {
    name: "SandboxError",
    message: 'The image "localhost/missing:1" cannot be run.',
  });
});

test("a runtime class: one that is not allowed, or that the cluster lacks, is told", { skip }, async () => {
  const engine = await pods.runner({ runtimeClasses: ["berth-missing"] });
  const refused = (runtimeClass: string, message: string) =>
    assert.rejects(engine.open(pods.spec({ runtimeClass })), (error) => {
      assert.ok(error instanceof RuntimeClassError);
      assert.equal(error.message, message);
      return true;
    });
  await refused("other", 'The runtime class "other" is not allowed on this installation.');
  const lacked = 'The cluster does not have the runtime class "berth-missing".';
  await refused("berth-missing", lacked);
  const told = (await engine.probe()).find(({ name }) => name === "runtime_classes");
  assert.deepEqual(told, { name: "runtime_classes", state: "no", detail: lacked });
});
