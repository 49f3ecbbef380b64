import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { encode, thisProcess } from "@berth/linux";
import { COMMAND_SCRIPTS } from "../commands/supervisor.ts";
import { freshDirectory, isLeftover, removeAll } from "../host/leftovers.ts";
import { OpenSandboxes } from "../host/open-sandboxes.ts";
import { writeEtcFiles } from "../inside/etc-files.ts";
import { writePrograms, writeScripts } from "../inside/programs.ts";
import type { Capability } from "../interface/capability.ts";
import { PodLostError, SandboxError } from "../interface/errors.ts";
import type { LeasedSandbox, Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { perlText } from "../scripts/read-script.ts";
import { seccompFilter } from "../seccomp/seccomp.ts";
import { Cluster } from "./cluster.ts";
import { GIT_INCLUDE } from "./content-places.ts";
import { EGRESS_PROGRAMS, type EgressSettings } from "./egress/egress-containers.ts";
import { GatewayNetwork, type StartCommand } from "./egress/gateway-network.ts";
import { digestOf } from "./made-with.ts";
import { type FoundPod, Placer } from "./placer.ts";
import { type PodSettings, SANDBOX } from "./pod-body.ts";
import { PodDisks } from "./pod-disks.ts";
import type { PodHost } from "./pod-host.ts";
import { CLUSTER_NETWORK, type PodNetwork } from "./pod-network.ts";
import type { PodSandbox } from "./pod-sandbox.ts";
import type { WaitTimes } from "./pod-start.ts";
import { probeCluster } from "./probe.ts";
import { probeNetwork } from "./probe-network.ts";
import { probeSnapshots } from "./probe-snapshots.ts";
import { onceRoomIsMade } from "./room.ts";
import { probeRuntimeClasses } from "./runtime-classes.ts";
import { startPod } from "./start-pod.ts";
import { ownPodName, SHARED_FILES } from "./wanted-pod.ts";
import { WarmPods } from "./warm-pods.ts";

export interface KubernetesOptions {
  /** Stable id of the installation; a label of its pods. */
  instance: string;
  /** Path of a kubeconfig; null for the service account of this process's pod. */
  kubeconfig: string | null;
  /** Namespace of the pods; null for that of the kubeconfig or of this process's pod. */
  namespace: string | null;
  /** Image of sandboxes whose spec names none. */
  defaultImage: string;
  /** Image of the container beside the sandbox, which needs sh, tar and perl. Default: `defaultImage`. */
  serverImage?: string;
  /** Default: `IfNotPresent`. */
  imagePullPolicy?: string;
  /** Storage class of the volumes. Default: the cluster's default class. */
  storageClass?: string | null;
  /** Volume snapshot class. Default: no snapshots are taken. */
  snapshotClass?: string | null;
  /** Size in bytes of a disk whose spec has no limit. */
  diskBytes: number;
  /** Time limits for a pod's node, and then for its images and volume. Default: ten minutes each. */
  times?: WaitTimes;
  /** Settings of every pod. Default: none. */
  pods?: Partial<PodSettings>;
  /** Runtime classes that a spec may name instead of the one in `pods`. Default: none. */
  runtimeClasses?: readonly string[];
  /** A strategic merge patch that is applied to every pod. Default: none. */
  podPatch?: object | null;
  /** Default: the network that the cluster gives every pod. */
  network?: PodNetwork;
  /** The egress gateway of all pods, instead of `network`. Default: none. */
  gateway?: Omit<EgressSettings, "imagePullPolicy">;
  /**
   * Host directory for generated files, created with mode 0700 when missing. `close` removes the engine's
   * files in it.
   */
  stateDir: string;
  /** CA certificates in PEM that sandboxes trust besides those of the host. */
  certificates: string[];
  /** Programs on the PATH of every sandbox: script text by name. Default: none. */
  programs?: Readonly<Record<string, string>>;
  log?: (line: object) => void;
}

const POD_SCRIPTS = {
  "pipe-server": perlText("kubernetes/pipe-server.pl"),
  "filter-syscalls": perlText("kubernetes/filter-syscalls.pl"),
};
/** Names of `uname -m` and of Node. A node's architecture may differ from that of this process. */
const MACHINES = { x86_64: "x64", aarch64: "arm64" } as const;

/**
 * Creates an engine whose sandboxes are pods of a Kubernetes cluster. Rejects with `SandboxError` when the
 * API server does not respond.
 */
export async function createKubernetesEngine(options: KubernetesOptions): Promise<SandboxEngine> {
  const cluster = await Cluster.connect(options.kubeconfig, options.namespace);
  const place = await placeOf(cluster);
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const directory = await freshDirectory(`${options.stateDir}/${thisProcess()}`);
  await Promise.all([
    writeEtc(directory, options.certificates),
    writePrograms(`${directory}/programs`, options.programs ?? {}),
    writeScripts(`${directory}/commands`, { ...COMMAND_SCRIPTS, ...POD_SCRIPTS, ...EGRESS_PROGRAMS }),
    ...writeFilters(directory),
  ]);
  return new KubernetesEngine(options.stateDir, {
    cluster,
    placer: new Placer(cluster),
    instance: options.instance,
    owner: basename(directory),
    directory,
    shared: await digestOf({ directory, names: SHARED_FILES }),
    defaultImage: options.defaultImage,
    serverImage: options.serverImage ?? options.defaultImage,
    imagePullPolicy: options.imagePullPolicy ?? "IfNotPresent",
    disks: new PodDisks(cluster, place, {
      storageClass: options.storageClass ?? null,
      snapshotClass: options.snapshotClass ?? null,
      images: {
        serverImage: options.serverImage ?? options.defaultImage,
        imagePullPolicy: options.imagePullPolicy ?? "IfNotPresent",
      },
      diskBytes: options.diskBytes,
    }),
    network: networkOf(options, cluster),
    times: options.times ?? { placeMs: PATIENCE_MS, imageMs: PATIENCE_MS },
    settings: { nodeSelector: {}, tolerations: [], runtimeClass: null, ...options.pods },
    runtimeClasses: options.runtimeClasses ?? [],
    patch: options.podPatch ?? null,
    log: options.log ?? (() => {}),
  });
}

async function writeEtc(directory: string, certificates: readonly string[]): Promise<void> {
  await writeEtcFiles(directory, certificates);
  await writeFile(`${directory}/etc/gitinclude`, GIT_INCLUDE);
}

function writeFilters(directory: string): Promise<void>[] {
  return Object.entries(MACHINES).map(([machine, architecture]) =>
    writeFile(`${directory}/filter-${machine}`, encode(seccompFilter(architecture))),
  );
}

/** Default time limit, long enough for a cluster to add a node. */
const PATIENCE_MS = 600_000;
/** Attempts for one opening, each with a new pod. */
const MAX_ATTEMPTS = 3;
/** Time limit in a pod that already existed, where the sidecar's container already runs. */
const SIDECAR_MS = 60_000;

function networkOf(
  { gateway, network = CLUSTER_NETWORK, imagePullPolicy = "IfNotPresent", log = () => {} }: KubernetesOptions,
  cluster: Cluster,
): PodNetwork {
  if (gateway === undefined) return network;
  const start: StartCommand = (pod, container, command, attempts) =>
    cluster.execSoon(pod, container, command, attempts ?? { signal: AbortSignal.timeout(SIDECAR_MS) });
  return new GatewayNetwork({ ...gateway, imagePullPolicy }, start, log);
}

async function placeOf(cluster: Cluster): Promise<string> {
  try {
    return `kubernetes:${await cluster.uid()}/${cluster.namespace}`;
  } catch (error) {
    const why = (error as Error).message.split("\n")[0];
    throw new SandboxError(`The namespace ${cluster.namespace} of the cluster cannot be read: ${why}`, {
      cause: error,
    });
  }
}

class KubernetesEngine implements SandboxEngine {
  readonly name = "kubernetes";
  readonly runsImages = true;
  readonly disks: PodDisks;
  readonly warm: WarmPods;
  readonly #stateDir: string;
  readonly #host: PodHost;
  readonly #open = new OpenSandboxes();
  /** Open sandboxes, by disk. */
  readonly #onDisks = new Map<string, PodSandbox>();
  #count = 0;

  constructor(stateDir: string, host: PodHost) {
    this.#stateDir = stateDir;
    this.#host = host;
    this.disks = host.disks;
    this.warm = new WarmPods(host);
  }

  async probe(): Promise<Capability[]> {
    const { cluster, owner, runtimeClasses } = this.#host;
    const told = await probeCluster(cluster);
    if (told.some(({ state }) => state === "no")) return told;
    const podOf = (id: string) => ownPodName(id, owner);
    const plain = { ...this.#host, network: CLUSTER_NETWORK };
    const openPlain = (spec: SandboxSpec) => this.#open.open(spec, () => this.#openNow(spec, plain));
    return [
      ...told,
      ...(await probeRuntimeClasses(cluster, runtimeClasses)),
      await probeSnapshots(this.disks.snapshots),
      await probeNetwork({ cluster, open: (spec) => this.open(spec), openPlain, podOf }),
    ];
  }

  open(spec: SandboxSpec): Promise<Sandbox> {
    const { cluster, times } = this.#host;
    const room = { placeMs: times.placeMs, othersRun: () => cluster.hasRunning(SANDBOX, { uid: "" }) };
    const open = () => this.#openNow(spec, this.#host);
    return this.#open.open(spec, () => onceRoomIsMade(spec, room, open));
  }

  /** Returns the disk's used bytes; null unless a sandbox is open on it. */
  async diskBytes(disk: string): Promise<number | null> {
    return (await this.#onDisks.get(disk)?.diskBytes()) ?? null;
  }

  async takeChanges(): Promise<boolean> {
    throw new SandboxError("pods run images, not system trees");
  }

  async takeSnapshotChanges(): Promise<boolean> {
    throw new SandboxError("pods mount no snapshots");
  }

  async sweep(
    mayLive: (id: string) => boolean = () => true,
    abandoned: (sandboxes: readonly LeasedSandbox[]) => Promise<readonly LeasedSandbox[]> = async () => [],
  ): Promise<string[]> {
    const closed = await this.#open.closeRejected(mayLive);
    const pods = await this.#host.placer.list();
    const elsewhere = pods.filter(({ owner, epoch }) => owner !== this.#host.owner && epoch > 0);
    const left = new Set((await abandoned(elsewhere)).map(({ id, epoch }) => `${id} ${epoch}`));
    await removeAll([
      ...pods.map(async (pod) => {
        if (left.has(`${pod.id} ${pod.epoch}`) || this.#isLeftover(pod))
          await this.#host.placer.remove(pod, pod.epoch, false);
      }),
      ...(await readdir(this.#stateDir).catch(() => [])).map(async (name) => {
        if (isLeftover(name, false)) await rm(`${this.#stateDir}/${name}`, { recursive: true, force: true });
      }),
    ]);
    return closed;
  }

  async close(): Promise<void> {
    for (const reason of await this.#open.close())
      this.#host.log({ msg: "a sandbox could not be closed", error: String(reason) });
    await rm(this.#host.directory, { recursive: true, force: true });
  }

  /**
   * Returns whether a sweep may delete the pod. Pods of other engines that belong to sessions are decided by
   * their leases.
   */
  #isLeftover({ owner, id, epoch, hasEnded }: FoundPod): boolean {
    if (owner === this.#host.owner) return !this.#open.has(id);
    return epoch === 0 && (hasEnded || isLeftover(owner, false));
  }

  /**
   * Opens a sandbox. A pod that is lost while it starts is replaced, because nothing of the session has run
   * in it.
   */
  async #openNow(spec: SandboxSpec, host: PodHost): Promise<Sandbox> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#openOnce(spec, host);
      } catch (error) {
        if (!(error instanceof PodLostError) || attempt === MAX_ATTEMPTS) throw error;
        this.#host.log({ msg: "a starting pod was lost", sandbox: spec.id, error: error.message });
      }
  }

  async #openOnce(spec: SandboxSpec, host: PodHost): Promise<Sandbox> {
    const undo: (() => Promise<unknown>)[] = [];
    const directory = `${this.#host.directory}/${(++this.#count).toString(36)}`;
    let hasFailed = false;
    const released = () => {
      if (hasFailed) return;
      this.#open.free(spec.id);
      this.#onDisks.delete(spec.disk);
    };
    try {
      undo.push(() => rm(directory, { recursive: true, force: true }));
      const sandbox = await startPod(host, spec, directory, undo, released);
      this.#onDisks.set(spec.disk, sandbox);
      return sandbox;
    } catch (error) {
      hasFailed = true;
      let lost: PodLostError | undefined;
      for (const step of undo.reverse())
        await step().catch((reason: unknown) => {
          if (reason instanceof PodLostError) lost = reason;
        });
      throw lost ?? error;
    }
  }
}
