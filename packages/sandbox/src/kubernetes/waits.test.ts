// Subject: pods that wait for a node, for an image or for a quota, longer than pods usually do.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { findKit, missingForCluster } from "../../../../tests/kubernetes/harness/find-kit.ts";
import { startTestCluster, type TestCluster } from "../../../../tests/kubernetes/harness/test-cluster.ts";
import { ok } from "../../test-support/conformance/context.ts";
import { ImageError, NoRoomError, WaitOverError } from "../interface/errors.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import type { SandboxSpec, SandboxWait } from "../interface/spec.ts";
import { Cluster } from "./cluster.ts";
import { createKubernetesEngine, type KubernetesOptions } from "./kubernetes-engine.ts";

const skip = missingForCluster() ?? false;
/** The images of its node are not this test's to change. */
const skipImages =
  skip === false && findKit()?.kind === "cluster"
    ? "an image is added to the node of the kit's cluster"
    : skip;
const MIB = 1024 * 1024;
const FIRST_UID = (process.pid % 10_000) + 140_000;
const run = promisify(execFile);

let cluster: TestCluster;
let api: Cluster;
let core: CoreV1Api;
let directory: string;
const engines: SandboxEngine[] = [];

before(async () => {
  if (skip !== false) return;
  directory = await mkdtemp(join(tmpdir(), "berth-waits-"));
  cluster = await startTestCluster();
  api = await Cluster.connect(cluster.kubeconfig, cluster.namespace);
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
});
after(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  await cluster?.close();
  if (directory !== undefined) await rm(directory, { recursive: true });
});

async function runner(options: Partial<KubernetesOptions> = {}): Promise<SandboxEngine> {
  const engine = await createKubernetesEngine({
    instance: `test-${process.pid}`,
    kubeconfig: cluster.kubeconfig,
    namespace: cluster.namespace,
    defaultImage: cluster.image,
    imagePullPolicy: cluster.imagePullPolicy,
    storageClass: cluster.storageClass,
    diskBytes: 64 * MIB,
    stateDir: join(directory, "state"),
    certificates: [],
    ...options,
  });
  engines.push(engine);
  return engine;
}

let count = 0;

/** A sandbox, and what it tells of its wait. */
function waiting(overrides: Partial<SandboxSpec> = {}) {
  const id = `waits${process.pid}_${++count}`;
  const told: (SandboxWait | null)[] = [];
  const news = new EventEmitter();
  const first = Promise.withResolvers<SandboxWait>();
  const spec: SandboxSpec = {
    ...{ id, disk: id, uid: FIRST_UID + count, files: [], writable: [] },
    limits: { memoryBytes: 256 * MIB, pids: 64, cpus: 1, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    onWaiting: (wait) => {
      told.push(wait);
      news.emit("told");
      if (wait !== null) first.resolve(wait);
    },
    ...overrides,
  };
  const open = (engine: SandboxEngine) => {
    const opening = engine.open(spec);
    opening.catch(first.reject);
    return opening;
  };
  first.promise.catch(() => {});
  /** Resolves with the first reason that has these words. */
  const toldOf = async (words: RegExp) => {
    for (;;) {
      const wait = told.find((one) => one !== null && words.test(one.reason));
      if (wait) return wait;
      await once(news, "told");
    }
  };
  return { spec, told, first: first.promise, open, toldOf };
}

async function podsOf({ id }: SandboxSpec): Promise<number> {
  return (await api.pods(`berth.sandbox=${id}`)).filter(
    ({ metadata }) => metadata?.deletionTimestamp === undefined,
  ).length;
}

async function labelNode(label: string, value: string | null): Promise<void> {
  const { items } = await core.listNode();
  const name = items[0]?.metadata?.name ?? "";
  const path = `/metadata/labels/${label}`;
  const body = value === null ? [{ op: "remove", path }] : [{ op: "add", path, value }];
  await core.patchNode({ name, body });
}

const on = (label: string): Partial<KubernetesOptions> => ({
  pods: { nodeSelector: { [label]: "yes" }, tolerations: [], runtimeClass: null },
});

test("no node: the wait is told in the scheduler's words, and the sandbox opens once a node is there", {
  skip,
}, async () => {
  const engine = await runner(on("wanted"));
  const { told, first, open } = waiting();
  const opening = open(engine);
  const { for: what, reason, othersRun } = await first;
  assert.deepEqual([what, othersRun], ["place", false]);
  assert.match(reason, /^0\/\d+ nodes are available: .*node selector|affinity/);
  await labelNode("wanted", "yes");
  const sandbox = await opening;
  await labelNode("wanted", null);
  assert.equal(await ok(sandbox, "echo here"), "here");
  assert.deepEqual(told.at(-1), null);
  await sandbox.close();
});

test("no node takes so large a pod until its time is over → what the scheduler says, and no pod is left; the next attempt is a new one", {
  skip,
}, async () => {
  const podPatch = {
    spec: {
      containers: [{ name: "sandbox", resources: { requests: { cpu: "4000" }, limits: { cpu: "4000" } } }],
    },
  };
  const engine = await runner({ podPatch, times: { placeMs: 7_000, imageMs: 600_000 } });
  for (const attempt of [waiting(), waiting()]) {
    await assert.rejects(attempt.open(engine), (error: unknown) => {
      assert.ok(error instanceof WaitOverError);
      assert.match(
        error.message,
        /^No node of the cluster took the session's sandbox within 7 seconds: 0\/\d+ nodes are available: .*Insufficient cpu/,
      );
      return true;
    });
    assert.equal((await attempt.first).for, "place");
    assert.equal(await podsOf(attempt.spec), 0);
  }
});

test("the room is others': that is told, and is what it ends with", { skip }, async () => {
  const other = await (await runner()).open(waiting().spec);
  const podPatch = {
    spec: {
      containers: [
        { name: "sandbox", resources: { requests: { memory: "4000Gi" }, limits: { memory: "4000Gi" } } },
      ],
    },
  };
  const engine = await runner({ podPatch, times: { placeMs: 7_000, imageMs: 600_000 } });
  const { first, open } = waiting();
  await assert.rejects(open(engine), (error: unknown) => {
    assert.ok(error instanceof NoRoomError);
    assert.match(error.message, /^There is no room for the session's sandbox now: .*Insufficient memory/);
    return true;
  });
  assert.equal((await first).othersRun, true);
  await other.close();
});

test("nobody needs a waiting sandbox any more → it ends at once, and its pod is gone", { skip }, async () => {
  const engine = await runner(on("never"));
  const ending = new AbortController();
  const { spec, first, open } = waiting({ signal: ending.signal });
  const opening = open(engine);
  await first;
  ending.abort(new Error("not needed"));
  await assert.rejects(opening, ({ cause }: Error) => (cause as Error).message === "not needed");
  assert.equal(await podsOf(spec), 0);
});

test("an image that is not there yet: the wait is told in the kubelet's words, and the sandbox opens once it is", {
  skip: skipImages,
}, async () => {
  const image = `localhost/later-${process.pid}:1`;
  const engine = await runner({ imagePullPolicy: "IfNotPresent" });
  const { told, open, toldOf } = waiting({ image });
  const opening = open(engine);
  const wait = await Promise.race([toldOf(new RegExp(image)), opening]);
  assert.ok("for" in wait && wait.for === "image");
  const socket = join(dirname(cluster.kubeconfig), "cd.sock");
  await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "tag", cluster.image, image]);
  const sandbox = await opening;
  assert.equal(await ok(sandbox, "echo here"), "here");
  assert.deepEqual(told.at(-1), null);
  await sandbox.close();
});

