/**
 * Field that identifies the entries of each list that Kubernetes merges in a pod. Other lists are replaced.
 */
const KEYS: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  volumes: "name",
  env: "name",
  imagePullSecrets: "name",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  ports: "containerPort",
  hostAliases: "ip",
  topologySpreadConstraints: "topologyKey",
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Applies a strategic merge patch to an object of a pod. Fields are merged, null removes a field, and the
 * lists in `KEYS` are merged by their keys.
 */
export function mergePatch(target: unknown, patch: unknown, field = ""): unknown {
  const key = KEYS[field];
  if (Array.isArray(patch))
    return key !== undefined && Array.isArray(target) ? mergeLists(target, patch, key) : patch;
  if (!isFields(patch)) return patch;
  const merged: Record<string, unknown> = isFields(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (name === "$patch") continue;
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value, name);
  }
  return merged;
}

function mergeLists(target: readonly unknown[], patch: readonly unknown[], key: string): unknown[] {
  const merged = [...target];
  for (const entry of patch) {
    const at = merged.findIndex((one) => isFields(one) && isFields(entry) && one[key] === entry[key]);
    if (isFields(entry) && entry.$patch === "delete") {
      if (at >= 0) merged.splice(at, 1);
    } else if (at < 0) merged.push(mergePatch(undefined, entry));
    else merged[at] = mergePatch(merged[at], entry);
  }
  return merged;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
