// Tests the chart's objects and the image in a real cluster: the migration job, a session, and the
// replacement of a runner. Then it upgrades to sandboxes without captured connections, warm pods and volume
// snapshots.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { V1Pod } from "@kubernetes/client-node";
import { RELEASE } from "../../../script/chart/render-chart.ts";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";
import { notTodays } from "../../effort/effort.ts";
import { enforceEgress } from "../harness/enforce-egress.ts";
import { findKit, missingForCluster } from "../harness/find-kit.ts";
import type { ClusterClient } from "./cluster-client.ts";
import { type InstalledRelease, installRelease, ROLES } from "./install-release.ts";
import { restrictionsBroken } from "./pod-security.ts";
import { NODE, WEB } from "./surroundings.ts";

const skip =
  missingForCluster() ??
  (findKit()?.kind === "cluster"
    ? "the cluster has a network and names of its own"
    : notTodays("pods", 0, 3));
const SANDBOXES = "berth-sandboxes";

let installed: InstalledRelease;
let release: ClusterClient;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

before(async () => {
  if (skip !== false) return;
  installed = await installRelease(CLEANUP);
  release = installed.client;
  token = (await release.run("api", "berth bootstrap --user ada@example.com --role admin")).trim();
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

async function berth(command: string): Promise<string> {
  return await release.run("api", `export BERTH_URL=http://127.0.0.1:4180 BERTH_TOKEN=${token}; ${command}`);
}

let token = "";
const bash = (command: string) =>
  `'${JSON.stringify({ steps: [{ tool: "Bash", input: { command } }, { say: "Done." }] })}'`;

let sessions = 0;

/** Creates a session of a new agent, which may connect to the web. Returns its id. */
async function newSession(): Promise<string> {
  const name = `name=web-${++sessions}`;
  const hosts = `-F 'config.networking.allowed_hosts=["web.test:${WEB}"]'`;
  const type = "-f config.type=cloud -f config.networking.type=limited";
  const environment = (await berth(`berth environments create -f ${name} ${type} ${hosts} -o id`)).trim();
  const tools = `-F 'tools=[{"type": "agent_toolset_20260401"}]'`;
  const agent = (
    await berth(`berth agents create -f name=Ada -f model=rehearsal/steps ${tools} -o id`)
  ).trim();
  return (
    await berth(`berth sessions create -f agent=${agent} -f environment_id=${environment} -o id`)
  ).trim();
}

const send = (session: string, command: string) =>
  berth(`berth sessions send -f ${session} ${bash(command)}`);
const fetch = (url: string, flags = "") => `curl -sS -m 20 ${flags} ${url}`;
const ALLOWED = `http://web.test:${WEB}/`;

test("a session in a pod of the sandboxes' namespace, through the gateway; another runner goes on with its disk", {
  skip,
  timeout: 600_000,
}, async () => {
  const session = await newSession();
  const tried = `id -un; echo kept > /data/kept; ${fetch(ALLOWED)}; ${fetch("http://evil.example/")} || echo refused`;
  assert.match(await send(session, tried), /agent\n[\s\S]*from the web\n[\s\S]*refused[\s\S]*Done\./);

  await release.core.deleteNamespacedPod({
    name: (await release.podOf("runner")).metadata?.name ?? "",
    namespace: RELEASE.Namespace,
  });
  assert.match(await send(session, "cat /data/kept"), /kept\n[\s\S]*Done\./);
});

test("an idle session has no pod, and doctor finds the rights", { skip, timeout: 600_000 }, async () => {
  let left: number | undefined;
  await waitUntil(
    async () => {
      left = (await release.core.listNamespacedPod({ namespace: SANDBOXES })).items.length;
      return left === 0;
    },
    () => `${left} pods are left`,
  );
  const found = await release.run("runner", "berth doctor");
  assert.match(found, /ok +rights /);
  assert.match(found, /ok +cluster /);
  assert.match(found, /weak +network_policy +A pod of the namespace reaches another pod and the API server/);
  assert.match(await berth("berth health"), /runner/);
});

test("the runner's pod has no root, and its image cannot be written", { skip }, async () => {
  const seen = await release.run("runner", "id -u; touch /x 2>&1 || true; grep CapEff /proc/self/status");
  assert.match(seen, /^10001\ntouch: [^\n]*Read-only file system\nCapEff:\t0+\n$/);
});

test("upgraded to proxies, warm pods and snapshots: a session begins in a warm pod, in which no container may change the network; what uses the proxy reaches what is allowed; what ignores it, only a policy stops", {
  skip,
  timeout: 600_000,
}, async () => {
  const { snapshotClass } = installed.cluster;
  await installed.upgrade({ sandboxes: { egress: "proxy", warmPods: 1, snapshotClass } });
  const warm = await warmPod();
  const session = await newSession();
  const denied = `${fetch("http://evil.example/", '-o /dev/null -w "denied %{http_code}\\n"')}`;
  const direct = (url: string) => `${fetch(url, '--noproxy "*"')} || echo closed`;
  const seen = await send(session, `id -u; ${fetch(ALLOWED)}; ${denied}; ${direct(ALLOWED)}`);
  assert.match(seen, /from the web\n[\s\S]*denied 403\n[\s\S]*closed[\s\S]*Done\./);
  assert.match(seen, new RegExp(` ${warm.spec?.securityContext?.fsGroup}\n`), "as the user of the warm pod");
  assert.deepEqual(restrictionsBroken(warm.spec), []);
  const address = `http://${NODE}:${WEB}/`;
  assert.match(await send(session, direct(address)), /from the web/, "nothing enforces the policy here");
  assert.match(
    await doctor(),
    /^missing +network_policy +The pod of a sandbox reaches another pod and the API server/m,
  );

  enforceEgress(
    installed.cluster.kubeconfig,
    installed.gateway,
    await Promise.all(ROLES.map((role) => release.addressOf(role))),
  );
  const [stopped, found] = await Promise.all([
    send(session, `${fetch(ALLOWED)}; ${direct(address)}`),
    doctor(),
  ]);
  assert.match(stopped, /from the web\n[\s\S]*closed[\s\S]*Done\./);
  assert.equal(stopped.match(/from the web/g)?.length, 1);
  for (const name of ["network_policy", "rights", "snapshots"])
    assert.match(found, new RegExp(`^ok +${name} `, "m"));
});

async function doctor(): Promise<string> {
  return await release.run("runner", "berth doctor || true");
}

/** Resolves with the warm pod, which no session has yet, once it is ready. */
async function warmPod(): Promise<V1Pod> {
  const name = (await release.podOf("runner")).metadata?.name ?? "";
  let log = "";
  await waitUntil(
    async () => {
      log = await release.core.readNamespacedPodLog({ name, namespace: RELEASE.Namespace });
      return log.includes("a sandbox of the pool is ready");
    },
    () => `no warm pod is made:\n${log.slice(-2_000)}`,
  );
  const found = { namespace: SANDBOXES, labelSelector: "berth.owner=pool" };
  const [pod] = (await release.core.listNamespacedPod(found)).items;
  return pod as V1Pod;
}
