// Subject: the chart's objects and the image in a real cluster, from the job that migrates to a session, and the replacement of a runner.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";
import { notInSample } from "../../effort/effort.ts";
import { type PostgresServer, startPostgres } from "../../postgres-server/postgres-server.ts";
import { S3_CREDENTIALS, type S3Host, startS3Host } from "../../s3-host/s3-host.ts";
import { findKit, missingForCluster } from "../harness/find-kit.ts";
import { makeServiceImage, SERVICE_IMAGE } from "../harness/make-service-image.ts";
import { openServiceNetwork, type ServiceNetwork } from "../harness/service-network.ts";
import { startTestCluster, type TestCluster } from "../harness/test-cluster.ts";
import { ClusterClient } from "./cluster-client.ts";
import { ObjectsOfServer } from "./objects-of-server.ts";
import { type ClusterObject, RELEASE, renderChart, type Values } from "./render-chart.ts";

const skip =
  missingForCluster() ??
  (findKit()?.kind === "cluster" ? "the cluster has a network and names of its own" : notInSample(0, 3));
const run = promisify(execFile);
/** Of the node, as pods reach it. */
const NODE = "10.77.0.1";
const [DATABASE, BUCKET, WEB] = [5_432, 9_000, 8_080];

let directory: string;
let cluster: TestCluster;
let network: ServiceNetwork;
let release: ClusterClient;
let server: ObjectsOfServer;
/** Runs in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

before(async () => {
  if (skip !== false) return;
  directory = mkdtempSync(join(tmpdir(), "berth-chart-"));
  CLEANUP.push(() => rmSync(directory, { recursive: true, force: true }));
  const [started, archive, postgres, s3, web] = await Promise.all([
    startTestCluster(),
    makeServiceImage(directory),
    startPostgres({ databases: ["berth"] }),
    startS3Host(),
    startWeb(),
  ]);
  cluster = started;
  CLEANUP.push(
    () => cluster.close(),
    () => postgres.stop(),
    () => s3.close(),
  );
  const socket = join(dirname(cluster.kubeconfig), "cd.sock");
  await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", archive]);
  [release, server] = [new ClusterClient(cluster.kubeconfig), new ObjectsOfServer(cluster.kubeconfig)];
  await openNetwork(postgres, s3, web);
  await install(s3);
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

async function startWeb(): Promise<number> {
  const web = createServer((_, response) => response.end("from the web\n")).listen(0, "127.0.0.1");
  await once(web, "listening");
  CLEANUP.push(() => web.close());
  return (web.address() as AddressInfo).port;
}

async function openNetwork(postgres: PostgresServer, s3: S3Host, web: number): Promise<void> {
  network = await openServiceNetwork(cluster.kubeconfig);
  CLEANUP.push(() => network.close());
  await network.toHere({ host: "10.96.0.1", port: 443 }, server.port);
  await network.toHere({ host: NODE, port: DATABASE }, postgres.port);
  await network.toHere({ host: NODE, port: BUCKET }, Number(new URL(s3.endpoint).port));
  await network.toHere({ host: NODE, port: WEB }, web);
  await network.name("web.test", NODE);
}

/** As Helm does it: the job first, then everything else in the order of kinds. */
async function install(s3: S3Host): Promise<void> {
  const objects = renderChart(valuesOf(s3));
  const ofKind = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: RELEASE.Namespace } });
  await release.takesPods(RELEASE.Namespace);
  await createSecret("berth-database", { url: `postgres://berth@${NODE}:${DATABASE}/berth` });
  await createSecret("berth-key", { "secret.key": randomBytes(32).toString("base64") });
  await createSecret("berth-s3", S3_CREDENTIALS);
  for (const job of ofKind("Job")) await create(job);
  await release.migrated();
  for (const kind of ["Namespace", "NetworkPolicy", "ServiceAccount", "Role", "RoleBinding"])
    for (const object of ofKind(kind)) await create(object);
  for (const service of ofKind("Service")) await serve(service);
  for (const deployment of ofKind("Deployment")) await create(deployment);
  await connectGateway();
  for (const role of ["egress", "api", "runner"]) await release.ready(role);
}

