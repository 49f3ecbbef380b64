// Tests a release's manifests for `kubectl apply -k`, in a real cluster by the guide's commands, from the
// archive to a session's turn.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { stringify } from "yaml";
import manifest from "../../../package.json" with { type: "json" };
import { type ClusterObject, RELEASE } from "../../../script/chart/render-chart.ts";
import { runBerth } from "../../acceptance/harness/run-berth.ts";
import { notTodays } from "../../effort/effort.ts";
import { sharedRelease } from "../../release/shared-release.ts";
import { S3_CREDENTIALS } from "../../s3-host/s3-host.ts";
import { findKit, missingForCluster } from "../harness/find-kit.ts";
import { SERVICE_IMAGE } from "../harness/make-service-image.ts";
import { ClusterClient } from "./cluster-client.ts";
import { guideBlocks } from "./guide-blocks.ts";
import { hasKubectl } from "./kubectl.ts";
import { DATABASE_URL, GATEWAY_PORT, type Surroundings, startSurroundings } from "./surroundings.ts";

const skip =
  missingForCluster() ??
  (findKit()?.kind === "cluster"
    ? "the cluster has a network and names of its own"
    : hasKubectl()
      ? notTodays("pods", 2, 3)
      : "kubectl is not on the path");
const NAME = `berth-manifests-${manifest.version}`;
const IMAGE = `${SERVICE_IMAGE.repository}:${SERVICE_IMAGE.tag}`;

let surroundings: Surroundings;
let directory: string;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

before(async () => {
  if (skip !== false) return;
  directory = mkdtempSync(join(tmpdir(), "berth-applied-"));
  CLEANUP.push(() => rmSync(directory, { recursive: true, force: true }));
  surroundings = await startSurroundings(CLEANUP);
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

/** Runs kubectl in the installation's directory. @throws with its output if it fails. */
async function kubectl(command: string): Promise<string> {
  const words = ["--kubeconfig", surroundings.cluster.kubeconfig, ...command.split(" ")];
  return (await promisify(execFile)("kubectl", words, { cwd: directory })).stdout;
}

/**
 * Returns the guide's kustomization, with this cluster's addresses, one pod of each role, and no model key.
 */
function kustomization(): object {
  const [guide] = guideBlocks().filter(({ kind }) => kind === "Kustomization");
  const [settings] = guide.configMapGenerator;
  const { cluster, place } = surroundings;
  const own: Record<string, string> = {
    BERTH_BLOBS: place,
    BERTH_KUBERNETES_IMAGE: cluster.image,
    BERTH_KUBERNETES_EGRESS_IMAGE: IMAGE,
    BERTH_KUBERNETES_STORAGE_CLASS: cluster.storageClass ?? "",
  };
  const named = settings.literals.map((literal: string) => literal.split("=")[0] ?? "");
  assert.deepEqual(named.toSorted(), Object.keys(own).toSorted(), "all that the guide sets");
  const sizes = { BERTH_SESSION_DISK_MB: "128", BERTH_MAX_DISK_MB: "256" };
  const literals = Object.entries({ ...own, ...sizes }).map(([name, value]) => `${name}=${value}`);
  return {
    ...guide,
    resources: [`${NAME}/small`],
    images: [{ ...guide.images[0], newName: SERVICE_IMAGE.repository, newTag: SERVICE_IMAGE.tag }],
    configMapGenerator: [{ ...settings, literals }],
    secretGenerator: guide.secretGenerator.filter(({ name }: ClusterObject) => name !== "berth-models"),
    // The test cluster has no budgets in the manifests' version.
    patches: [
      {
        target: { kind: "PodDisruptionBudget" },
        patch: "$patch: delete\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: all }\n",
      },
    ],
  };
}

/** Replaces the cluster's own proxies and DNS. */
async function connectServices(): Promise<void> {
  const { cluster, network } = surroundings;
  const client = new ClusterClient(cluster.kubeconfig);
  const { items } = await client.core.listNamespacedService({ namespace: RELEASE.Namespace });
  for (const { metadata, spec } of items) {
    const [name, address] = [metadata?.name ?? "", spec?.clusterIP ?? "None"];
    if (address !== "None") await network.name(`${name}.${RELEASE.Namespace}.svc`, address);
    if (name !== "berth-egress") continue;
    const host = await client.addressOf("egress");
    await network.toPod({ host: address, port: GATEWAY_PORT }, { host, port: GATEWAY_PORT });
  }
}

/** Returns the URL at which `kubectl port-forward` listens. */
async function forwarded(): Promise<string> {
  const words = `--namespace berth port-forward service/berth-api :80`.split(" ");
  const child: ChildProcess = spawn("kubectl", ["--kubeconfig", surroundings.cluster.kubeconfig, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  CLEANUP.push(async () => {
    child.kill();
    await once(child, "exit");
  });
  if (child.stdout === null) throw new Error("kubectl has no stdout");
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = /^Forwarding from 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error("kubectl port-forward ended");
}

test("the guide's commands, from the archive: all roles are rolled out, doctor lacks nothing, and a session has its turn", {
  skip,
  timeout: 900_000,
}, async () => {
  const [archive = ""] = globSync(join(sharedRelease(), `${NAME}.tgz`));
  await promisify(execFile)("tar", ["-xzf", archive], { cwd: directory });
  const files = {
    "kustomization.yaml": stringify(kustomization()),
    "database.url": DATABASE_URL,
    "secret.key": randomBytes(32).toString("base64"),
    "s3.env": Object.entries(S3_CREDENTIALS)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  await kubectl(`apply -k ${NAME}/namespaces`);
  await kubectl("apply -k .");
  await connectServices();
  await kubectl("--namespace berth rollout status deployment --timeout 10m");

  const told = await kubectl("--namespace berth exec deployment/berth-runner -- berth doctor").catch(
    ({ stdout }) => stdout,
  );
  assert.doesNotMatch(told, /^missing/m);
  const made = "berth bootstrap --user you@example.com --role admin";
  const token = (await kubectl(`--namespace berth exec deployment/berth-api -- ${made}`)).trim();
  const settings = { BERTH_URL: await forwarded(), BERTH_TOKEN: token };
  const health = await runBerth(["health"], settings);
  assert.equal(health.code, 0, health.said);
  const steps = [{ tool: "Bash", input: { command: "id -un; pwd" } }, { say: "Done." }];
  const turn = await runBerth(["run", JSON.stringify({ steps }), "--model", "rehearsal/steps"], settings);
  assert.equal(turn.code, 0, turn.said);
  assert.match(turn.said, /│ agent\n *│ \/data\n[\s\S]*Done\./);
});
