// Tests sessions and services whose pods find no node, or no image, for longer than usual.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import {
  bash,
  makeEnvironment,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { findKit, missingForCluster } from "./harness/find-kit.ts";
import { PodService, printLogOfFailures } from "./harness/pod-service.ts";
import { startTestCluster, type TestCluster } from "./harness/test-cluster.ts";

const SKIP = missingForCluster() ?? false;
/**
 * The reason to skip tests that change the images of the cluster's node. False if this test started the
 * cluster.
 */
const SKIP_IMAGES =
  SKIP === false && findKit()?.kind === "cluster"
    ? "an image is added to the node of the kit's cluster"
    : SKIP;
const LABEL = "berth-waits";
const NO_NODE = /0\/\d+ nodes are available: .*(selector|affinity)/;
const run = promisify(execFile);

let cluster: TestCluster;
let service: PodService;
let runner: Berth;
let api: Api;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

printLogOfFailures(() => service);
before(async () => {
  if (SKIP !== false) return;
  cluster = await startTestCluster();
  CLEANUP.push(() => cluster.close());
  service = await PodService.prepare(cluster);
  CLEANUP.push(() => service.close());
  service.set({
    kubernetes_node_selector: `${LABEL}=yes`,
    kubernetes_schedule_seconds: 30,
    kubernetes_pull_seconds: 90,
  });
  api = await service.startApi();
  runner = await service.start("runner");
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

async function labelNode(): Promise<void> {
  const { items } = await service.core.listNode();
  const body = [{ op: "add", path: `/metadata/labels/${LABEL}`, value: "yes" }];
  for (const { metadata } of items) await service.core.patchNode({ name: metadata?.name ?? "", body });
}

async function readiness(): Promise<{ status: number; text: string }> {
  const response = await fetch(`${runner.url}/readyz`);
  return { status: response.status, text: await response.text() };
}

const reasons = (events: AnyJson[]): string[] =>
  events.flatMap(({ type, reason }) => (type === "session.status_rescheduled" ? [reason ?? ""] : []));
const errors = (events: AnyJson[]): string[] =>
  events.flatMap(({ type, error }) => (type === "session.error" ? [error.message] : []));
const statusOf = async (session: string): Promise<string> =>
  (await api.ok("GET", `/sessions/${session}`)).status;

covers(
  ["kubernetes-no-node-told"],
  "no node takes any pod: the runner is not ready, its log and the doctor have the scheduler's words, and the doctor tries nothing else",
  async () => {
    await waitUntil(
      async () => {
        const { status, text } = await readiness();
        return status === 503 && text.includes("sandbox");
      },
      () => "the runner is ready, or does not say why not",
    );
    await runner.logged(NO_NODE);
    const told = await service.doctor();
    assert.match(told, /No session can run now\. No node of the cluster took/);
    assert.match(told, NO_NODE);
    assert.doesNotMatch(told, /isolation/);
  },
  SKIP,
);

covers(
  ["kubernetes-waits", "kubernetes-wait-over"],
  "no node takes the pod of a session in its time: it is rescheduling and says why, then the call fails with that; the next call waits anew, and runs once a node is there",
  async () => {
    const session = await makeSession(api);
    const events = await runTurn(api, session.id, bash("echo here"));
    assert.ok(reasons(events).some((reason) => NO_NODE.test(reason)));
    assert.match(
      errors(events)[0] ?? "",
      /^No node of the cluster took the session's sandbox within 30 seconds: /,
    );
    assert.match(errors(events)[0] ?? "", NO_NODE);
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, {
      events: [steps(bash("echo here"))],
    });
    const known = new Set(events.map(({ id }) => id));
    await readEventsUntil(
      api,
      session.id,
      ({ id, type }) => type === "session.status_rescheduled" && !known.has(id),
    );
    assert.equal(await statusOf(session.id), "rescheduling");
    await labelNode();
    const later = await waitForTurn(api, session.id, sent.data[0].id);
    assert.deepEqual(toolResults(later), ["here"]);
    const started = later.find(({ type }) => type === "session.container_started");
    assert.ok(started?.waited_seconds > 0);
    await waitUntil(
      async () => (await readiness()).status === 200,
      () => "the runner does not become ready",
    );
    await api.ok("DELETE", `/sessions/${session.id}`);
  },
  SKIP,
);

covers(
  ["kubernetes-waits"],
  "the image of an environment is not there yet: the session says so in the kubelet's words, and goes on once it is; one that never comes fails with them",
  async () => {
    const image = "localhost/later:1";
    const { id: environment_id } = await makeEnvironment(api, { image });
    const session = await makeSession(api, { environment_id });
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, {
      events: [steps(bash("echo here"))],
    });
    await readEventsUntil(
      api,
      session.id,
      ({ type, reason = "" }) => type === "session.status_rescheduled" && reason.includes(image),
    );
    const socket = join(dirname(cluster.kubeconfig), "cd.sock");
    await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "tag", cluster.image, image]);
    assert.deepEqual(toolResults(await waitForTurn(api, session.id, sent.data[0].id)), ["here"]);
    const { id: other } = await makeEnvironment(api, { image: "localhost/never:1" });
    const lost = await makeSession(api, { environment_id: other });
    const events = await runTurn(api, lost.id, bash("echo here"));
    assert.match(
      errors(events)[0] ?? "",
      /^The image "localhost\/never:1" could not be pulled within 90 seconds: ErrImagePull: /,
    );
    for (const { id } of [session, lost]) await api.ok("DELETE", `/sessions/${id}`);
  },
  SKIP_IMAGES,
);

covers(
  ["kubernetes-waits"],
  "a session that waits is interrupted, and a runner is stopped while another waits → both at once, and no pod is left",
  async () => {
    const { id: environment_id } = await makeEnvironment(api, { image: "localhost/other:1" });
    const [one, other] = [
      await makeSession(api, { environment_id }),
      await makeSession(api, { environment_id }),
    ];
    const waits = async (session: string): Promise<string> => {
      const sent = await api.ok("POST", `/sessions/${session}/events`, {
        events: [steps(bash("echo here"))],
      });
      await readEventsUntil(api, session, ({ type }) => type === "session.status_rescheduled");
      return sent.data[0].id;
    };
    const [message] = await Promise.all([waits(one.id), waits(other.id)]);
    await api.ok("POST", `/sessions/${one.id}/events`, { events: [{ type: "user.interrupt" }] });
    const events = await waitForTurn(api, one.id, message);
    assert.equal(events.at(-1)?.stop_reason.type, "cancelled");
    assert.equal(await runner.kill("SIGTERM"), 0);
    await service.parked();
    const { data } = await api.ok("GET", `/sessions/${other.id}/events?types[]=agent.tool_result`);
    assert.match(data[0].content[0].text, /was restarted while this call waited for the sandbox/);
  },
  SKIP,
);
