import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { KubeConfig, NodeV1Api, type V1Pod } from "@kubernetes/client-node";
import { type AnyJson, type Api, assertError } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import {
  bash,
  makeEnvironment,
  makeFile,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { descendantsOf, signalIfAlive } from "../crash/processes.ts";
import { missingForCluster } from "./harness/find-kit.ts";
import { PodService, printLogOfFailures } from "./harness/pod-service.ts";
import { startTestCluster } from "./harness/test-cluster.ts";

/** An API, and consecutive runners, each with its own data directory, on one PostgreSQL and one cluster. */
const SKIP = missingForCluster() ?? false;

const RUNTIME_CLASS = "berth-test";
/** A runtime class that environments may choose, and one that the cluster lacks. */
const [CHOSEN_CLASS, MISSING_CLASS] = ["berth-chosen", "berth-missing"];
/** A patch as YAML text. */
const PATCH = "metadata: {annotations: {team: sandboxes}}\nspec: {imagePullSecrets: [{name: registry}]}\n";

let namespace: string;
let service: PodService;
let runner: Berth;
let api: Api;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

printLogOfFailures(() => service);
before(async () => {
  if (SKIP !== false) return;
  const directory = mkdtempSync(join(tmpdir(), "berth-patch-"));
  CLEANUP.push(() => rmSync(directory, { recursive: true, force: true }));
  const cluster = await startTestCluster();
  CLEANUP.push(() => cluster.close());
  namespace = cluster.namespace;
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const runtimes = config.makeApiClient(NodeV1Api);
  for (const name of [RUNTIME_CLASS, CHOSEN_CLASS]) {
    const body = { metadata: { name }, handler: "runc" };
    await runtimes.createRuntimeClass({ body }).catch(({ code }) => assert.equal(code, 409));
    CLEANUP.push(() => runtimes.deleteRuntimeClass({ name }));
  }
  const patch = join(directory, "patch.yaml");
  writeFileSync(patch, PATCH);
  service = await PodService.prepare(cluster);
  CLEANUP.push(() => service.close());
  service.set({
    kubernetes_node_selector: "kubernetes.io/os=linux",
    kubernetes_tolerations: "dedicated=sandboxes:NoSchedule",
    kubernetes_runtime_class: RUNTIME_CLASS,
    kubernetes_runtime_classes: [CHOSEN_CLASS, MISSING_CLASS],
    kubernetes_pod_patch: patch,
  });
  api = await service.startApi();
  runner = await service.start("runner");
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

async function podsOf(session: string): Promise<string[]> {
  return (await service.pods(session)).map(({ metadata }) => metadata?.labels?.["berth.epoch"] ?? "");
}

async function volumesOf(session: string): Promise<number> {
  const { items } = await service.core.listNamespacedPersistentVolumeClaim({
    namespace,
    labelSelector: "berth.disk",
  });
  return items
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .filter(({ metadata }) => metadata?.annotations?.["berth.disk-name"] === session).length;
}

covers(
  ["kubernetes-sessions", "kubernetes-parked"],
  "a session in a pod: a command, a file, a full disk; parked without a pod, and the next turn has the disk",
  async () => {
    const file = await makeFile(api, "uploaded");
    const session = await makeSession(api, { resources: [{ type: "file", file_id: file.id }] });
    const texts = toolResults(
      await runTurn(
        api,
        session.id,
        bash(`id -un; cat /mnt/session/uploads/${file.id}; echo kept >/data/kept; cat /data/kept`),
        bash("head -c 200M /dev/zero >/data/filling; rm /data/filling"),
        bash("echo result >/mnt/session/outputs/result.txt"),
      ),
    );
    assert.equal(texts[0], "agent\nuploadedkept");
    assert.match(texts[1] ?? "", /No space left on device/);
    await service.parked(session.id);
    assert.equal(await volumesOf(session.id), 1);
    const [kept] = toolResults(
      await runTurn(api, session.id, bash("cat /data/kept /mnt/session/outputs/result.txt")),
    );
    assert.equal(kept, "kept\nresult");
    await service.parked(session.id);
    assert.equal(await service.lostDisks(session.id), 0);
    await api.ok("DELETE", `/sessions/${session.id}`);
    await waitUntil(
      async () => (await volumesOf(session.id)) === 0,
      () => "the volume of a deleted session is left",
    );
  },
  SKIP,
);

/** A command that leaves a background process, and a file in the pod's memory, which no other pod has. */
const REMEMBER = "touch /data/begun; echo same >/dev/shm/pod; sleep 700 &";
const RECALL = "grep -c begun /data/begun; cat /dev/shm/pod; pgrep -c sleep";
const CUT = "echo begun >>/data/begun; sleep 600";
/** The expected recall: the cut call began at most once, the pod is the same, and nothing runs there. */
const RECALLED = /^[01]\nsame\n0\n/;

/** Resolves once the session's call of this command begins. */
async function calling(session: string, command: string): Promise<void> {
  await readEventsUntil(
    api,
    session,
    ({ type, input }: AnyJson) => type === "agent.tool_use" && input.command === command,
  );
}

/**
 * Sends a message with these calls, and resolves with its id once the second begins, in the pod of the first.
 */
async function beginTurn(session: string, ...commands: [string, string, ...string[]]): Promise<string> {
  const sent = await api.ok("POST", `/sessions/${session}/events`, {
    events: [steps(...commands.map(bash))],
  });
  await calling(session, commands[1]);
  return sent.data[0].id;
}

async function uidsOf(session: string): Promise<string[]> {
  const items = await service.pods(session);
  return items.map(({ metadata }) => metadata?.uid ?? "");
}

covers(
  ["kubernetes-ephemeral"],
  "an ephemeral workspace: its disk is limited, and neither a pod nor a volume is left of an idle session",
  async () => {
    const { id: environment_id } = await makeEnvironment(api, { workspace: "ephemeral" });
    const session = await makeSession(api, { environment_id });
    const texts = toolResults(
      await runTurn(
        api,
        session.id,
        bash("echo draft >/data/draft; echo result >/mnt/session/outputs/result.txt"),
        bash("head -c 200M /dev/zero >/data/filling"),
      ),
    );
    assert.match(texts[1] ?? "", /No space left on device/);
    await readEventsUntil(api, session.id, ({ type }: AnyJson) => type === "session.container_reclaimed");
    await waitUntil(
      async () => (await volumesOf(session.id)) === 0,
      () => "the volume is left",
    );
    await service.parked(session.id);
    assert.equal((await api.ok("GET", `/files?scope_id=${session.id}`)).data[0].filename, "result.txt");
    const [listed] = toolResults(await runTurn(api, session.id, bash("ls -A /data")));
    assert.equal(listed?.trim(), "(no output)");
  },
  SKIP,
);

covers(
  ["kubernetes-takeover"],
  "kill -9 of a runner in the middle of a turn: the call is interrupted, and another runner goes on in its pod, where nothing runs any more",
  async () => {
    const { id } = await makeSession(api);
    const message = await beginTurn(id, REMEMBER, CUT, RECALL);
    const [pod] = await uidsOf(id);
    await runner.kill("SIGKILL");
    assert.deepEqual(await uidsOf(id), [pod], "the pod of the dead runner is there");
    runner = await service.start("runner");
    const [, cut, next] = toolResults(await waitForTurn(api, id, message));
    assert.match(cut ?? "", /interrupted/);
    assert.match(next ?? "", /Processes that were running have ended: `sleep 700/);
    assert.match(next ?? "", RECALLED);
    assert.equal(await service.lostDisks(id), 0);
    await service.parked(id);
  },
  SKIP,
);

covers(
  ["kubernetes-takeover"],
  "a runner that hangs in the middle of a turn: another goes on in its pod, to which it does nothing when it comes back",
  async () => {
    const { id } = await makeSession(api);
    const former = runner;
    const message = await beginTurn(id, REMEMBER, CUT, RECALL, "sleep 605");
    const [pod] = await uidsOf(id);
    const frozen = [former.pid, ...descendantsOf(former.pid)];
    for (const pid of frozen) signalIfAlive(pid, "SIGSTOP");
    runner = await service.start("runner");
    await calling(id, "sleep 605");
    const epoch = await podsOf(id);
    for (const pid of frozen.toReversed()) signalIfAlive(pid, "SIGCONT");
    const told = former.log.length;
    await waitUntil(
      async () => former.log.slice(told).includes("sandbox closed"),
      () => `the former runner holds on: ${former.log.slice(told)}`,
    );
    assert.equal(await former.kill("SIGTERM"), 0);
    assert.deepEqual([await uidsOf(id), await podsOf(id)], [[pod], epoch]);
    await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
    const [, cut, next] = toolResults(await waitForTurn(api, id, message));
    assert.match(cut ?? "", /interrupted/);
    assert.match(next ?? "", RECALLED);
    await service.parked(id);
  },
  SKIP,
);

covers(
  ["kubernetes-handed-over"],
  "a runner that is stopped in the middle of a turn leaves the pod to the next; of a deleted session neither pod nor volume is left",
  async () => {
    const { id } = await makeSession(api);
    const message = await beginTurn(id, REMEMBER, "sleep 3", RECALL, "sleep 606");
    const [pod] = await uidsOf(id);
    assert.equal(await runner.kill("SIGTERM"), 0);
    assert.deepEqual(await uidsOf(id), [pod]);
    runner = await service.start("runner");
    await calling(id, "sleep 606");
    const { data } = await api.ok("GET", `/sessions/${id}/events?limit=100`);
    const results = toolResults(data.slice(data.findIndex((event: AnyJson) => event.id === message)));
    assert.doesNotMatch(results[1] ?? "", /interrupted/);
    assert.match(results[2] ?? "", RECALLED);
    assert.deepEqual(await uidsOf(id), [pod]);
    await runner.kill("SIGKILL");
    runner = await service.start("runner", { BERTH_SANDBOX_IDLE_SECONDS: "600" });
    await waitForTurn(api, id, message);
    await runner.kill("SIGKILL");
    await api.ok("DELETE", `/sessions/${id}`);
    assert.deepEqual(await uidsOf(id), [pod], "a third runner went on in it");
    runner = await service.start("runner");
    await waitUntil(
      async () => (await uidsOf(id)).length + (await volumesOf(id)) === 0,
      () => "the pod or the volume of a deleted session is left",
    );
  },
  SKIP,
);

covers(
  ["kubernetes-settings"],
  "pods have the node selector, tolerations, runtime class and patch of the settings",
  async () => {
    const session = await makeSession(api);
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(bash("sleep 5"))] });
    let found: V1Pod | undefined;
    await waitUntil(
      async () => {
        [found] = await service.pods(session.id);
        return found !== undefined;
      },
      () => "no pod was made",
    );
    const { spec, metadata } = found ?? {};
    assert.deepEqual(spec?.nodeSelector, { "kubernetes.io/os": "linux" });
    assert.deepEqual(
      { ...spec?.tolerations?.find(({ key }) => key === "dedicated") },
      {
        key: "dedicated",
        operator: "Equal",
        value: "sandboxes",
        effect: "NoSchedule",
      },
    );
    assert.equal(spec?.runtimeClassName, RUNTIME_CLASS);
    assert.equal(metadata?.annotations?.team, "sandboxes");
    assert.deepEqual(
      spec?.imagePullSecrets?.map(({ name }) => name),
      ["registry"],
    );
    assert.equal(spec?.automountServiceAccountToken, false);
    await waitForTurn(api, session.id, sent.data[0].id);
  },
  SKIP,
);

covers(
  ["kubernetes-runtime-classes"],
  "environments choose among the runtime classes that the operator allows",
  async () => {
    const refused = await api.post("/environments", { name: "weak", runtime_class: RUNTIME_CLASS });
    assertError(refused, 400, "invalid_request_error", {
      param: "runtime_class",
      message: /does not allow\. It allows berth-chosen, berth-missing\./,
    });
    const sessionWith = async (runtime_class: string) => {
      const { id: environment_id } = await makeEnvironment(api, { runtime_class });
      return await makeSession(api, { environment_id });
    };
    const chosen = await sessionWith(CHOSEN_CLASS);
    const { data } = await api.ok("POST", `/sessions/${chosen.id}/events`, {
      events: [steps(bash("sleep 5"))],
    });
    let found: V1Pod | undefined;
    await waitUntil(
      async () => {
        [found] = await service.pods(chosen.id);
        return found !== undefined;
      },
      () => "no pod was made",
    );
    assert.equal(found?.spec?.runtimeClassName, CHOSEN_CLASS);
    await waitForTurn(api, chosen.id, data[0].id);
    const missing = await sessionWith(MISSING_CLASS);
    const events = await runTurn(api, missing.id, bash("echo never"));
    const error = events.find(({ type }) => type === "session.error");
    assert.equal(error?.error.type, "sandbox_error");
    assert.equal(error?.error.message, 'The cluster does not have the runtime class "berth-missing".');
  },
  SKIP,
);
