// Tests each object of deploy/chart against a real API server.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { stringify } from "yaml";
import { type ClusterObject, merged, renderChart, type Values } from "../../../script/chart/render-chart.ts";
import { writeManifests } from "../../../script/packaging/pack-manifests.ts";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";
import { missingForCluster } from "../harness/find-kit.ts";
import { startTestCluster, type TestCluster } from "../harness/test-cluster.ts";
import { DEFINITIONS } from "./definitions.ts";
import { guideBlocks } from "./guide-blocks.ts";
import { hasKubectl, kubectl } from "./kubectl.ts";
import { lost, ObjectsOfServer } from "./objects-of-server.ts";
import { OPTIONS, REQUIRED } from "./values.ts";

const skip = missingForCluster() ?? false;
/** Fields that objects lack in former API versions. */
const NOT_OF_FORMER = ["/spec/unhealthyPodEvictionPolicy"];
let cluster: TestCluster;
let server: ObjectsOfServer;

before(async () => {
  if (skip !== false) return;
  cluster = await startTestCluster("objects");
  server = new ObjectsOfServer(cluster.kubeconfig);
  for (const name of ["berth", "berth-sandboxes"]) await make(namespace(name));
  for (const definition of DEFINITIONS) await make(definition);
  const [monitor] = objects(OPTIONS.metrics ?? {}).filter(({ kind }) => kind === "ServiceMonitor");
  for (const object of [monitor, ...scaledObjects()])
    await waitUntil(
      () =>
        server.tried(object).then(
          ({ status }) => status !== 404,
          () => false,
        ),
      () => `no ${object.kind} is taken`,
    );
});
after(() => cluster?.close());

function namespace(name: string): ClusterObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

/** Creates an object. An existing one is kept, since the cluster may be shared. */
async function make(object: ClusterObject): Promise<void> {
  const { status, body } = await server.create(object);
  assert.ok(status === 201 || status === 409, body.message);
}

function objects(values: Values): ClusterObject[] {
  return renderChart(merged(REQUIRED, values));
}

function scaledObjects(): ClusterObject[] {
  return guideBlocks().filter(({ kind }) => kind === "ScaledObject");
}

/** Returns the faults of an object, by the server. */
async function faultsOf(object: ClusterObject): Promise<string[]> {
  const name = `${object.kind} ${object.metadata.name}`;
  const { status, body } = await server.tried(object);
  if (status !== 201) return [`${name}: ${status} ${body.message}`];
  const { apiVersion, ...sent } = object;
  const known = body.apiVersion === apiVersion ? [] : NOT_OF_FORMER;
  return lost(sent, body)
    .filter((path) => !known.includes(path))
    .map((path) => `${name}: ${path} is lost`);
}

/** Renames the sandboxes' namespace, which exists already. */
function elsewhere(object: ClusterObject): ClusterObject {
  return object.kind === "Namespace"
    ? { ...object, metadata: { ...object.metadata, name: "other" } }
    : object;
}

for (const [name, values] of [["nothing but what is required", {}] as const, ...Object.entries(OPTIONS)])
  test(`the API server takes every object: ${name}`, { skip }, async () => {
    const faults = await Promise.all(objects(values).map(elsewhere).map(faultsOf));
    assert.deepEqual(faults.flat(), []);
  });

for (const size of ["default", "small"])
  test(`kubectl applies the manifests of a release and removes them, but for the namespaces: ${size}`, {
    skip: skip === false && !hasKubectl() ? "kubectl is not on the path" : skip,
  }, (t) => {
    const directory = mkdtempSync(join(tmpdir(), "berth-applied-"));
    t.after(() => rmSync(directory, { recursive: true }));
    writeManifests(join(directory, "manifests"));
    writeFileSync(join(directory, "kustomization.yaml"), stringify(kustomizationOf(`manifests/${size}`)));
    const on = (...words: string[]) => kubectl([`--kubeconfig=${cluster.kubeconfig}`, ...words]);
    on("apply", "-k", join(directory, "manifests/namespaces"));
    assert.match(on("apply", "-k", directory), /^deployment\.apps\/berth-api created$/m);
    assert.doesNotMatch(on("apply", "-k", directory), / created$/m, "a second time nothing is new");
    const settings = on("get", "configmaps", "--namespace", "berth", "--output", "yaml");
    assert.match(settings, /BERTH_BLOBS: s3:\/\/one/);
    on("delete", "-k", directory);
    assert.match(on("get", "namespaces", "--output", "name"), /^namespace\/berth-sandboxes$/m);
    assert.equal(on("get", "deployments", "--namespace", "berth", "--output", "name"), "");
  });

/** Returns a kustomization over the manifests, without what the test server lacks. */
function kustomizationOf(resource: string): object {
  const namespace = "berth";
  const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget" };
  return {
    resources: [resource],
    images: [{ name: "berth", newName: "registry.example/berth", newTag: "1" }],
    configMapGenerator: [
      { name: "berth-settings", namespace, behavior: "merge", literals: ["BERTH_BLOBS=s3://one"] },
    ],
    secretGenerator: [{ name: "berth-key", namespace, literals: ["secret.key=key"] }],
    patches: ["api", "egress", "runner"].map((role) => ({
      patch: stringify({ $patch: "delete", ...budget, metadata: { name: `berth-${role}`, namespace } }),
    })),
  };
}

test("the API server takes what the guide has KEDA do, which is what the chart's autoscaler does", {
  skip,
}, async () => {
  const [scaled, ...others] = scaledObjects();
  assert.deepEqual([others, await faultsOf(scaled)], [[], []]);
  const [autoscaler] = objects(OPTIONS.autoscaling ?? {}).filter(
    ({ kind }) => kind === "HorizontalPodAutoscaler",
  );
  const { scaleTargetRef, minReplicaCount, maxReplicaCount, advanced, triggers } = scaled.spec;
  const { behavior } = advanced.horizontalPodAutoscalerConfig;
  const [{ external }] = autoscaler.spec.metrics;
  assert.equal(scaleTargetRef.name, autoscaler.spec.scaleTargetRef.name);
  assert.deepEqual(
    [minReplicaCount, maxReplicaCount],
    [autoscaler.spec.minReplicas, autoscaler.spec.maxReplicas],
  );
  assert.deepEqual(behavior, autoscaler.spec.behavior);
  assert.equal(triggers[0].metadata.threshold, external.target.value);
});

test("a field that the API does not know, and a value that it refuses, are noticed", { skip }, async () => {
  const [deployment] = objects({}).filter(({ kind }) => kind === "Deployment");
  const unknown = structuredClone(deployment);
  unknown.spec.template.spec.containers[0].readynessProbe = {};
  unknown.spec.template.spec.containers[0].ports[0].containerport = 80;
  assert.match((await faultsOf(unknown)).join(), /containerport/);
  const wrong = structuredClone(deployment);
  wrong.spec.template.spec.containers[0].ports[0].containerPort = 80_000;
  assert.match((await faultsOf(wrong)).join(), /422 .*must be between 1 and 65535/);
});
