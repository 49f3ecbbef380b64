// Tests sessions that begin in warm pods of two runners, and the fate of these pods.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { V1Pod } from "@kubernetes/client-node";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeFile,
  makeSession,
  makeSkill,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { ApiProxy, type Fate } from "./harness/api-proxy.ts";
import { missingForCluster } from "./harness/find-kit.ts";
import { PodService, printLogOfFailures } from "./harness/pod-service.ts";
import { startTestCluster } from "./harness/test-cluster.ts";

const SKIP = missingForCluster() ?? false;

let namespace: string;
let proxy: ApiProxy;
let service: PodService;
let api: Api;
let runners: Berth[] = [];
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

printLogOfFailures(() => service);
before(async () => {
  if (SKIP !== false) return;
  const cluster = await startTestCluster();
  CLEANUP.push(() => cluster.close());
  namespace = cluster.namespace;
  proxy = await ApiProxy.start(cluster.kubeconfig);
  CLEANUP.push(() => proxy.close());
  service = await PodService.prepare(cluster);
  CLEANUP.push(() => service.close());
  service.set({ kubernetes_warm_pods: 1 });
  api = await service.startApi();
  runners = [await service.start("runner"), await service.start("runner")];
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

/** Returns the number of warm pods in the runners' metrics. */
async function told(): Promise<number> {
  const counts = runners.map(async ({ url }) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^berth_warm_sandboxes\S* (\d+)$/m.exec(text)?.[1] ?? 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Resolves with the names of the warm pods once `count` of them are ready. */
async function warmPods(count: number): Promise<string[]> {
  await waitUntil(
    async () => (await told()) === count,
    () => `there are no ${count} warm pods`,
  );
  return (await service.warmPods()).map(({ metadata }) => metadata?.name ?? "");
}

/** Resolves with the uid of the only warm pod once it is ready. */
async function warmPod(): Promise<string> {
  let found: (string | undefined)[] = [];
  await waitUntil(
    async () => {
      found = (await service.warmPods())
        .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata?.uid);
      assert.ok(found.length <= 2, `${found}`);
      return found.length === 1 && (await told()) === 1;
    },
    () => `the warm pods are ${found}`,
  );
  return found[0] ?? "";
}

/** Starts killed runners again; the leases that they left are free at once. */
async function again(killed: readonly Berth[]): Promise<Berth[]> {
  return await Promise.all(killed.map(({ dataDir }) => service.start("runner", {}, dataDir)));
}

/**
 * Sends a message with these calls. Resolves with its id and the session's pod once the second call begins,
 * after the first has ended.
 */
async function calling(
  session: string,
  ...commands: [string, string, ...string[]]
): Promise<{ message: string; pod: string }> {
  const { data } = await api.ok("POST", `/sessions/${session}/events`, {
    events: [steps(...commands.map(bash))],
  });
  await readEventsUntil(
    api,
    session,
    ({ type, input }: AnyJson) => type === "agent.tool_use" && input.command === commands[1],
  );
  const [pod] = await service.pods(session);
  return { message: data[0].id, pod: pod?.metadata?.uid ?? "" };
}

async function interrupt(session: string, message: string): Promise<void> {
  await api.ok("POST", `/sessions/${session}/events`, { events: [{ type: "user.interrupt" }] });
  await waitForTurn(api, session, message);
}

async function deleted(...sessions: string[]): Promise<void> {
  for (const id of sessions) await api.ok("DELETE", `/sessions/${id}`);
}

covers(
  ["kubernetes-warm-pods"],
  "warm pods: a session begins in one, with its files, and another is made in its place",
  async () => {
    const warm = await warmPod();
    const [file, skill] = [await makeFile(api, "uploaded"), await makeSkill(api, "reading")];
    const agent = await makeAgent(api, {
      git_identity: { name: "Ann", email: "ann@example.com" },
      skills: [{ type: "custom", skill_id: skill.id }],
    });
    const { id } = await makeSession(api, {
      agent: agent.id,
      resources: [{ type: "file", file_id: file.id }],
    });
    const { message, pod } = await calling(
      id,
      `cat /mnt/session/uploads/${file.id}; git config user.name; cat /mnt/skills/reading/SKILL.md; echo kept >/data/kept`,
      "sleep 3",
    );
    assert.equal(pod, warm);
    const [text] = toolResults(await waitForTurn(api, id, message));
    assert.match(text ?? "", /^uploadedAnn\n---\nname: reading/);
    assert.notEqual(await warmPod(), warm);
    await service.parked(id);
    const [kept] = toolResults(await runTurn(api, id, bash("cat /data/kept")));
    assert.equal(kept, "kept", "a parked session has the disk");
    assert.equal(await service.lostDisks(id), 0);
    await service.parked(id);
    await deleted(id);
  },
  SKIP,
);

covers(
  ["kubernetes-warm-pods"],
  "warm pods: of two sessions at once one begins in it; one with other limits, and with a file that needs a mount, does not",
  async () => {
    const warm = await warmPod();
    const { id: environment_id } = await makeEnvironment(api, { resources: { memory_mb: 300 } });
    const file = await makeFile(api, "mounted");
    const sessions = [
      await makeSession(api, { environment_id }),
      await makeSession(api, {
        resources: [{ type: "file", file_id: file.id, mount_path: "/srv/mounted/file" }],
      }),
      await makeSession(api),
      await makeSession(api),
    ].map(({ id }) => id);
    const [limited = "", mounted = "", ...both] = sessions;
    const others = await Promise.all([
      calling(limited, "true", "sleep 611"),
      calling(mounted, "cat /srv/mounted/file", "sleep 612"),
    ]);
    const found = await Promise.all(both.map((id) => calling(id, "true", "sleep 613")));
    assert.equal(found.filter(({ pod }) => pod === warm).length, 1);
    assert.ok(others.every(({ pod }) => pod !== warm));
    assert.equal(new Set([...found, ...others].map(({ pod }) => pod)).size, 4);
    await Promise.all(sessions.map((id, at) => interrupt(id, [...others, ...found][at]?.message ?? "")));
    await service.parked();
    await deleted(...sessions);
  },
  SKIP,
);

covers(
  ["kubernetes-warm-pods-lost"],
  "warm pods: one that is deleted is made anew; a session begins also where pod and volume have just gone",
  async () => {
    const warm = await warmPod();
    await deleteWarmPod(warm);
    const next = await warmPod();
    assert.notEqual(next, warm);
    const pod = await deleteWarmPod(next);
    const claim = pod?.spec?.volumes?.find(({ name }) => name === "disk")?.persistentVolumeClaim?.claimName;
    await service.core.deleteNamespacedPersistentVolumeClaim({ name: claim ?? "", namespace });
    const { id } = await makeSession(api);
    const [text] = toolResults(await runTurn(api, id, bash("echo works")));
    assert.equal(text, "works");
    assert.equal(await service.lostDisks(id), 0);
    await service.parked(id);
    await deleted(id);
    await warmPod();
  },
  SKIP,
);

covers(
  ["kubernetes-warm-pods-lost"],
  "warm pods: runners killed in a turn that began in one, and while they make one: the turn goes on in its pod, and one is kept again",
  async () => {
    const warm = await warmPod();
    const { id } = await makeSession(api);
    const { message, pod } = await calling(id, "echo same >/dev/shm/pod", "sleep 614", "cat /dev/shm/pod");
    assert.equal(pod, warm);
    for (const runner of runners) await runner.kill("SIGKILL");
    runners = await again(runners);
    const results = toolResults(await waitForTurn(api, id, message));
    assert.match(results[1] ?? "", /interrupted/);
    assert.match(results[2] ?? "", /same/);
    const half = await beingMade();
    for (const runner of runners) await runner.kill("SIGKILL");
    runners = await again(runners);
    assert.notEqual(await warmPod(), half);
    await service.parked(id);
    await deleted(id);
  },
  SKIP,
);

covers(
  ["kubernetes-warm-pods-lost"],
  "warm pods: a runner killed before the label of a pod is changed, after that, and before it is asked for anything: each session goes on in that pod, alone",
  async () => {
    for (const runner of runners) await runner.kill("SIGTERM");
    const settings = { BERTH_KUBECONFIG: proxy.kubeconfig, BERTH_KUBERNETES_WARM_PODS: "3" };
    const runner = await service.start("runner", settings);
    runners = [runner];
    const names = await warmPods(3);
    const fates: Fate[] = ["held", "unanswered", "passed"];
    let started = false;
    proxy.fateOf = (method, path) => {
      const [, name = "", call] = /\/pods\/([^/?]+)(\/exec)?/.exec(path) ?? [];
      if (!names.includes(name)) return "passed";
      if (method === "PATCH") return fates.shift() ?? "passed";
      started ||= call !== undefined;
      return call === undefined ? "passed" : "unanswered";
    };
    const turns = await Promise.all([startTurn(), startTurn(), startTurn()]);
    await waitUntil(
      () => started && fates.length === 0,
      () => `not reached: ${fates}`,
    );
    await runner.kill("SIGKILL");
    proxy.fateOf = () => "passed";
    runners = await again(runners);
    for (const { session, last } of turns)
      await readEventsUntil(
        api,
        session,
        ({ type, input }: AnyJson) => type === "agent.tool_use" && input.command === last,
      );
    const pods = await service.pods();
    assert.deepEqual(pods.map(({ metadata }) => metadata?.name).sort(), names.sort(), "one for each");
    const uids = await Promise.all(
      turns.map(async ({ session, message }) => {
        await api.ok("POST", `/sessions/${session}/events`, { events: [{ type: "user.interrupt" }] });
        return toolResults(await waitForTurn(api, session, message))[1];
      }),
    );
    assert.deepEqual(uids.sort(), pods.map(({ spec }) => `${spec?.securityContext?.fsGroup}`).sort());
    await service.parked();
    await deleted(...turns.map(({ session }) => session));
  },
  SKIP,
);

/** Starts a session whose second call prints its user if the disk is empty; the last call does not end. */
async function startTurn(): Promise<{ session: string; message: string; last: string }> {
  const { id: session } = await makeSession(api);
  const last = "sleep 615";
  const calls = ["true", `test ! -e /data/of && echo ${session} >/data/of && id -u`, last].map(bash);
  const { data } = await api.ok("POST", `/sessions/${session}/events`, { events: [steps(...calls)] });
  return { session, message: data[0].id, last };
}

/** Deletes a warm pod, beside which another may be ending. */
async function deleteWarmPod(uid: string): Promise<V1Pod | undefined> {
  const pod = (await service.warmPods()).find(({ metadata }) => metadata?.uid === uid);
  const name = pod?.metadata?.name ?? "";
  await service.core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 });
  return pod;
}

/** Resolves with the uid of a warm pod that was just created. */
async function beingMade(): Promise<string> {
  const former = await warmPod();
  const known = new Set((await service.warmPods()).map(({ metadata }) => metadata?.uid));
  await deleteWarmPod(former);
  let made: string | undefined;
  await waitUntil(
    async () => {
      const others = (await service.warmPods()).filter(({ metadata }) => !known.has(metadata?.uid));
      made = others[0]?.metadata?.uid;
      return made !== undefined;
    },
    () => "no other pod is made",
  );
  return made ?? "";
}

covers(
  ["kubernetes-warm-pods-room"],
  "warm pods: where a quota allows no other pod, one gives its place to a session of another shape, and a session of its shape begins in the next",
  async () => {
    await warmPod();
    const { id: environment_id } = await makeEnvironment(api, { resources: { memory_mb: 300 } });
    const [same, other] = [await makeSession(api), await makeSession(api, { environment_id })];
    const quota = { metadata: { name: "full" }, spec: { hard: { pods: "1" } } };
    await service.core.createNamespacedResourceQuota({ namespace, body: quota });
    await waitUntil(
      async () => {
        const { status } = await service.core.readNamespacedResourceQuota({ namespace, name: "full" });
        return status?.used?.pods === "1";
      },
      () => "the quota is not in force",
    );
    assert.deepEqual(toolResults(await runTurn(api, other.id, bash("echo works"))), ["works"]);
    await service.parked();
    const warm = await warmPod();
    const { message, pod } = await calling(same.id, "true", "sleep 616");
    await service.core.deleteNamespacedResourceQuota({ namespace, name: "full" });
    assert.equal(pod, warm);
    await interrupt(same.id, message);
    await service.parked();
    await deleted(same.id, other.id);
  },
  SKIP,
);

covers(
  ["kubernetes-warm-pods-lost"],
  "warm pods: where the settings want none any more, neither a pod nor a volume is left",
  async () => {
    await warmPod();
    for (const runner of runners) await runner.kill("SIGTERM");
    runners = [await service.start("runner", { BERTH_KUBERNETES_WARM_PODS: "0" })];
    await waitUntil(
      async () => (await service.warmPods()).length + (await service.disks()).length === 0,
      () => "some of the pool is left",
    );
    await waitUntil(
      async () => (await service.core.listNamespacedPod({ namespace })).items.length === 0,
      () => "a pod is left",
    );
  },
  SKIP,
);
