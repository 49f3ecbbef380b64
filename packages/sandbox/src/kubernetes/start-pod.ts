import { mkdir } from "node:fs/promises";
import { basename, posix } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import { Supervisor, scriptsIn } from "../commands/supervisor.ts";
import { prepareFiles, type SandboxFiles } from "../host/sandbox-files.ts";
import { BUNDLE } from "../inside/environment.ts";
import { modeOf } from "../inside/mounts.ts";
import { writeUsers } from "../inside/write-etc.ts";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { Cluster, PodId } from "./cluster.ts";
import { endPodOfOther } from "./end-pod.ts";
import { mergePatch } from "./merge-patch.ts";
import { PipeConnection } from "./pipe-connection.ts";
import {
  EPOCH,
  FILTERS_INSIDE,
  INSTANCE,
  OWNER,
  type PodSettings,
  podBody,
  SANDBOX,
  SERVER_CONTAINER,
  serverCommand,
} from "./pod-body.ts";
import { PodDirectories } from "./pod-directories.ts";
import { objectName, type PodDisks } from "./pod-disks.ts";
import { PodGauge } from "./pod-gauge.ts";
import type { PodNetwork } from "./pod-network.ts";
import { PodPipes } from "./pod-pipes.ts";
import { PodSandbox } from "./pod-sandbox.ts";
import { PodStart } from "./pod-start.ts";
import { PodUploads } from "./pod-uploads.ts";
import { PodView } from "./pod-view.ts";
import { ProcessOne } from "./process-one.ts";
import { requireRuntimeClass } from "./runtime-classes.ts";
import { CONTENTS, sendFiles } from "./send-files.ts";

const START_TIMEOUT_MS = 90_000;

/** What a sandbox uses of its engine. */
export interface PodHost {
  cluster: Cluster;
  disks: PodDisks;
  network: PodNetwork;
  instance: string;
  owner: string;
  /** Directory of the files that the engine generates for all its sandboxes. */
  directory: string;
  defaultImage: string;
  serverImage: string;
  imagePullPolicy: string;
  settings: PodSettings;
  /** Those that a spec may name. */
  runtimeClasses: readonly string[];
  /** Strategic merge patch of every pod; null: none. */
  patch: object | null;
  log(line: object): void;
}

/**
 * Starts a pod for a sandbox and sets the sandbox up.
 *
 * @param directory Host directory of its own, to be created.
 * @param undo gets the steps that undo everything when opening fails.
 * @param released called when the sandbox has been released.
 */
export async function startPod(
  host: PodHost,
  spec: SandboxSpec,
  directory: string,
  undo: (() => Promise<unknown>)[],
  released: (whole: boolean) => void,
): Promise<PodSandbox> {
  requireSupported(spec);
  requireRuntimeClass(spec.runtimeClass, host.runtimeClasses);
  const { cluster } = host;
  await mkdir(directory, { mode: 0o711 });
  const files = await prepareFiles(spec, directory, scriptsIn(`${host.directory}/commands`), "/");
  const mounted = files.directories.map(({ host: source, inside: target }) => ({ source, target }));
  const [directories] = await Promise.all([
    PodDirectories.copy(mounted, `${directory}/directories`),
    writeUsers(directory, spec.uid),
  ]);
  const pod = await createPod(host, spec, files);
  undo.push(() => cluster.removePod(pod));
  const start = new PodStart(cluster, pod.name, START_TIMEOUT_MS);
  undo.push(async () => start.end());
  const sent = sentOf(host, directory, files);
  const connection = await start.orFailed(connectTo(host, pod.name, spec, sent, start.signal));
  undo.push(() => connection.undo());
  const network = await host.network.open(pod.name, spec);
  undo.push(() => network.close());
  const processOne = new ProcessOne(connection);
  const { supervisor, pipes } = superviseOver(connection, processOne, host, spec);
  const writable = writableOf(files);
  const sandbox = new PodSandbox({
    id: spec.id,
    view: new PodView({ supervisor, pipes, connection, writable }),
    supervisor,
    pipes,
    gauge: new PodGauge(supervisor),
    network,
    uploads: new PodUploads(connection),
    writable: writable.map(({ inside }) => inside),
    mounted: files.files.map(({ inside }) => inside),
    connection,
    directories,
    directory,
    removePod: (isEmpty) => (isEmpty ? cluster.forgetPod(pod) : cluster.removePod(pod)),
    processOne,
    released,
  });
  if (!(await start.orFailed(supervisor.ready))) throw new SandboxError("process 1 of the pod did not start");
  start.end();
  await sandbox.setUp(files);
  return sandbox;
}

function requireSupported({ uid, snapshots = [], system }: SandboxSpec): void {
  if (!Number.isInteger(uid) || uid < 1000) throw new SandboxError(`not an unprivileged uid: ${uid}`);
  if (snapshots.length > 0) throw new SandboxError("pods mount no snapshots");
  if (system !== undefined) throw new SandboxError("pods run images, not system trees");
}

