import { list } from "./parsers.ts";

/** A toleration of a pod, as in the Kubernetes API. */
export interface Toleration {
  key: string;
  operator: "Exists" | "Equal";
  value?: string;
  effect?: string;
}

const LABEL = /^([A-Za-z0-9][A-Za-z0-9._/-]*)=([A-Za-z0-9._-]*)$/;
const TOLERATION =
  /^([A-Za-z0-9][A-Za-z0-9._/-]*)(?:=([A-Za-z0-9._-]*))?(?::(NoSchedule|PreferNoSchedule|NoExecute))?$/;

const RUNTIME_CLASS = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** Parses labels of the nodes for sandboxes, such as `pool=sandboxes,disk=local`. */
export function nodeSelector(text: string): Record<string, string> {
  const labels = list(text).map((item) => LABEL.exec(item));
  if (labels.includes(null)) throw new Error("must be a list of labels such as pool=sandboxes,disk=local");
  return Object.fromEntries(labels.flatMap((label) => (label === null ? [] : [[label[1], label[2]]])));
}

/** Parses names of runtime classes, such as `gvisor,kata`. */
export function runtimeClasses(text: string): string[] {
  const names = list(text);
  if (names.every((name) => RUNTIME_CLASS.test(name))) return names;
  throw new Error("must be a list of names such as gvisor,kata");
}

/** Parses taints that pods tolerate, as for `kubectl taint`: `dedicated=sandboxes:NoSchedule`, or a key. */
export function tolerations(text: string): Toleration[] {
  return list(text).map((item) => {
    const [, key, value, effect] = TOLERATION.exec(item) ?? [];
    if (key === undefined)
      throw new Error("must be a list of taints such as dedicated=sandboxes:NoSchedule,spot:NoExecute");
    return {
      key,
      ...(value === undefined ? { operator: "Exists" as const } : { operator: "Equal" as const, value }),
      ...(effect === undefined ? {} : { effect }),
    };
  });
}
