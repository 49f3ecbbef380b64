import { CAPTURE_ROUTES, SIDECAR } from "@berth/egress";
import type { V1Container } from "@kubernetes/client-node";

/**
 * How connections of a pod's sandbox reach the egress gateway. With `routes`, the kernel ends all connections
 * inside the pod; an init container needs NET_ADMIN to set that up. With `proxy`, programs use the proxy that
 * their variables name. Other programs reach whatever the cluster's network allows, so a NetworkPolicy must
 * allow only the gateway.
 */
export type CaptureKind = "routes" | "proxy";

export interface EgressSettings {
  capture: CaptureKind;
  /** Address of the gateway for pods: an IPv4 address, since they have no resolver, and a port. */
  gateway: { host: string; port: number };
  /** An image with Node and Perl, such as Berth's own. */
  image: string;
  /** Path of Node in the image. */
  node: string;
  imagePullPolicy: string;
}

export const EGRESS_CONTAINER = "egress";

/** A uid that neither a session nor the server of a pod's pipes has. */
const EGRESS_UID = 65_532;

const PROGRAMS = "/berth/commands";
const PROGRAM = "egress-sidecar.mjs";

/** Programs for the directory `commands` of a pod's files. */
export const EGRESS_PROGRAMS: Readonly<Record<string, string>> = { [PROGRAM]: SIDECAR };

/**
 * Lets a container without capabilities listen on low ports. Kubernetes lists this sysctl as safe since 1.22.
 */
export const EGRESS_SYSCTLS = [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }];

/** Returns the init container that changes the pod's routes before anything else runs in it. */
export function routesContainer({ gateway, image, imagePullPolicy }: EgressSettings): V1Container {
  return {
    name: "network",
    image,
    imagePullPolicy,
    command: ["perl", "-e", CAPTURE_ROUTES, "--", gateway.host, String(gateway.port)],
    securityContext: {
      runAsUser: 0,
      runAsGroup: 0,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"], add: ["NET_ADMIN"] },
    },
    resources: SMALL,
  };
}

/**
 * Returns the container in which the sidecar runs. It idles until a process starts the sidecar and passes the
 * token.
 */
export function sidecarContainer({ image, imagePullPolicy }: EgressSettings): V1Container {
  return {
    name: EGRESS_CONTAINER,
    image,
    imagePullPolicy,
    command: ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 3600 & wait; done"],
    volumeMounts: [{ name: "files", mountPath: PROGRAMS, subPath: "commands", readOnly: true }],
    securityContext: {
      runAsUser: EGRESS_UID,
      runAsGroup: EGRESS_UID,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    resources: SMALL,
  };
}

/** Returns the command that starts the sidecar in its container. @param epoch Epoch of the lease. */
export function sidecarCommand({ node, capture }: EgressSettings, epoch: number): string[] {
  return [
    node,
    "--max-old-space-size=64",
    "--max-semi-space-size=1",
    `${PROGRAMS}/${PROGRAM}`,
    String(epoch),
    capture,
  ];
}

/** Returns variables of the sandbox's container, for programs that support proxies. */
export function proxyVariables({ capture }: EgressSettings): { name: string; value: string }[] {
  if (capture === "routes") return [];
  const direct = "localhost,127.0.0.1,::1";
  return ["http_proxy", "https_proxy", "no_proxy"].flatMap((name) => {
    const value = name === "no_proxy" ? direct : "http://127.0.0.1:3128";
    return [
      { name, value },
      { name: name.toUpperCase(), value },
    ];
  });
}

const SMALL = { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "1", memory: "256Mi" } };
