import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse, stringify } from "yaml";
import { CHART, type ClusterObject, merged, RELEASE, renderChart, type Values } from "./render-chart.ts";
import { NAMES, settingsOf, withoutHooks } from "./without-helm.ts";

/** The values for rendering the chart: names of Secrets and files that an overlay creates. */
const VALUES: Values = {
  image: { repository: NAMES.image },
  database: { existingSecret: NAMES.database },
  secretKey: { existingSecret: NAMES.key },
  contents: { place: "s3://", existingSecret: NAMES.bucket },
  models: { existingSecret: NAMES.models },
  files: { any: "" },
};
const FILES = ["sandboxes", "egress", "api", "runner"] as const;
const HEADER =
  "# Made of deploy/chart. Yours are in a kustomization over this one; see docs/guides/kubernetes.md.\n";

/**
 * Returns the chart's objects as kustomizations for `kubectl apply -k`, by file path: `namespaces`, and one
 * for each size with a file for each role.
 */
export function manifests(): Map<string, string> {
  const files = new Map<string, string>();
  const write = (directory: string, parts: Record<string, readonly object[]>, more: object = {}) => {
    for (const [name, objects] of Object.entries(parts))
      files.set(
        `${directory}/${name}.yaml`,
        HEADER + objects.map((one) => stringify(one, YAML)).join("---\n"),
      );
    const resources = Object.keys(parts).map((name) => `${name}.yaml`);
    const kustomization = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources };
    files.set(`${directory}/kustomization.yaml`, HEADER + stringify({ ...kustomization, ...more }, YAML));
  };
  for (const [size, values] of sizes()) {
    const rendered = renderChart(merged(VALUES, values), { ...RELEASE, Service: "kustomize" });
    const objects = withoutHooks(rendered).filter(({ kind }) => kind !== "Namespace");
    const parts = FILES.map((name) => [name, objects.filter((one) => fileOf(one) === name)] as const);
    write(size, Object.fromEntries(parts), generators(settingsOf(rendered)));
    if (size === "default") write("namespaces", { namespaces: namespaces(rendered) });
  }
  return files;
}

const YAML = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Returns the values of each size, by name. */
function sizes(): [name: string, values: Values][] {
  const files = globSync("sizes/*.yaml", { cwd: CHART }).sort();
  const others = files.map((file): [string, Values] => [
    basename(file, ".yaml"),
    parse(readFileSync(join(CHART, file), "utf8")),
  ]);
  return [["default", {}], ...others];
}

/** Returns the name of an object's file: a role, or `sandboxes` for objects in the sandboxes' namespace. */
function fileOf({ metadata }: ClusterObject): string {
  if (metadata.namespace !== RELEASE.Namespace) return "sandboxes";
  return metadata.name.slice(`${RELEASE.Name}-`.length);
}

/** Returns the namespace of the service, which the chart leaves to Helm, and that of the sandboxes. */
function namespaces(objects: readonly ClusterObject[]): ClusterObject[] {
  const [sandboxes] = objects.filter(({ kind }) => kind === "Namespace");
  const { labels } = sandboxes.metadata;
  const own = Object.fromEntries(
    Object.entries(labels).filter(([name]) => name.startsWith("app.kubernetes.io/")),
  );
  const ofRelease = { ...own, "pod-security.kubernetes.io/enforce": "restricted" };
  const { annotations: _, ...metadata } = sandboxes.metadata;
  return [
    { ...sandboxes, metadata: { name: RELEASE.Namespace, labels: ofRelease } },
    { ...sandboxes, metadata },
  ];
}

/**
 * Returns generators of ConfigMaps that an overlay merges its settings and files into. Their names get a
 * digest, so that a change replaces the pods.
 */
function generators(settings: Readonly<Record<string, string>>): object {
  const literals = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const { Namespace: namespace } = RELEASE;
  return {
    configMapGenerator: [
      { name: NAMES.settings, namespace, literals },
      { name: NAMES.files, namespace },
    ],
  };
}
