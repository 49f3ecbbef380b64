import type { V1Pod, V1Toleration, V1Volume, V1VolumeMount } from "@kubernetes/client-node";
import { supervisorCommand } from "../commands/supervisor.ts";
import { FEWEST_OPEN_FILES, MOST_OPEN_FILES } from "../host/open-files.ts";
import { PIPES_INSIDE, PROGRAMS_INSIDE, UPLOADS_INSIDE, VARIABLES } from "../inside/environment.ts";
import type { Mount } from "../inside/mounts.ts";
import type { Limits } from "../interface/spec.ts";
import type { PodNetwork } from "./pod-network.ts";
import { pipePath } from "./pod-pipes.ts";

/** Labels of every pod, by which a sweep finds those of a dead process. */
export const INSTANCE = "berth.instance";
/** The process (`thisProcess`) and number of the engine that has it; or the pool, which no process is named like. */
export const OWNER = "berth.owner";
export const POOL = "pool";
export const SANDBOX = "berth.sandbox";
/** The epoch of the lease under which it is held; 0 in the pool; absent: it belongs to no session. */
export const EPOCH = "berth.epoch";

/** The containers: the agent's, and the one beside it with the server of its pipes. */
export const SANDBOX_CONTAINER = "sandbox";
export const SERVER_CONTAINER = "berth";
/** Runs first, and ends once it has the files of the sandbox. */
export const FILES_CONTAINER = "files";

/** Where the files of a sandbox are, in the containers that the agent cannot reach. */
export const FILES = "/berth";
export const STATE = `${FILES}/state`;
/** Where the contents that a session brings are there: they may be large, so they take no memory. */
export const CONTENT = `${FILES}/content`;
/** Where the sandbox has the filters of its system calls, and the program that sets the right one. */
export const FILTERS_INSIDE = "/opt/berth/filters";
/** Tells the init container that it has all files. */
export const READY = `${FILES}/ready`;
export const DISK = "/disk";
/** No session has this uid. */
const SERVER_UID = 65_533;

/** Starts the server of the pipes, in its container; see `pipe-server.pl`. */
export function serverCommand(epoch: number): string[] {
  return ["perl", `${FILES}/commands/pipe-server`, String(epoch), STATE];
}

const FILES_MIB = 128;
/** Of a pod that belongs to no session, and so to nobody once its process has ended. */
const UNLEASED_SECONDS = 900;

/** What the operator's settings say of every pod. */
export interface PodSettings {
  nodeSelector: Readonly<Record<string, string>>;
  tolerations: readonly V1Toleration[];
  runtimeClass: string | null;
}

export interface PodParts {
  name: string;
  labels: Record<string, string>;
  image: string;
  serverImage: string;
  imagePullPolicy: string;
  /** Null: the disk ends with the pod. */
  claim: string | null;
  settings: PodSettings;
  network: ReturnType<PodNetwork["parts"]>;
  uid: number;
  limits: Limits;
  /** Writable directories: their path on the disk and in the sandbox, and their mode when they are made. */
  writable: readonly (Mount & { mode: number })[];
  /** Files and directories below `FILES` or `CONTENT` and where the sandbox sees them, read-only. */
  readOnly: readonly ReadOnlyMount[];
}

export interface ReadOnlyMount {
  volume: "files" | "content";
  path: string;
  inside: string;
}

/** The pod of a sandbox. It has no account, no restart, and nothing of the node but its kernel. */
export function podBody(parts: PodParts): V1Pod {
  const { name, labels, claim, uid, network, settings } = parts;
  const { nodeSelector, tolerations, runtimeClass } = settings;
  return {
    metadata: { name, labels },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostname: "session",
      terminationGracePeriodSeconds: 1,
      ...(labels[EPOCH] === undefined ? { activeDeadlineSeconds: UNLEASED_SECONDS } : {}),
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["127.0.0.1"] },
      securityContext: {
        runAsNonRoot: true,
        fsGroup: uid,
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
        ...(network.sysctls === undefined ? {} : { sysctls: network.sysctls }),
      },
      ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector: { ...nodeSelector } }),
      ...(tolerations.length === 0 ? {} : { tolerations: [...tolerations] }),
      ...(runtimeClass === null ? {} : { runtimeClassName: runtimeClass }),
      volumes: [diskVolume(claim), filesVolume(), { name: "content", emptyDir: {} }, ...network.volumes],
      initContainers: [...network.initContainers, filesContainer(parts)],
      containers: [serverContainer(parts), sandboxContainer(parts), ...network.containers],
    },
  };
}

function diskVolume(claim: string | null): V1Volume {
  return claim === null
    ? { name: "disk", emptyDir: {} }
    : { name: "disk", persistentVolumeClaim: { claimName: claim } };
}

function filesVolume(): V1Volume {
  return { name: "files", emptyDir: { medium: "Memory", sizeLimit: `${FILES_MIB}Mi` } };
}

