import type { V1Pod, V1VolumeMount } from "@kubernetes/client-node";
import { supervisorCommand } from "../commands/supervisor.ts";
import { PIPES_INSIDE, PROGRAMS_INSIDE, UPLOADS_INSIDE, VARIABLES } from "../inside/environment.ts";
import type { Mount } from "../inside/mounts.ts";
import type { Limits } from "../interface/spec.ts";
import { pipePath } from "./pod-pipes.ts";

/** Labels of every pod, by which a sweep finds those of a dead process. */
export const INSTANCE = "berth.instance";
/** The process (`thisProcess`) and number of the engine that made it. */
export const OWNER = "berth.owner";
export const SANDBOX = "berth.sandbox";

/** The containers: the agent's, and the one beside it with the server of its pipes. */
export const SANDBOX_CONTAINER = "sandbox";
export const SERVER_CONTAINER = "berth";
/** Runs first, and ends once it has the files of the sandbox. */
export const FILES_CONTAINER = "files";

/** Where the files of a sandbox are, in the containers that the agent cannot reach. */
export const FILES = "/berth";
export const STATE = `${FILES}/state`;
const DISK = "/disk";
/** No session has this uid. */
const SERVER_UID = 65_533;

const FILES_MIB = 128;

export interface PodParts {
  name: string;
  labels: Record<string, string>;
  image: string;
  serverImage: string;
  imagePullPolicy: string;
  claim: string;
  uid: number;
  limits: Limits;
  /** Writable directories: their path on the disk and in the sandbox, and their mode when they are made. */
  writable: readonly (Mount & { mode: number })[];
  /** Files and directories below `FILES` and where the sandbox sees them, read-only. */
  readOnly: readonly { path: string; inside: string }[];
}

/** The pod of a sandbox. It has no account, no restart, and nothing of the node but its kernel. */
export function podBody(parts: PodParts): V1Pod {
  const { name, labels, image, serverImage, imagePullPolicy, claim, uid } = parts;
  const asServer = { ...CONTAINED, runAsUser: SERVER_UID, runAsGroup: SERVER_UID };
  const asAgent = { ...CONTAINED, runAsUser: uid, runAsGroup: uid };
  const files: V1VolumeMount = { name: "files", mountPath: FILES };
  const small = { requests: { cpu: "10m", memory: "16Mi" }, limits: { cpu: "1", memory: "128Mi" } };
  return {
    metadata: { name, labels },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostname: "session",
      terminationGracePeriodSeconds: 0,
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["127.0.0.1"] },
      securityContext: {
        runAsNonRoot: true,
        fsGroup: uid,
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
      },
      volumes: [
        { name: "disk", persistentVolumeClaim: { claimName: claim } },
        { name: "files", emptyDir: { medium: "Memory", sizeLimit: `${FILES_MIB}Mi` } },
      ],
      initContainers: [
        {
          name: "disk",
          image: serverImage,
          imagePullPolicy,
          command: ["/bin/sh", "-c", makeDirectories(parts)],
          volumeMounts: [{ name: "disk", mountPath: DISK }],
          securityContext: asAgent,
          resources: small,
        },
        {
          name: FILES_CONTAINER,
          image: serverImage,
          imagePullPolicy,
          command: ["/bin/sh", "-c", `until [ -e ${STATE}/ready ]; do sleep 0.02; done`],
          volumeMounts: [files],
          securityContext: asServer,
          resources: small,
        },
      ],
      containers: [
        {
          name: SANDBOX_CONTAINER,
          image,
          imagePullPolicy,
          command: [
            "/bin/sh",
            "-c",
            `exec "$@" <>${pipePath("supervisor", "in")} 1<>${pipePath("supervisor", "out")}`,
            "sh",
            ...supervisorCommand("ask"),
          ],
          env: Object.entries(VARIABLES).map(([key, value]) => ({ name: key, value })),
          workingDir: "/",
          volumeMounts: sandboxMounts(parts),
          securityContext: asAgent,
          resources: resources(parts.limits),
        },
        {
          name: SERVER_CONTAINER,
          image: serverImage,
          imagePullPolicy,
          command: ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 3600 & wait; done"],
          volumeMounts: [
            files,
            { name: "files", mountPath: PIPES_INSIDE, subPath: "pipes" },
            { name: "files", mountPath: UPLOADS_INSIDE, subPath: "uploads" },
          ],
          securityContext: asServer,
          resources: small,
        },
      ],
    },
  };
}

const CONTAINED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** Run as the agent, who owns them: nobody else has to change owners. */
function makeDirectories({ writable }: PodParts): string {
  return writable
    .map(({ host, mode }) => `[ -d ${DISK}/${host} ] || mkdir -p -m ${mode.toString(8)} ${DISK}/${host}`)
    .join(" && ");
}

function sandboxMounts({ writable, readOnly }: PodParts): V1VolumeMount[] {
  const standard = [
    { path: "pipes", inside: PIPES_INSIDE },
    { path: "uploads", inside: UPLOADS_INSIDE },
    { path: "programs", inside: PROGRAMS_INSIDE },
  ];
  return [
    ...writable.map(({ host, inside }) => ({ name: "disk", mountPath: inside, subPath: host })),
    ...[...standard, ...readOnly].map(({ path, inside }) => ({
      name: "files",
      mountPath: inside,
      subPath: path,
      readOnly: true,
    })),
  ];
}

function resources({ memoryBytes, cpus }: Limits) {
  return {
    requests: { cpu: "50m", memory: "64Mi" },
    limits: { cpu: `${Math.max(10, Math.round(cpus * 1000))}m`, memory: String(memoryBytes) },
  };
}
