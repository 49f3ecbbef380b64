// Tests sessions whose pods are on two nodes, which both have their volumes: one node is drained, and one is
// lost.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import type { Api } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { notTodays } from "../effort/effort.ts";
import { powerOffSecondNode } from "./harness/cluster-parts.ts";
import { findKit, missingForCluster } from "./harness/find-kit.ts";
import { InterruptedTurn } from "./harness/interrupted-turn.ts";
import { PodService, printLogOfFailures } from "./harness/pod-service.ts";
import { SECOND_NODE } from "./harness/second-node.ts";
import { startTestCluster } from "./harness/test-cluster.ts";

const SKIP =
  missingForCluster() ??
  (findKit()?.kind === "cluster" ? "it drains and loses nodes of its own" : notTodays("pods", 1, 3));
const FIRST_NODE = "node1";
const NAMESPACE = "default";

let cluster: string;
let service: PodService;
let api: Api;
let runner: Berth;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

printLogOfFailures(() => service);
before(async () => {
  if (SKIP !== false) return;
  const started = await startTestCluster("nodes");
  CLEANUP.push(() => started.close());
  cluster = dirname(started.kubeconfig);
  service = await PodService.prepare(started);
  CLEANUP.push(() => service.close());
  service.set({ sandbox_idle_seconds: 600, kubernetes_warm_pods: 1 });
  api = await service.startApi();
  runner = await service.start("runner");
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

async function cordon(name: string, isCordoned: boolean): Promise<void> {
  const body = [{ op: "add", path: "/spec/unschedulable", value: isCordoned }];
  await service.core.patchNode({ name, body });
}

/** Drains a node like `kubectl drain`. */
async function drain(node: string): Promise<void> {
  await cordon(node, true);
  for (const { metadata, spec } of [...(await service.pods()), ...(await service.warmPods())]) {
    const name = metadata?.name ?? "";
    const body = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name, namespace: NAMESPACE } };
    if (spec?.nodeName === node)
      await service.core.createNamespacedPodEviction({ name, namespace: NAMESPACE, body });
  }
}

/** Resolves once a warm pod of a node is ready. */
async function warmPodOn(node: string): Promise<void> {
  await waitUntil(
    async () => {
      const metrics = await (await fetch(`${runner.url}/metrics`)).text();
      const nodes = (await service.warmPods()).map(({ spec }) => spec?.nodeName);
      return /^berth_warm_sandboxes\S* 1$/m.test(metrics) && nodes.length === 1 && nodes[0] === node;
    },
    () => "no warm pod is ready",
  );
}

async function nodeOf(session: string): Promise<string | undefined> {
  return (await service.pods(session))[0]?.spec?.nodeName;
}

covers(
  ["kubernetes-drain"],
  "a node is drained: the running call is told to be cut off once, idle sessions are parked, and all go on elsewhere with their disks",
  async () => {
    await cordon(SECOND_NODE, true);
    const { id } = await makeSession(api);
    await runTurn(api, id, bash("echo kept >/data/kept"));
    const running = await InterruptedTurn.start(api, [cluster]);
    assert.deepEqual([await nodeOf(id), await nodeOf(running.session)], [FIRST_NODE, FIRST_NODE]);
    await cordon(SECOND_NODE, false);

    await drain(FIRST_NODE);
    await running.ended();
    assert.equal(await nodeOf(running.session), SECOND_NODE);
    assert.ok(!running.runs(cluster), "the command that was cut off has ended");
    await service.parked(id);
    assert.deepEqual(toolResults(await runTurn(api, id, bash("cat /data/kept"))), ["kept"]);
    assert.equal(await nodeOf(id), SECOND_NODE);
    assert.equal(await service.lostDisks(id), 0);
    await cordon(FIRST_NODE, false);
  },
  SKIP,
);

covers(
  ["kubernetes-node-lost"],
  "a node loses its power, and is deleted: the running call is told to be cut off once, and its session goes on elsewhere with its disk; one that takes a warm pod there begins elsewhere",
  async () => {
    await cordon(SECOND_NODE, false);
    // An existing warm pod would be used.
    await drain(FIRST_NODE);
    const running = await InterruptedTurn.start(api, [join(cluster, SECOND_NODE)]);
    assert.equal(await nodeOf(running.session), SECOND_NODE);
    await warmPodOn(SECOND_NODE);
    await cordon(FIRST_NODE, false);

    await powerOffSecondNode(cluster);
    const { id } = await makeSession(api);
    const events = await runTurn(api, id, bash("echo works"));
    assert.deepEqual([...toolResults(events), await nodeOf(id)], ["works", FIRST_NODE]);
    const { seconds } = events.find(({ type }) => type === "session.container_started") ?? {};
    assert.ok(seconds < 60, `not once it is certain that the node is lost: ${seconds} s`);
    await service.core.deleteNode({ name: SECOND_NODE });
    await running.ended();
    assert.equal(await nodeOf(running.session), FIRST_NODE);
    for (const { id } of (await api.ok("GET", "/sessions")).data)
      await api.ok("POST", `/sessions/${id}/archive`);
    await service.parked();
  },
  SKIP,
);
