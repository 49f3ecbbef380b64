import type { V1Pod, V1Toleration, V1Volume, V1VolumeMount } from "@kubernetes/client-node";
import { supervisorCommand } from "../commands/supervisor.ts";
import { limitVariables } from "../host/limit-variables.ts";
import { FEWEST_OPEN_FILES, MOST_OPEN_FILES } from "../host/open-files.ts";
import { PIPES_INSIDE, PROGRAMS_INSIDE, UPLOADS_INSIDE, VARIABLES } from "../inside/environment.ts";
import type { Mount } from "../inside/mounts.ts";
import type { Limits } from "../interface/spec.ts";
import type { PodNetwork } from "./pod-network.ts";
import { pipePath } from "./pod-pipes.ts";

/** Labels of every pod, by which a sweep finds the pods of a dead process. */
export const INSTANCE = "berth.instance";
/**
 * The process (`thisProcess`) and number of the engine that holds the pod, or `POOL`, which is never the name
 * of a process.
 */
export const OWNER = "berth.owner";
/** Value of the `OWNER` label for pods in the pool. */
export const POOL = "pool";
/** Label with the sandbox's id. */
export const SANDBOX = "berth.sandbox";
/** Epoch of the lease that holds the pod; 0 in the pool; absent when the pod belongs to no session. */
export const EPOCH = "berth.epoch";

/** The agent's container, and the one beside it, which runs the server of its pipes. */
export const SANDBOX_CONTAINER = "sandbox";
export const SERVER_CONTAINER = "berth";
/** The init container, which ends once it has received the sandbox's files. */
export const FILES_CONTAINER = "files";

/** Directory of a sandbox's files in the containers that the agent cannot reach. */
export const FILES = "/berth";
/** Directory in which the server of the pipes stores its state for later servers. */
export const STATE = `${FILES}/state`;
/**
 * Directory, in the same containers, for files that a session brings. They may be large, so this is not in
 * memory.
 */
export const CONTENT = `${FILES}/content`;
/** Directory in the sandbox of the system call filters and of the program that applies the right one. */
export const FILTERS_INSIDE = "/opt/berth/filters";
/** File or pipe by which the init container learns that all files have arrived. */
export const READY = `${FILES}/ready`;
/** Path at which the init container and the server see the disk. */
export const DISK = "/disk";
/** A uid that no session has. */
const SERVER_UID = 65_533;

/** Returns the command that starts the server of the pipes in its container; see `pipe-server.pl`. */
export function serverCommand(epoch: number): string[] {
  return ["perl", `${FILES}/commands/pipe-server`, String(epoch), STATE];
}

const FILES_MIB = 128;
/**
 * Seconds until a pod that belongs to no session ends by itself; nothing else removes it when its process has
 * died.
 */
const UNLEASED_SECONDS = 900;

/** The operator's settings for every pod. */
export interface PodSettings {
  nodeSelector: Readonly<Record<string, string>>;
  tolerations: readonly V1Toleration[];
  runtimeClass: string | null;
}

export interface PodOptions {
  name: string;
  labels: Record<string, string>;
  image: string;
  serverImage: string;
  imagePullPolicy: string;
  /** Name of the disk's claim; null when the disk ends with the pod. */
  claim: string | null;
  settings: PodSettings;
  network: ReturnType<PodNetwork["parts"]>;
  uid: number;
  limits: Limits;
  /** Writable directories: path on the disk, path in the sandbox, and mode at creation. */
  writable: readonly (Mount & { mode: number })[];
  /**
   * Files and directories below `FILES` or `CONTENT`, and the paths at which the sandbox sees them,
   * read-only.
   */
  readOnly: readonly ReadOnlyMount[];
}

export interface ReadOnlyMount {
  volume: "files" | "content";
  path: string;
  inside: string;
}

/**
 * Returns the pod of a sandbox. It has no service account, never restarts, and shares nothing with the node
 * but the kernel.
 */
