// Subject: pods that wait unusually long for a node, an image or a quota.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { findKit, missingForCluster } from "../../../../tests/kubernetes/harness/find-kit.ts";
import { ok } from "../../test-support/conformance/context.ts";
import { PodEngines } from "../../test-support/pod-engines.ts";
import { ImageError, NoRoomError, WaitOverError } from "../interface/errors.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import type { SandboxSpec, SandboxWait } from "../interface/spec.ts";
import type { KubernetesOptions } from "./kubernetes-engine.ts";

const skip = missingForCluster() ?? false;
const isElsewhere = skip === false && findKit()?.kind === "cluster";
/** Reasons to skip tests that would change the node or scheduler of a cluster that the test did not start. */
const skipImages = isElsewhere ? "an image is added to the node of the kit's cluster" : skip;
const skipFiles = isElsewhere ? "a file is put on the node of the kit's cluster" : skip;
const skipScheduler = isElsewhere ? "the scheduler of the kit's cluster is halted" : skip;
/** Milliseconds that binding a volume and starting a pod may take on a busy machine. */
const IMAGE_MS = 600_000;
const NO_NODE = /^0\/\d+ nodes are available: .*(node selector|affinity)/;
const run = promisify(execFile);

let pods: PodEngines;

before(async () => {
  if (skip === false) pods = await PodEngines.start(140_000);
});
after(() => pods?.close());

/** Returns a sandbox spec and the waits that its opening reports. */
function waiting(overrides: Partial<SandboxSpec> = {}) {
  const told: (SandboxWait | null)[] = [];
  const news = new EventEmitter();
  const first = Promise.withResolvers<SandboxWait>();
  const spec = pods.spec({
    onWaiting: (wait) => {
      told.push(wait);
      news.emit("told");
      if (wait !== null) first.resolve(wait);
    },
    ...overrides,
  });
  const open = (engine: SandboxEngine) => {
    const opening = engine.open(spec);
    opening.catch(first.reject);
    return opening;
  };
  first.promise.catch(() => {});
  /** Resolves with the first wait whose reason matches. */
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
  return (await pods.api.pods(`berth.sandbox=${id}`)).filter(
    ({ metadata }) => metadata?.deletionTimestamp === undefined,
  ).length;
}

async function labelNode(label: string, value: string | null): Promise<void> {
  const { items } = await pods.core.listNode();
  const name = items[0]?.metadata?.name ?? "";
  const path = `/metadata/labels/${label}`;
  const body = value === null ? [{ op: "remove", path }] : [{ op: "add", path, value }];
  await pods.core.patchNode({ name, body });
}

const on = (label: string): Partial<KubernetesOptions> => ({
  pods: { nodeSelector: { [label]: "yes" }, tolerations: [], runtimeClass: null },
});

test("no node: the wait is told in the scheduler's words, and the sandbox opens once a node is there", {
  skip,
}, async () => {
  const engine = await pods.runner(on("wanted"));
  const { told, toldOf, open } = waiting();
  const opening = open(engine);
  const { for: what, othersRun } = await toldOf(NO_NODE);
  assert.deepEqual([what, othersRun], ["place", false]);
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
  const engine = await pods.runner({ podPatch, times: { placeMs: 7_000, imageMs: IMAGE_MS } });
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
  const other = await (await pods.runner()).open(waiting().spec);
  const podPatch = {
    spec: {
      containers: [
        { name: "sandbox", resources: { requests: { memory: "4000Gi" }, limits: { memory: "4000Gi" } } },
      ],
    },
  };
  const engine = await pods.runner({ podPatch, times: { placeMs: 7_000, imageMs: IMAGE_MS } });
  const { first, open } = waiting();
  await assert.rejects(open(engine), (error: unknown) => {
    assert.ok(error instanceof NoRoomError);
    assert.match(error.message, /^There is no room for the session's sandbox now: .*Insufficient memory/);
    return true;
  });
  assert.equal((await first).othersRun, true);
  await other.close();
});

test("the scheduler says nothing until the time for a place is over → a moment later it does, and the error has its words", {
  skip: skipScheduler,
}, async () => {
  const engine = await pods.runner({ ...on("never"), times: { placeMs: 3_000, imageMs: IMAGE_MS } });
  const scheduler = Number(await readFile(join(dirname(pods.cluster.kubeconfig), "scheduler.pid"), "utf8"));
  const { open, toldOf } = waiting();
  process.kill(scheduler, "SIGSTOP");
  try {
    const opening = open(engine);
    opening.catch(() => {});
    await Promise.race([toldOf(/^the scheduler has not placed it yet$/), opening]);
    process.kill(scheduler, "SIGCONT");
    await assert.rejects(
      opening,
      /took the session's sandbox within 3 seconds: 0\/\d+ nodes are available: /,
    );
  } finally {
    process.kill(scheduler, "SIGCONT");
  }
});

test("nobody needs a waiting sandbox any more → it ends at once, and its pod is gone", { skip }, async () => {
  const engine = await pods.runner(on("never"));
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
  const engine = await pods.runner({ imagePullPolicy: "IfNotPresent" });
  const { told, open, toldOf } = waiting({ image });
  const opening = open(engine);
  const wait = await Promise.race([toldOf(new RegExp(image)), opening]);
  assert.ok("for" in wait && wait.for === "image");
  const socket = join(dirname(pods.cluster.kubeconfig), "cd.sock");
  await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "tag", pods.cluster.image, image]);
  const sandbox = await opening;
  assert.equal(await ok(sandbox, "echo here"), "here");
  assert.deepEqual(told.at(-1), null);
  await sandbox.close();
});

