import { type ClusterObject, RELEASE } from "./render-chart.ts";

/** What an overlay names: the image as manifests have it, Secrets, and ConfigMaps. */
export const NAMES = {
  image: "berth",
  database: "berth-database",
  key: "berth-key",
  bucket: "berth-s3",
  models: "berth-models",
  settings: "berth-settings",
  files: `${RELEASE.Name}-files`,
} as const;

/** Settings that every installation has a value of its own for, so that manifests have none. */
const GIVEN = [
  "BERTH_BLOBS",
  "BERTH_KUBERNETES_IMAGE",
  "BERTH_KUBERNETES_EGRESS_IMAGE",
  "BERTH_KUBERNETES_POD_PATCH",
];
const MIGRATE = "migrate";

type Variable = { name: string; value: string };

/** Variables that all containers have with the same value, by their names. */
export function settingsOf(objects: readonly ClusterObject[]): Record<string, string> {
  return Object.fromEntries(
    sharedVariables(objects)
      .filter(({ name }) => !GIVEN.includes(name))
      .map(({ name, value }) => [name, value]),
  );
}

/**
 * The objects without what only Helm does. A Job that runs before everything else becomes the first container of each pod: those that start
 * together wait for each other, and pods are replaced only once a new one has migrated. What all pods have as variables comes from a
 * ConfigMap, and Secrets that not every installation needs may be missing.
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
