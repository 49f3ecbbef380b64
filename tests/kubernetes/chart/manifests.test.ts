// Tests the manifests of a release, rendered by `kubectl kustomize` with the guide's kustomization.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseAllDocuments, stringify } from "yaml";
import manifest from "../../../package.json" with { type: "json" };
import { manifests } from "../../../script/chart/manifests.ts";
import { type ClusterObject, merged, renderChart, type Values } from "../../../script/chart/render-chart.ts";
import { writeManifests } from "../../../script/packaging/pack-manifests.ts";
import { guideBlocks } from "./guide-blocks.ts";
import { hasKubectl, kubectl } from "./kubectl.ts";
import { restrictionsBroken } from "./pod-security.ts";
import { REQUIRED } from "./values.ts";

const skip = hasKubectl() ? false : "kubectl is not on the path";
const SECRETS = {
  "database.url": "postgres://db",
  "secret.key": "key",
  "s3.env": "AWS_ACCESS_KEY_ID=a\n",
  "models.env": "OPENAI_API_KEY=b\n",
};
/** The settings of the guide's kustomization, as values of the chart. */
const SAME: Values = merged(REQUIRED, {
  image: { repository: "registry.example.com/berth" },
  contents: { existingSecret: "berth-s3" },
  models: { existingSecret: "berth-models" },
  sandboxes: { image: `registry.example.com/berth-sandbox:${manifest.version}`, storageClass: "local-lvm" },
  files: { "pod-patch.yaml": "spec: {}" },
});

const [overlay] = guideBlocks().filter(({ kind }) => kind === "Kustomization");

function built(t: TestContext, changed: object = {}): ClusterObject[] {
  const directory = mkdtempSync(join(tmpdir(), "berth-manifests-"));
  t.after(() => rmSync(directory, { recursive: true }));
  writeManifests(join(directory, `berth-manifests-${manifest.version}`));
  for (const [name, text] of Object.entries(SECRETS)) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, "pod-patch.yaml"), "spec: {}");
  writeFileSync(join(directory, "kustomization.yaml"), stringify({ ...overlay, ...changed }));
  return objectsOf(kubectl(["kustomize", directory]));
}

function objectsOf(text: string): ClusterObject[] {
  return parseAllDocuments(text).map((document) => document.toJS());
}

const deploymentsOf = (objects: readonly ClusterObject[]) =>
  new Map(objects.filter(({ kind }) => kind === "Deployment").map((one) => [one.metadata.name, one]));

/** Returns a container's variables, including those of its ConfigMaps. */
function variablesOf(container: ClusterObject, objects: readonly ClusterObject[]): Record<string, string> {
  const names = container.envFrom.flatMap(({ configMapRef }: ClusterObject) => configMapRef?.name ?? []);
  const maps = objects.filter(({ kind, metadata }) => kind === "ConfigMap" && names.includes(metadata.name));
  assert.equal(maps.length, names.length, "it is there, with the digest in its name");
  const own = container.env.map(({ name, value }: ClusterObject) => [name, value]);
  return Object.assign({}, ...maps.map(({ data }) => data), Object.fromEntries(own));
}