test("an image that does not come until its time is over → ImageError with the kubelet's words; one whose name is none, at once", {
  skip,
}, async () => {
  const image = "localhost/never:1";
  const engine = await runner({
    imagePullPolicy: "IfNotPresent",
    times: { placeMs: 600_000, imageMs: 60_000 },
  });
  await assert.rejects(engine.open(waiting({ image }).spec), (error: unknown) => {
    assert.ok(error instanceof ImageError);
    assert.match(
      error.message,
      /^The image "localhost\/never:1" could not be pulled within 1 minute: ErrImagePull: .*localhost\/never:1/,
    );
    return true;
  });
  const { spec } = waiting({ image: "localhost/Bad//Name" });
  await assert.rejects(engine.open(spec), /The image "localhost\/Bad\/\/Name" cannot be run\./);
});

test("a quota allows no pod: the wait is told in its words, and the sandbox opens once it does", {
  skip,
}, async () => {
  const { namespace } = cluster;
  const engine = await runner();
  const quota = { metadata: { name: "none" }, spec: { hard: { pods: "0" } } };
  await core.createNamespacedResourceQuota({ namespace, body: quota });
  while ((await core.readNamespacedResourceQuota({ namespace, name: "none" })).status?.hard === undefined);
  const { first, open } = waiting();
  const opening = open(engine);
  const { for: what, reason, othersRun } = await first;
  assert.deepEqual([what, othersRun], ["place", false]);
  assert.match(reason, /exceeded quota: none/);
  await core.deleteNamespacedResourceQuota({ namespace, name: "none" });
  const sandbox = await opening;
  assert.equal(await ok(sandbox, "echo here"), "here");
  await sandbox.close();
});

test("its volume has no class: the pod waits in the scheduler's words, and another pod begins meanwhile", {
  skip,
}, async () => {
  const lost = await runner({ storageClass: "not-there", times: { placeMs: 7_000, imageMs: 600_000 } });
  const { first, open } = waiting();
  const opening = open(lost);
  const { reason } = await first;
  assert.match(reason, /PersistentVolumeClaim/i);
  const other = await (await runner()).open(waiting().spec);
  assert.equal(await ok(other, "echo here"), "here");
  await other.close();
  await assert.rejects(opening, WaitOverError);
});
