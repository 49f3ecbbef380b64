import { CAPTURE_ROUTES, SIDECAR } from "@berth/egress";
import type { V1Container } from "@kubernetes/client-node";

/**
 * How connections of a pod's sandbox reach the egress gateway. `routes`: the kernel lets everything end in the pod; for that an init
 * container needs NET_ADMIN. `proxy`: programs use the proxy that their variables name; others reach what the cluster's own network lets them,
 * so that a NetworkPolicy has to allow the gateway alone.
 */
export type CaptureKind = "routes" | "proxy";

export interface EgressSettings {
  capture: CaptureKind;
  /** Where the pods find the gateway: an IPv4 address, since they have no resolver, and a port. */
  gateway: { host: string; port: number };
  /** An image with Node and Perl: Berth's own. */
  image: string;
  /** Where it has Node. */
  node: string;
  imagePullPolicy: string;
}

export const EGRESS_CONTAINER = "egress";

/** No session has this uid, nor has the server of a pod's pipes. */
const EGRESS_UID = 65_532;

const PROGRAMS = "/berth/commands";
const PROGRAM = "egress-sidecar.mjs";

/** For the directory `commands` of a pod's files. */
export const EGRESS_PROGRAMS: Readonly<Record<string, string>> = { [PROGRAM]: SIDECAR };

/** Lets a container without capabilities listen at the ports that programs dial. Safe by Kubernetes' own list since 1.22. */
export const EGRESS_SYSCTLS = [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }];

/** Changes the pod's routes before anything else runs in it, and ends. */
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

/** Stands still until the sidecar is started in it, by a process that gives it its token. */
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

/** Starts the sidecar in its container. @param epoch of the lease. */
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

/** Variables of the sandbox's container, for programs that know proxies. */
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
