import type { V1Container, V1PodSpec } from "@kubernetes/client-node";

const VOLUMES = ["configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"];
const SYSCTLS = ["net.ipv4.ip_unprivileged_port_start"];

/**
 * Returns the violations of the Pod Security Standard `restricted`. The test cluster predates its
 * enforcement.
 */
export function restrictionsBroken(spec: V1PodSpec | undefined): string[] {
  if (spec === undefined) return ["there is no pod"];
  const { hostNetwork, hostPID, hostIPC, securityContext: pod, volumes = [] } = spec;
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return [
    ...(hostNetwork || hostPID || hostIPC ? ["a namespace of the node"] : []),
    ...(pod?.sysctls ?? []).filter(({ name }) => !SYSCTLS.includes(name)).map(({ name }) => name),
    ...volumes
      .filter((volume) => !VOLUMES.some((kind) => kind in volume && volume[kind as "secret"] !== undefined))
      .map(({ name }) => `the volume ${name}`),
    ...(pod?.seccompProfile?.type === "RuntimeDefault" ? [] : ["no filter of system calls"]),
    ...(pod?.runAsNonRoot === true ? [] : ["may be root"]),
    ...containers.flatMap((container) => brokenIn(container).map((what) => `${container.name}: ${what}`)),
  ];
}

function brokenIn({ securityContext: own, ports = [] }: V1Container): string[] {
  return [
    ...(own?.allowPrivilegeEscalation === false ? [] : ["may gain privileges"]),
    ...(own?.privileged ? ["privileged"] : []),
    ...(own?.capabilities?.drop?.includes("ALL") ? [] : ["keeps capabilities"]),
    ...(own?.capabilities?.add ?? []),
    ...(own?.runAsNonRoot === false || own?.runAsUser === 0 ? ["is root"] : []),
    ...(ports.some(({ hostPort }) => hostPort !== undefined) ? ["a port of the node"] : []),
  ];
}