test("an image that does not come until its time is over → ImageError with the kubelet's words; one whose name is none, at once", {
  skip,
}, async () => {
  const image = "localhost/never:1";
  const engine = await pods.runner({
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

test("a container that cannot be made yet: the wait is told in the kubelet's words, and the sandbox opens once it can be", {
  skip: skipFiles,
}, async () => {
  const { namespace, kubeconfig } = pods.cluster;
  const blocked = join(dirname(kubeconfig), "blocked");
  await writeFile(blocked, "");
  const later = { metadata: { name: "later" } };
  const cases = [
    {
      container: { envFrom: [{ configMapRef: { name: "later" } }] },
      words: /^CreateContainerConfigError: configmap "later" not found/,
      mend: () => pods.core.createNamespacedConfigMap({ namespace, body: later }),
    },
    {
      container: { volumeMounts: [{ name: "node", mountPath: "/mnt/node" }] },
      volumes: [{ name: "node", hostPath: { path: join(blocked, "inside") } }],
      words: /^CreateContainerError: .*not a directory/,
      mend: () => rm(blocked),
    },
  ];
  for (const { container, volumes = [], words, mend } of cases) {
    const podPatch = { spec: { volumes, containers: [{ name: "sandbox", ...container }] } };
    const { told, open, toldOf } = waiting();
    const opening = open(await pods.runner({ podPatch }));
    const wait = await Promise.race([toldOf(words), opening]);
    assert.ok("for" in wait && wait.for === "image");
    await mend();
    const sandbox = await opening;
    assert.equal(await ok(sandbox, "echo here"), "here");
    assert.deepEqual(told.at(-1), null);
    await sandbox.close();
  }
});

test("a container that cannot be made until its time is over → what the kubelet says", { skip }, async () => {
  const podPatch = {
    spec: { containers: [{ name: "sandbox", envFrom: [{ secretRef: { name: "never" } }] }] },
  };
  const engine = await pods.runner({ podPatch, times: { placeMs: 600_000, imageMs: 30_000 } });
  const { spec, open } = waiting();
  await assert.rejects(open(engine), (error: unknown) => {
    assert.ok(error instanceof WaitOverError);
    assert.match(
      error.message,
      /^The session's sandbox could not be made on its node within 30 seconds: CreateContainerConfigError: secret "never" not found/,
    );
    return true;
  });
  assert.equal(await podsOf(spec), 0);
});

test("a quota allows no pod: the wait is told in its words, and the sandbox opens once it does", {
  skip,
}, async () => {
  const { namespace } = pods.cluster;
  const engine = await pods.runner();
  const quota = { metadata: { name: "none" }, spec: { hard: { pods: "0" } } };
  await pods.core.createNamespacedResourceQuota({ namespace, body: quota });
  while (
    (await pods.core.readNamespacedResourceQuota({ namespace, name: "none" })).status?.hard === undefined
  );
  const { first, open } = waiting();
  const opening = open(engine);
  const { for: what, reason, othersRun } = await first;
  assert.deepEqual([what, othersRun], ["place", false]);
  assert.match(reason, /exceeded quota: none/);
  await pods.core.deleteNamespacedResourceQuota({ namespace, name: "none" });
  const sandbox = await opening;
  assert.equal(await ok(sandbox, "echo here"), "here");
  await sandbox.close();
});

test("its volume has no class: the pod waits in the scheduler's words, and another pod begins meanwhile", {
  skip,
}, async () => {
  const lost = await pods.runner({ storageClass: "not-there", times: { placeMs: 7_000, imageMs: IMAGE_MS } });
  const { toldOf, open } = waiting();
  const opening = open(lost);
  opening.catch(() => {});
  await toldOf(/PersistentVolumeClaim/i);
  const other = await (await pods.runner()).open(waiting().spec);
  assert.equal(await ok(other, "echo here"), "here");
  await other.close();
  await assert.rejects(opening, WaitOverError);
});
