// Subject: each object of deploy/chart, as a real API server takes it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ClusterObject, merged, renderChart, type Values } from "../../../script/chart/render-chart.ts";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";
import { missingForCluster } from "../harness/find-kit.ts";
import { startTestCluster, type TestCluster } from "../harness/test-cluster.ts";
import { DEFINITIONS } from "./definitions.ts";
import { guideBlocks } from "./guide-blocks.ts";
import { lost, ObjectsOfServer } from "./objects-of-server.ts";
import { OPTIONS, REQUIRED } from "./values.ts";

const skip = missingForCluster() ?? false;
/** What objects lack under their former names. */
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

/** One that is there is taken as it is: the cluster may be another's. */
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

/** What is wrong with an object, as the server says it. */
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

/** The namespace of the sandboxes is there, for what is in it. */
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