test("with the guide's kustomization, pods are those of the chart with the same values, and each migrates first", {
  skip,
}, (t) => {
  const patch = "BERTH_KUBERNETES_POD_PATCH=/etc/berth/files/pod-patch.yaml";
  const [settings, ...others] = overlay.configMapGenerator;
  const objects = built(t, {
    configMapGenerator: [
      { ...settings, literals: [...settings.literals, patch] },
      ...others,
      { name: "berth-files", namespace: "berth", behavior: "merge", files: ["pod-patch.yaml"] },
    ],
  });
  const chart = renderChart(SAME);
  const ofChart = deploymentsOf(chart);
  const [job] = chart.filter(({ kind }) => kind === "Job");
  assert.deepEqual([...deploymentsOf(objects).keys()].sort(), [...ofChart.keys()].sort());
  for (const [name, { spec }] of deploymentsOf(objects)) {
    const wanted = ofChart.get(name).spec.template.spec;
    const { containers, initContainers, volumes, ...pod } = spec.template.spec;
    const { containers: wantedContainers, volumes: wantedVolumes, ...wantedPod } = wanted;
    assert.deepEqual(pod, wantedPod, name);
    assert.deepEqual(restrictionsBroken(spec.template.spec), [], name);
    const inside = [
      [containers[0], wantedContainers[0]],
      [initContainers[0], job.spec.template.spec.containers[0]],
    ];
    for (const [one, other] of inside) {
      const { env: _, envFrom: _own, ...container } = one;
      const { env, envFrom: _other, ...wantedContainer } = other;
      assert.deepEqual(container, wantedContainer, name);
      const text = Object.fromEntries(env.map((each: ClusterObject) => [each.name, each.value]));
      assert.deepEqual(variablesOf(one, objects), text, name);
    }
    const plain = (name: string) => name.replace(/-[a-z0-9]{10}$/, "");
    const named = JSON.parse(
      JSON.stringify(volumes, (key, value) => (/^(secretName|name)$/.test(key) ? plain(value) : value)),
    );
    assert.deepEqual(named, wantedVolumes, name);
    const made = new Set(objects.map(({ metadata }) => metadata.name));
    for (const { secret, configMap } of volumes) {
      const used = secret?.secretName ?? configMap?.name;
      if (used !== undefined) assert.ok(made.has(used), used);
    }
  }
});

test("a changed setting, file or Secret replaces the pods; without Secrets and files the objects are complete", {
  skip,
}, (t) => {
  const templates = (objects: ClusterObject[]) =>
    [...deploymentsOf(objects)].map(([, { spec }]) => JSON.stringify(spec.template));
  const before = templates(built(t));
  const [settings] = overlay.configMapGenerator;
  const changes = [
    { configMapGenerator: [{ ...settings, literals: [...settings.literals, "BERTH_MAX_PIDS=500"] }] },
    {
      secretGenerator: [
        ...overlay.secretGenerator.slice(1),
        { name: "berth-database", namespace: "berth", literals: ["url=b"] },
      ],
    },
    {
      configMapGenerator: [
        settings,
        { name: "berth-files", namespace: "berth", behavior: "merge", literals: ["models.json={}"] },
      ],
    },
  ];
  for (const change of changes)
    for (const [at, template] of templates(built(t, change)).entries()) assert.notEqual(template, before[at]);
  const { secretGenerator: _, ...rest } = overlay;
  const alone = built(t, { ...rest, secretGenerator: [] });
  assert.ok(!alone.some(({ kind }) => kind === "Secret"));
  assert.equal(deploymentsOf(alone).size, 3);
});

test("the namespaces are apart, each other object of the chart is there, and nothing is a hook", {
  skip,
}, (t) => {
  const directory = mkdtempSync(join(tmpdir(), "berth-manifests-"));
  t.after(() => rmSync(directory, { recursive: true }));
  writeManifests(directory);
  const spaces = objectsOf(kubectl(["kustomize", join(directory, "namespaces")]));
  assert.deepEqual(
    spaces.map(({ metadata }) => [metadata.name, metadata.labels["pod-security.kubernetes.io/enforce"]]),
    [
      ["berth", "restricted"],
      ["berth-sandboxes", "privileged"],
    ],
  );
  const nameOf = ({ kind, metadata }: ClusterObject) => `${kind} ${metadata.namespace} ${metadata.name}`;
  const wanted = renderChart(REQUIRED)
    .filter(({ kind, metadata }) => !["Job", "Namespace"].includes(kind) && metadata.name !== "berth-migrate")
    .map(nameOf);
  for (const size of new Set([...manifests().keys()].map((path) => path.split("/")[0] ?? ""))) {
    if (size === "namespaces") continue;
    const objects = objectsOf(kubectl(["kustomize", join(directory, size)]));
    const found = objects.filter(({ kind }) => kind !== "ConfigMap").map(nameOf);
    assert.deepEqual(found.sort(), wanted.toSorted(), size);
    for (const { metadata } of objects) {
      assert.doesNotMatch(JSON.stringify(metadata), /helm/i);
      assert.equal(metadata.labels?.["app.kubernetes.io/managed-by"] ?? "kustomize", "kustomize");
    }
  }
});