/** Makes the directories of the disk, which belong to the agent, and waits for the files of the sandbox. */
function filesContainer(parts: PodParts) {
  // A file, when they have come already; else a pipe, so that a node on which many wait is not kept busy by that. What brought them ends
  // first: it would end with this container, as if it had failed.
  const alone = "until set -- /proc/[0-9]*; [ $# -eq 1 ]; do sleep 0.02; done";
  const wait = `{ mkfifo ${READY} 2>/dev/null; cat ${READY}; ${alone}; }`;
  return {
    name: FILES_CONTAINER,
    ...imageOf(parts.serverImage, parts),
    command: ["/bin/sh", "-c", `${makeDirectories(parts)} && ${wait}`],
    volumeMounts: [
      { name: "disk", mountPath: DISK },
      { name: "files", mountPath: FILES },
      { name: "content", mountPath: CONTENT },
    ],
    securityContext: as(parts.uid),
    resources: SMALL,
  };
}

/** It shares no namespace of processes with the sandbox, so that the agent reaches nothing of it. */
function serverContainer(parts: PodParts) {
  return {
    name: SERVER_CONTAINER,
    ...imageOf(parts.serverImage, parts),
    command: ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 3600 & wait; done"],
    volumeMounts: [
      { name: "files", mountPath: FILES },
      { name: "content", mountPath: CONTENT },
      { name: "files", mountPath: PIPES_INSIDE, subPath: "pipes" },
      { name: "disk", mountPath: DISK, readOnly: true },
    ],
    securityContext: as(SERVER_UID),
    resources: SMALL,
  };
}

function sandboxContainer(parts: PodParts) {
  const { image, limits, uid } = parts;
  return {
    name: SANDBOX_CONTAINER,
    ...imageOf(image, parts),
    command: ["/bin/sh", "-c", START, "sh", String(limits.pids), ...supervisorCommand("ask")],
    env: [
      ...Object.entries(VARIABLES).map(([key, value]) => ({ name: key, value })),
      ...(parts.network.variables ?? []),
    ],
    workingDir: "/",
    volumeMounts: sandboxMounts(parts),
    securityContext: as(uid),
    resources: resources(limits),
  };
}

/**
 * Process 1, with its pipes and its limits: every session has a uid of its own, whose processes the kernel counts, and each of these may open as many
 * files as `openFilesLimit` says on the node. Every container has variables with the address of the API server.
 */
const START = `n=$1; shift; ulimit -p $n 2>/dev/null || ulimit -u $n; ulimit -c 0
table=$(cat /proc/sys/fs/file-max 2>/dev/null); files=$((\${table:-0} / 2 / n))
[ $files -gt ${FEWEST_OPEN_FILES} ] || files=${FEWEST_OPEN_FILES}; [ $files -lt ${MOST_OPEN_FILES} ] || files=${MOST_OPEN_FILES}
ulimit -n $files 2>/dev/null || true
for name in $(env | sed -n 's/^\\(KUBERNETES_[A-Z0-9_]*\\)=.*/\\1/p'); do unset $name; done
exec perl ${FILTERS_INSIDE}/filter-syscalls ${FILTERS_INSIDE} "$@" <>${pipePath("supervisor", "in")} 1<>${pipePath("supervisor", "out")}`;

function imageOf(image: string, { imagePullPolicy }: PodParts) {
  return { image, imagePullPolicy };
}

function as(uid: number) {
  return { ...CONTAINED, runAsUser: uid, runAsGroup: uid };
}

const SMALL = { requests: { cpu: "10m", memory: "16Mi" }, limits: { cpu: "1", memory: "128Mi" } };

const CONTAINED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/**
 * Run as the agent, who owns them: nobody else has to change owners. The volume's group would be inherited by all that is made in
 * them; five digits of a mode end that.
 */
function makeDirectories({ writable }: PodParts): string {
  const make = ({ host, mode }: { host: string; mode: number }) =>
    `{ [ -d ${DISK}/${host} ] || { mkdir ${DISK}/${host} && chmod ${mode.toString(8).padStart(5, "0")} ${DISK}/${host}; }; }`;
  return writable.map(make).join(" && ");
}

function sandboxMounts({ writable, readOnly }: PodParts): V1VolumeMount[] {
  const standard: readonly ReadOnlyMount[] = [
    { volume: "files", path: "pipes", inside: PIPES_INSIDE },
    { volume: "content", path: "uploads", inside: UPLOADS_INSIDE },
    { volume: "files", path: "programs", inside: PROGRAMS_INSIDE },
  ];
  return [
    // A writable directory may lie below a read-only one, and none the other way round.
    ...[...standard, ...readOnly].map(({ volume, path, inside }) => ({
      name: volume,
      mountPath: inside,
      subPath: path,
      readOnly: true,
    })),
    ...writable.map(({ host, inside }) => ({ name: "disk", mountPath: inside, subPath: host })),
  ];
}

function resources({ memoryBytes, cpus }: Limits) {
  return {
    requests: { cpu: "50m", memory: "64Mi" },
    limits: { cpu: `${Math.max(10, Math.round(cpus * 1000))}m`, memory: String(memoryBytes) },
  };
}
