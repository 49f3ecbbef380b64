import { type ClusterObject, RELEASE } from "./render-chart.ts";

/** The names for overlays: the manifests' image, Secrets, and ConfigMaps. */
export const NAMES = {
  image: "berth",
  database: "berth-database",
  key: "berth-key",
  bucket: "berth-s3",
  models: "berth-models",
  settings: "berth-settings",
  files: `${RELEASE.Name}-files`,
} as const;

/** Settings that every installation chooses itself, so that the manifests leave them out. */
const GIVEN = [
  "BERTH_BLOBS",
  "BERTH_KUBERNETES_IMAGE",
  "BERTH_KUBERNETES_EGRESS_IMAGE",
  "BERTH_KUBERNETES_POD_PATCH",
];
const MIGRATE = "migrate";

type Variable = { name: string; value: string };

/** Returns the variables that all containers share with the same value. */
export function settingsOf(objects: readonly ClusterObject[]): Record<string, string> {
  return Object.fromEntries(
    sharedVariables(objects)
      .filter(({ name }) => !GIVEN.includes(name))
      .map(({ name, value }) => [name, value]),
  );
}

/**
 * Returns the objects without features that only Helm has. A Job that runs before everything else becomes an
 * init container of each pod. Pods that start together wait for each other, and pods are replaced only after
 * a new one has migrated. Variables that all pods share come from a ConfigMap, and optional Secrets may be
 * missing.
 */
export function withoutHooks(objects: readonly ClusterObject[]): ClusterObject[] {
  const [job] = objects.filter(({ kind }) => kind === "Job");
  const shared = new Set(sharedVariables(objects).map(({ name }) => name));
  const container = (one: ClusterObject): ClusterObject => ({
    ...one,
    env: one.env.filter(({ name }: Variable) => !shared.has(name)),
    envFrom: [{ configMapRef: { name: NAMES.settings } }, ...(one.envFrom ?? []).map(optional)],
  });
  const migrate = container(job.spec.template.spec.containers[0]);
  return objects
    .filter(
      ({ kind, metadata }) =>
        kind !== "Job" && kind !== "ConfigMap" && !metadata.name.endsWith(`-${MIGRATE}`),
    )
    .map((object) => {
      if (object.kind !== "Deployment") return object;
      const { template } = object.spec;
      const spec = {
        ...template.spec,
        initContainers: [migrate],
        containers: template.spec.containers.map(container),
      };
      const { annotations: _, ...metadata } = template.metadata;
      return { ...object, spec: { ...object.spec, template: { metadata, spec } } };
    });
}

function optional({ secretRef }: ClusterObject): ClusterObject {
  return { secretRef: { ...secretRef, optional: true } };
}

function sharedVariables(objects: readonly ClusterObject[]): Variable[] {
  const templates = objects.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []);
  const [first, ...others] = templates.map(({ env }): Variable[] => env);
  return (first ?? []).filter(({ name, value }) =>
    others.every((env) => env.some((one) => one.name === name && one.value === value)),
  );
}
