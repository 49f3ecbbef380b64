import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FairSemaphore } from "@berth/concurrency";
import { createEgress, openCertificateAuthority } from "@berth/egress";
import type { SystemDeps } from "@berth/runs/system";
import {
  LayerCache,
  perfIsBounded,
  RootFilesystem,
  RuntimeStore,
  type SandboxEngine,
  WORKSPACE_PROGRAMS,
} from "@berth/sandbox";
import type { BubblewrapOptions } from "@berth/sandbox/bubblewrap";
import type { Logger } from "pino";
import { sharedLimits } from "../config/ceilings.ts";
import { type Config, layerDirectory, runtimeDirectory, systemDirectory } from "../config/config.ts";
import { readCaCertificates } from "./ca-certificates.ts";
import { podGateway } from "./pod-gateway.ts";
import { readPodPatch } from "./read-pod-patch.ts";
import { relayOptions } from "./relay-options.ts";

const MEBIBYTE = 1024 * 1024;
/** Time limits for `berth doctor`, whose user waits for the reason of a failure, not for a node. */
const DOCTOR_TIMES = { placeMs: 10_000, imageMs: 60_000 };
/** Size of a pod's volume where the settings limit no disk, since a volume needs a size. */
const POD_DISK_BYTES = 10_240 * MEBIBYTE;

/**
 * Limits on concurrent builds of layers. Each may use two cores and 3 GiB of memory; the limit per owner
 * keeps one organization from using all slots.
 */
const LAYER_BUILDS = { slots: 3, perOwner: 2 };

/** A week in minutes, for which a system of another version stays in a directory that services share. */
const SHARED_UNUSED_MINUTES = 7 * 24 * 60;

/**
 * Opens the configured sandbox engine with its egress. Closing the engine closes both. Rejects with one
 * sentence for the operator.
 * @param user `doctor` runs beside the service, which may be in another container. Only a service has the
 * installation to itself.
 * @param trusted PEM of further authorities that sandboxes trust. Default: none.
 */
export async function openEngine(
  config: Config,
  user: { installation: string } | "doctor",
  log: Logger,
  trusted: readonly string[] = [],
): Promise<SandboxEngine> {
  const [authority, caCertificates] = await Promise.all([
    openCertificateAuthority(join(config.dataDir, "egress-authority"), "Berth egress"),
    readCaCertificates(config),
  ]);
  const egress = await createEgress({
    ...(await relayOptions(config, { authority, caCertificates }, log)),
    // Containers and pods have their own network namespaces, so no pool is needed.
    ...(config.sandbox === "bubblewrap" ? {} : { poolSize: 0 }),
  });
  const options = {
    ...(user === "doctor"
      ? { instance: user, stateDir: join(config.dataDir, "sandbox-doctor") }
      : { instance: user.installation, stateDir: join(config.dataDir, "sandbox"), sole: true }),
    egress,
    ...(config.sessionDiskMb === 0 ? {} : { defaultDiskBytes: config.sessionDiskMb * MEBIBYTE }),
    sharedLimits: sharedLimits(),
    // The egress of pods is on other hosts. The authorities that pods trust are the same for every runner, so
    // that each can take over any pod.
    certificates: [
      ...caCertificates,
      ...(config.sandbox === "kubernetes" ? [] : [authority.certificate]),
      ...trusted,
    ],
    programs: WORKSPACE_PROGRAMS,
    perf: config.sandboxPerf === "auto" && perfIsBounded(),
    log: (line: object) => log.info(line),
  };
  const times = {
    placeMs: config.kubernetesScheduleSeconds * 1_000,
    imageMs: config.kubernetesPullSeconds * 1_000,
  };
  const podTimes = user === "doctor" ? DOCTOR_TIMES : times;
  const engine = await createEngine(config, options, podTimes).catch(async (error: unknown) => {
    await egress.close();
    throw error;
  });
  return {
    name: engine.name,
    runsImages: engine.runsImages ?? false,
    ...(engine.disks === undefined ? {} : { disks: engine.disks }),
    ...(engine.warm === undefined ? {} : { warm: engine.warm }),
    probe: () => engine.probe(),
    open: (spec) => engine.open(spec),
    diskBytes: (disk) => engine.diskBytes(disk),
    takeChanges: (disk, to, signal) => engine.takeChanges(disk, to, signal),
    takeSnapshotChanges: (disk, target, to, signal) => engine.takeSnapshotChanges(disk, target, to, signal),
    ...(engine.takeDirectory && {
      takeDirectory: (disk, path, to, signal) =>
        engine.takeDirectory?.(disk, path, to, signal) ?? Promise.resolve(false),
    }),
    sweep: (mayLive, abandoned) => engine.sweep(mayLive, abandoned),
    close: async () => {
      await engine.close();
      await egress.close();
    },
  };
}