/**
 * Makes the one pod that the sandbox may have, after the end of the former one.
 *
 * @throws SandboxError when a later lease has one.
 */
async function createPod(host: PodHost, spec: SandboxSpec, files: SandboxFiles): Promise<PodId> {
  const { cluster, disks, owner } = host;
  const { id, disk, epoch, limits, ephemeral = false } = spec;
  const name = epoch === undefined ? ownPodName(id, owner) : objectName(id, id);
  const claim = ephemeral ? null : await disks.ensure(disk, limits.diskBytes);
  const body = podBody(partsOf(host, spec, files, { name, claim }));
  const patched = host.patch === null ? body : (mergePatch(body, host.patch) as V1Pod);
  for (;;) {
    const made = await cluster.createPod(patched);
    if (made !== null) return made;
    const former = await cluster.pod(name);
    if (former === null) continue;
    if (epochOf(former) > (epoch ?? 0)) throw new SandboxError("a later lease has a sandbox of this session");
    await endPodOfOther(cluster, former, epoch ?? 0);
  }
}

/** Of a sandbox that belongs to no session, and so to one engine alone. */
export function ownPodName(id: string, owner: string): string {
  return objectName(id, `${id} ${owner}`);
}

export function epochOf({ metadata }: V1Pod): number {
  return Number(metadata?.labels?.[EPOCH] ?? 0);
}

/** Connects to the server of a new pod's pipes, with the files of the sandbox in place. */
async function connectTo(
  { cluster }: PodHost,
  pod: string,
  { epoch = 0 }: SandboxSpec,
  sent: Parameters<typeof sendFiles>[2],
  signal: AbortSignal,
): Promise<PipeConnection> {
  await sendFiles(cluster, pod, sent, signal);
  return await PipeConnection.open(
    await cluster.execSoon(pod, SERVER_CONTAINER, serverCommand(epoch), signal),
  );
}

function superviseOver(
  connection: PipeConnection,
  processOne: ProcessOne,
  { log }: PodHost,
  { id }: SandboxSpec,
) {
  const supervisor = new Supervisor(processOne, () => {
    log({ msg: "process 1 of a sandbox does not respond", sandbox: id });
    connection.close();
  });
  processOne.output.once("close", () => connection.close());
  return { supervisor, pipes: new PodPipes(connection) };
}

/** `host`: the path on the disk. */
function writableOf({ writable }: SandboxFiles) {
  return writable.map((mount) => ({
    host: posix.relative("/", mount.host),
    inside: mount.inside,
    mode: modeOf(mount),
  }));
}

function partsOf(
  host: PodHost,
  spec: SandboxSpec,
  files: SandboxFiles,
  { name, claim }: { name: string; claim: string | null },
) {
  return {
    name,
    claim,
    labels: {
      [INSTANCE]: host.instance,
      [OWNER]: host.owner,
      [SANDBOX]: spec.id,
      ...(spec.epoch === undefined ? {} : { [EPOCH]: String(spec.epoch) }),
    },
    image: spec.image ?? host.defaultImage,
    serverImage: host.serverImage,
    imagePullPolicy: host.imagePullPolicy,
    settings: { ...host.settings, runtimeClass: spec.runtimeClass ?? host.settings.runtimeClass },
    network: host.network.parts(spec),
    uid: spec.uid,
    limits: spec.limits,
    writable: writableOf(files),
    readOnly: [
      ...[
        { path: files.gitConfig === null ? "etc/gitconfig" : "gitconfig", inside: "/etc/gitconfig" },
        { path: "etc/hosts", inside: "/etc/hosts" },
        { path: "etc/resolv.conf", inside: "/etc/resolv.conf" },
        { path: "passwd", inside: "/etc/passwd" },
        { path: "group", inside: "/etc/group" },
        { path: "etc/ca-certificates.crt", inside: BUNDLE },
        { path: "filter-x86_64", inside: `${FILTERS_INSIDE}/filter-x86_64` },
        { path: "filter-aarch64", inside: `${FILTERS_INSIDE}/filter-aarch64` },
        { path: "commands/filter-syscalls", inside: `${FILTERS_INSIDE}/filter-syscalls` },
      ].map((mount) => ({ volume: "files" as const, ...mount })),
      ...[
        ...files.files.map(({ host: path, inside }) => ({ path: `files/${basename(path)}`, inside })),
        ...files.directories.map(({ inside }, index) => ({ path: `directories/${index}`, inside })),
      ].map((mount) => ({ volume: "content" as const, ...mount })),
    ],
  };
}

function sentOf(host: PodHost, directory: string, files: SandboxFiles) {
  const own = [
    ...[...CONTENTS, "pipes", "passwd", "group"],
    ...(files.gitConfig === null ? [] : ["gitconfig"]),
  ];
  return [
    { directory: host.directory, names: ["etc", "programs", "commands", "filter-x86_64", "filter-aarch64"] },
    { directory, names: own },
  ];
}