export function podBody(options: PodOptions): V1Pod {
  const { name, labels, claim, uid, network, settings } = options;
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
      initContainers: [...network.initContainers, filesContainer(options)],
      containers: [serverContainer(options), sandboxContainer(options), ...network.containers],
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

/** Makes the directories of the disk, which the agent owns, and waits for the sandbox's files. */
function filesContainer(options: PodOptions) {
  // When the files are there, READY is a file; otherwise this waits on a pipe, which costs a busy node no CPU
  // time. It waits until the process that brought the files has ended: otherwise that process would be killed
  // with this container and seem to have failed.
  const alone = "until set -- /proc/[0-9]*; [ $# -eq 1 ]; do sleep 0.02; done";
  const wait = `{ mkfifo ${READY} 2>/dev/null; cat ${READY}; ${alone}; }`;
  return {
    name: FILES_CONTAINER,
    ...imageOf(options.serverImage, options),
    command: ["/bin/sh", "-c", `${makeDirectories(options)} && ${wait}`],
    volumeMounts: [
      { name: "disk", mountPath: DISK },
      { name: "files", mountPath: FILES },
      { name: "content", mountPath: CONTENT },
    ],
    securityContext: as(options.uid),
    resources: SMALL,
  };
}

/**
 * Runs the server of the pipes. It shares no PID namespace with the sandbox, so the agent can reach nothing
 * in it.
 */
function serverContainer(options: PodOptions) {
  return {
    name: SERVER_CONTAINER,
    ...imageOf(options.serverImage, options),
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

function sandboxContainer(options: PodOptions) {
  const { image, limits, uid } = options;
  return {
    name: SANDBOX_CONTAINER,
    ...imageOf(image, options),
    command: ["/bin/sh", "-c", START, "sh", String(limits.pids), ...supervisorCommand("ask")],
    env: [
      ...Object.entries({ ...VARIABLES, ...limitVariables(limits) }).map(([key, value]) => ({
        name: key,
        value,
      })),
      ...(options.network.variables ?? []),
    ],
    workingDir: "/",
    volumeMounts: sandboxMounts(options),
    securityContext: as(uid),
    resources: resources(limits),
  };
}

/**
 * Starts process 1 with its pipes and limits. Every session has its own uid, so the kernel counts its
 * processes separately. Each process may open as many files as `openFilesLimit` computes on the node. The
 * `KUBERNETES_*` variables that every container gets are removed.
 */
const START = `n=$1; shift; ulimit -p $n 2>/dev/null || ulimit -u $n
case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in '' | '|'* | */*) ulimit -c 0 ;; *) ulimit -S -c 0 ;; esac
table=$(cat /proc/sys/fs/file-max 2>/dev/null); files=$((\${table:-0} / 2 / n))
[ $files -gt ${FEWEST_OPEN_FILES} ] || files=${FEWEST_OPEN_FILES}; [ $files -lt ${MOST_OPEN_FILES} ] || files=${MOST_OPEN_FILES}
ulimit -n $files 2>/dev/null || true
for name in $(env | sed -n 's/^\\(KUBERNETES_[A-Z0-9_]*\\)=.*/\\1/p'); do unset $name; done
exec perl ${FILTERS_INSIDE}/filter-syscalls ${FILTERS_INSIDE} "$@" <>${pipePath("supervisor", "in")} 1<>${pipePath("supervisor", "out")}`;

function imageOf(image: string, { imagePullPolicy }: PodOptions) {
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
 * Makes the directories as the agent, so that their owner need not be changed. Everything made in them would
 * inherit the volume's group; the leading zero of a five-digit mode prevents that.
 */
function makeDirectories({ writable }: PodOptions): string {
  const make = ({ host, mode }: { host: string; mode: number }) =>
    `{ [ -d ${DISK}/${host} ] || { mkdir ${DISK}/${host} && chmod ${mode.toString(8).padStart(5, "0")} ${DISK}/${host}; }; }`;
  return writable.map(make).join(" && ");
}

function sandboxMounts({ writable, readOnly }: PodOptions): V1VolumeMount[] {
  const standard: readonly ReadOnlyMount[] = [
    { volume: "files", path: "pipes", inside: PIPES_INSIDE },
    { volume: "content", path: "uploads", inside: UPLOADS_INSIDE },
    { volume: "files", path: "programs", inside: PROGRAMS_INSIDE },
  ];
  return [
    // A writable directory may lie below a read-only one, never the other way round.
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