function valuesOf(s3: S3Host): Values {
  return {
    image: { ...SERVICE_IMAGE, pullPolicy: "Never" },
    database: { existingSecret: "berth-database" },
    secretKey: { existingSecret: "berth-key" },
    contents: {
      place: s3.place.replace(s3.endpoint, `http://${NODE}:${BUCKET}`),
      existingSecret: "berth-s3",
    },
    sandboxes: { image: cluster.image, storageClass: cluster.storageClass },
    api: { replicas: 1, preStopSeconds: 0 },
    runner: { replicas: 1 },
    egress: { replicas: 1 },
    settings: {
      egress_allow_private: `web.test:${WEB}`,
      session_disk_mb: "128",
      max_disk_mb: "256",
      sandbox_idle_seconds: "0",
    },
  };
}

async function create(object: ClusterObject): Promise<ClusterObject> {
  const { status, body } = await server.create(object);
  assert.equal(status, 201, `${object.kind} ${object.metadata.name}: ${body.message}`);
  return body;
}

async function createSecret(name: string, stringData: object): Promise<void> {
  await create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: RELEASE.Namespace },
    stringData,
  });
}

let gateway = "";

/** By its name and its address. */
async function serve(service: ClusterObject): Promise<void> {
  const { metadata, spec } = await create(service);
  if (spec.clusterIP !== "None")
    await network.name(`${metadata.name}.${metadata.namespace}.svc`, spec.clusterIP);
  if (metadata.name === "berth-egress") gateway = spec.clusterIP;
}

async function connectGateway(): Promise<void> {
  const host = await release.addressOf("egress");
  await network.toPod({ host: gateway, port: 4_182 }, { host, port: 4_182 });
}

async function berth(command: string): Promise<string> {
  return await release.run("api", `export BERTH_URL=http://127.0.0.1:4180 BERTH_TOKEN=${token}; ${command}`);
}

let token = "";
const bash = (command: string) =>
  `'${JSON.stringify({ steps: [{ tool: "Bash", input: { command } }, { say: "Done." }] })}'`;

test("a session in a pod of the sandboxes' namespace, through the gateway; another runner goes on with its disk", {
  skip,
  timeout: 600_000,
}, async () => {
  token = (await release.run("api", "berth token create --user ada@example.com --role admin")).trim();
  const hosts = `-F 'config.networking.allowed_hosts=["web.test:${WEB}"]'`;
  const type = "-f config.type=cloud -f config.networking.type=limited";
  const environment = (await berth(`berth environments create -f name=web ${type} ${hosts} -o id`)).trim();
  const tools = `-F 'tools=[{"type": "agent_toolset_20260401"}]'`;
  const agent = (
    await berth(`berth agents create -f name=Ada -f model=rehearsal/steps ${tools} -o id`)
  ).trim();
  const parts = `-f agent=${agent} -f environment_id=${environment}`;
  const session = (await berth(`berth sessions create ${parts} -o id`)).trim();
  const send = (command: string) => berth(`berth sessions send -f ${session} ${bash(command)}`);
  const fetch = (url: string) => `curl -sS -m 20 ${url}`;
  const tried = `id -un; echo kept > /data/kept; ${fetch(`http://web.test:${WEB}/`)}; ${fetch("http://evil.example/")} || echo refused`;
  assert.match(await send(tried), /agent\n[\s\S]*from the web\n[\s\S]*refused[\s\S]*Done\./);

  await release.core.deleteNamespacedPod({
    name: (await release.podOf("runner")).metadata?.name ?? "",
    namespace: RELEASE.Namespace,
  });
  assert.match(await send("cat /data/kept"), /kept\n[\s\S]*Done\./);
});

test("an idle session has no pod, and doctor finds the rights", { skip, timeout: 600_000 }, async () => {
  let left: number | undefined;
  await waitUntil(
    async () => {
      left = (await release.core.listNamespacedPod({ namespace: "berth-sandboxes" })).items.length;
      return left === 0;
    },
    () => `${left} pods are left`,
  );
  const doctor = await release.run("runner", "berth doctor || true");
  assert.match(doctor, /ok +rights /);
  assert.match(doctor, /ok +cluster /);
  assert.match(await berth("berth health"), /runner/);
});

test("the runner's pod has no root, and its image cannot be written", { skip }, async () => {
  const seen = await release.run("runner", "id -u; touch /x 2>&1 || true; grep CapEff /proc/self/status");
  assert.match(seen, /^10001\ntouch: [^\n]*Read-only file system\nCapEff:\t0+\n$/);
});