/** Creates the configured engine. Modules of the others are not loaded. */
async function createEngine(
  config: Config,
  options: BubblewrapOptions,
  times: typeof DOCTOR_TIMES,
): Promise<SandboxEngine> {
  if (config.sandbox === "bubblewrap") {
    const { createBubblewrapEngine } = await import("@berth/sandbox/bubblewrap");
    return await createBubblewrapEngine(options);
  }
  if (config.sandbox === "kubernetes") return await createPodEngine(config, options, times);
  const { createDockerEngine } = await import("@berth/sandbox/docker");
  const { dockerSocket: socket, dockerImage: defaultImage } = config;
  return await createDockerEngine({ ...options, socket, defaultImage });
}

async function createPodEngine(
  config: Config,
  options: BubblewrapOptions,
  times: typeof DOCTOR_TIMES,
): Promise<SandboxEngine> {
  const { createKubernetesEngine } = await import("@berth/sandbox/kubernetes");
  const { kubernetesPodPatch: patch, kubernetesNodeSelector: nodeSelector } = config;
  return await createKubernetesEngine({
    ...options,
    times,
    kubeconfig: config.kubeconfig,
    namespace: config.kubernetesNamespace,
    defaultImage: config.kubernetesImage,
    storageClass: config.kubernetesStorageClass,
    snapshotClass: config.snapshotsMegabytes === 0 ? null : config.kubernetesSnapshotClass,
    diskBytes: options.defaultDiskBytes ?? POD_DISK_BYTES,
    pods: {
      nodeSelector,
      tolerations: config.kubernetesTolerations,
      runtimeClass: config.kubernetesRuntimeClass,
    },
    runtimeClasses: config.kubernetesRuntimeClasses,
    podPatch: patch === null ? null : readPodPatch(patch),
    ...(await podGateway(config)),
  });
}

/**
 * Opens Berth's root filesystem and the layers that environments add to it. Returns null if the settings
 * choose the container image or the host's root filesystem.
 */
export function openSystems(config: Config, engine: SandboxEngine, log: Logger): SystemDeps | null {
  if (config.rootfs === "host" || config.sandbox !== "bubblewrap") return null;
  const directory = layerDirectory(config);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const builds = new FairSemaphore(LAYER_BUILDS);
  const logLine = (line: string) => log.info({ outside: line });
  const { npmRegistry, pipIndex, debianMirror } = config;
  return {
    rootFilesystem: RootFilesystem.open({
      directory: systemDirectory(config),
      // In a directory of its own a service is the only user.
      unusedMinutes: config.systemDir === null ? 0 : SHARED_UNUSED_MINUTES,
      sources: { debianMirror, npmRegistry },
      log: logLine,
    }),
    layers: new LayerCache({ directory, engine, acquire: (tenant) => builds.acquire(tenant), log: logLine }),
    sources: { npmRegistry, pipIndex },
  };
}

/** Opens the runtimes of environments. Returns null where sandboxes are on other hosts. */
export async function openRuntimes(
  config: Config,
  engine: SandboxEngine,
  log: Logger,
): Promise<RuntimeStore | null> {
  if (engine.takeDirectory === undefined) return null;
  const logLine = (line: string) => log.info({ outside: line });
  return await RuntimeStore.open({ directory: runtimeDirectory(config), engine, log: logLine });
}
