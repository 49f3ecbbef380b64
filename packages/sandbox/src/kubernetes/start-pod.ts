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
import { endProcesses } from "./end-processes.ts";
import { digestOf, noteMadeWith } from "./made-with.ts";
import { mergePatch } from "./merge-patch.ts";
import { PipeConnection } from "./pipe-connection.ts";
import type { Placer } from "./placer.ts";
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
import { epochOf } from "./remove-held.ts";
import { requireRuntimeClass } from "./runtime-classes.ts";
import { CONTENTS, type Sent, sendFiles } from "./send-files.ts";

const START_TIMEOUT_MS = 90_000;

/** What a sandbox uses of its engine. */
export interface PodHost {
  cluster: Cluster;
  placer: Placer;
  disks: PodDisks;
  network: PodNetwork;
  instance: string;
  owner: string;
  /** Directory of the files that the engine generates for all its sandboxes. */
  directory: string;
  /** Digest of these files. */
  shared: string;
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

/** The files of `PodHost.directory` that every pod is sent. */
export const SHARED_FILES = ["etc", "programs", "commands", "filter-x86_64", "filter-aarch64"] as const;

/** A sandbox that is to be opened. */
interface Wanted {
  host: PodHost;
  spec: SandboxSpec;
  body: V1Pod;
  sent: readonly Sent[];
  writable: ReturnType<typeof writableOf>;
  undo: (() => Promise<unknown>)[];
}

/** Its pod, whose process 1 responds and has no other process. */
interface Begun {
  pod: PodId;
  connection: PipeConnection;
  processOne: ProcessOne;
  supervisor: Supervisor;
  pipes: PodPipes;
  view: PodView;
}

/**
 * Starts a pod for a sandbox, or goes on in the one of an earlier lease, and sets the sandbox up.
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
  const { placer } = host;
  await mkdir(directory, { mode: 0o711 });
  const files = await prepareFiles(spec, directory, scriptsIn(`${host.directory}/commands`), "/");
  const mounted = files.directories.map(({ host: source, inside: target }) => ({ source, target }));
  const [directories] = await Promise.all([
    PodDirectories.copy(mounted, `${directory}/directories`),
    writeUsers(directory, spec.uid),
  ]);
  const sent = sentOf(host, directory, files);
  const [body, writable] = [await bodyOf(host, spec, files, sent), writableOf(files)];
  const begun = await begin({ host, spec, body, sent, writable, undo });
  const { pod, connection, processOne, supervisor, pipes, view } = begun;
  const network = await host.network.open(pod.name, spec);
  undo.push(() => network.close());
  const sandbox = new PodSandbox({
    id: spec.id,
    view,
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
    removePod: (isEmpty) => placer.remove(pod, epochOf(body), isEmpty),
    processOne,
    released,
  });
  await sandbox.setUp(files);
  return sandbox;
}

function requireSupported({ uid, snapshots = [], system }: SandboxSpec): void {
  if (!Number.isInteger(uid) || uid < 1000) throw new SandboxError(`not an unprivileged uid: ${uid}`);
  if (snapshots.length > 0) throw new SandboxError("pods mount no snapshots");
  if (system !== undefined) throw new SandboxError("pods run images, not system trees");
}

/** What its pod is made of, with the volume of its disk, which is made here. */
async function bodyOf(
  host: PodHost,
  spec: SandboxSpec,
  files: SandboxFiles,
  sent: readonly Sent[],
): Promise<V1Pod> {
  const { disks, owner, patch, shared } = host;
  const { id, disk, epoch, limits, ephemeral = false } = spec;
  const name = epoch === undefined ? ownPodName(id, owner) : objectName(id, id);
  const claim = ephemeral ? null : await disks.ensure(disk, limits.diskBytes);
  const body = podBody(partsOf(host, spec, files, { name, claim }));
  const patched = patch === null ? body : (mergePatch(body, patch) as V1Pod);
  const contents = sent.filter(({ directory }) => directory !== host.directory).map(digestOf);
  return noteMadeWith(patched, limits, [shared, ...(await Promise.all(contents))]);
}

/** Of a sandbox that belongs to no session, and so to one engine alone. */
export function ownPodName(id: string, owner: string): string {
  return objectName(id, `${id} ${owner}`);
}

async function begin(wanted: Wanted): Promise<Begun> {
  const { host, body, spec, undo } = wanted;
  let pod = await host.placer.take(body);
  undo.push(() => host.placer.remove(pod, epochOf(body), false));
  if (!pod.isNew) {
    const adopted = await adopt(wanted, pod).catch((error: unknown) => {
      host.log({ msg: "a pod cannot be gone on with", sandbox: spec.id, error: String(error) });
      return null;
    });
    if (adopted !== null) return adopted;
    pod = await host.placer.replace(pod, body);
  }
  return await beginNew(wanted, pod);
}

/** Goes on in the pod of an earlier lease. Null: what it was sent at its start has changed there. */
async function adopt(wanted: Wanted, pod: PodId): Promise<Begun | null> {
  const { host, spec } = wanted;
  const process = await host.cluster.exec(pod.name, SERVER_CONTAINER, serverCommand(spec.epoch ?? 0));
  const connection = await PipeConnection.open(process);
  try {
    if (connection.wasChanged) return null;
    const begun = superviseOver(connection, wanted, pod);
    await endProcesses(begun.processOne, begun.supervisor, begun.view);
    wanted.undo.push(() => connection.undo());
    return begun;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Connects to the server of a new pod's pipes, with the files of the sandbox in place. */
async function beginNew(wanted: Wanted, pod: PodId): Promise<Begun> {
  const { host, spec, sent, undo } = wanted;
  const start = new PodStart(host.cluster, pod.name, START_TIMEOUT_MS);
  undo.push(async () => start.end());
  const connection = await start.orFailed(connectTo(host, pod.name, spec, sent, start.signal));
  undo.push(() => connection.undo());
  const begun = superviseOver(connection, wanted, pod);
  if (!(await start.orFailed(begun.supervisor.ready)))
    throw new SandboxError("process 1 of the pod did not start");
  start.end();
  return begun;
}

async function connectTo(
  { cluster }: PodHost,
  pod: string,
  { epoch = 0 }: SandboxSpec,
  sent: readonly Sent[],
  signal: AbortSignal,
): Promise<PipeConnection> {
  await sendFiles(cluster, pod, sent, signal);
  return await PipeConnection.open(
    await cluster.execSoon(pod, SERVER_CONTAINER, serverCommand(epoch), signal),
  );
}

function superviseOver(connection: PipeConnection, { host, spec, writable }: Wanted, pod: PodId): Begun {
  const processOne = new ProcessOne(connection);
  const supervisor = new Supervisor(processOne, () => {
    host.log({ msg: "process 1 of a sandbox does not respond", sandbox: spec.id });
    connection.close();
  });
  processOne.output.once("close", () => connection.close());
  const pipes = new PodPipes(connection);
  const view = new PodView({ supervisor, pipes, connection, writable });
  return { pod, connection, processOne, supervisor, pipes, view };
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

function sentOf(host: PodHost, directory: string, files: SandboxFiles): Sent[] {
  const own = [
    ...[...CONTENTS, "pipes", "passwd", "group"],
    ...(files.gitConfig === null ? [] : ["gitconfig"]),
  ];
  return [
    { directory: host.directory, names: SHARED_FILES },
    { directory, names: own },
  ];
}
