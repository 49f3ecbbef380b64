import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { basename, posix } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import { Supervisor, scriptsIn } from "../commands/supervisor.ts";
import { prepareFiles, type SandboxFiles } from "../host/sandbox-files.ts";
import { BUNDLE } from "../inside/environment.ts";
import { modeOf } from "../inside/mounts.ts";
import { writeUsers } from "../inside/write-etc.ts";
import { DiskLimitError, ImageError, SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { Cluster } from "./cluster.ts";
import { PipeConnection } from "./pipe-connection.ts";
import {
  FILES,
  FILES_CONTAINER,
  INSTANCE,
  OWNER,
  podBody,
  SANDBOX,
  SANDBOX_CONTAINER,
  SERVER_CONTAINER,
  STATE,
} from "./pod-body.ts";
import { PodPipes, pipePath } from "./pod-pipes.ts";
import { PodSandbox } from "./pod-sandbox.ts";
import { PodUploads } from "./pod-uploads.ts";
import { PodView } from "./pod-view.ts";
import { sendFiles } from "./send-files.ts";

const START_TIMEOUT_MS = 60_000;
/** What the kubelet says of an image that it cannot run. */
const IMAGE_FAULTS = ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"];

/** What a sandbox uses of its engine. */
export interface PodHost {
  cluster: Cluster;
  instance: string;
  owner: string;
  /** Directory of the files that the engine generates for all its sandboxes. */
  directory: string;
  defaultImage: string;
  serverImage: string;
  imagePullPolicy: string;
  storageClass: string | null;
  diskBytes: number;
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
  const { cluster } = host;
  await mkdir(directory, { mode: 0o711 });
  const files = await prepareFiles(spec, directory, scriptsIn(`${host.directory}/commands`), "/");
  await writeUsers(directory, spec.uid);
  const claim = claimName(host.instance, spec.disk);
  await cluster.ensureClaim(claimBody(host, claim));
  const name = `berth-${randomUUID()}`;
  await cluster.createPod(podBody(partsOf(host, spec, files, { name, claim })));
  undo.push(() => cluster.removePod(name));
  await cluster.watchPod(name, START_TIMEOUT_MS, (pod) => isRunning(pod, FILES_CONTAINER));
  await sendFiles(cluster, name, sentOf(host, directory, files));
  await cluster.watchPod(
    name,
    START_TIMEOUT_MS,
    (pod) => isRunning(pod, SANDBOX_CONTAINER) && isRunning(pod, SERVER_CONTAINER),
  );
  const server = await cluster.exec(name, SERVER_CONTAINER, [
    "perl",
    `${FILES}/commands/pipe-server`,
    "1",
    STATE,
  ]);
  const connection = await PipeConnection.open(server);
  undo.push(async () => connection.close());
  const output = connection.read(pipePath("supervisor", "out"));
  const input = connection.write(pipePath("supervisor", "in"));
  const supervisor = new Supervisor({ input, output }, () => {
    host.log({ msg: "process 1 of a sandbox does not respond", sandbox: spec.id });
    connection.close();
  });
  output.once("close", () => connection.close());
  const pipes = new PodPipes(connection);
  const sandbox = new PodSandbox({
    id: spec.id,
    view: new PodView(supervisor, pipes),
    supervisor,
    pipes,
    network: { setPolicy: () => {}, watchDenied: () => () => [] },
    uploads: new PodUploads(connection),
    writable: files.writable.map(({ inside }) => inside),
    mounted: files.files.map(({ inside }) => inside),
    connection,
    directory,
    removePod: () => cluster.removePod(name),
    released,
  });
  if (!(await supervisor.ready)) throw new SandboxError("process 1 of the pod did not start");
  await sandbox.setUp(files);
  return sandbox;
}

function requireSupported({ uid, snapshots = [], system, limits }: SandboxSpec): void {
  if (!Number.isInteger(uid) || uid < 1000) throw new SandboxError(`not an unprivileged uid: ${uid}`);
  if (limits.diskBytes !== null) throw new DiskLimitError("its sandboxes are pods");
  if (snapshots.length > 0) throw new SandboxError("pods mount no snapshots");
  if (system !== undefined) throw new SandboxError("pods run images, not system trees");
}

function partsOf(
  host: PodHost,
  spec: SandboxSpec,
  files: SandboxFiles,
  { name, claim }: { name: string; claim: string },
) {
  return {
    name,
    claim,
    labels: { [INSTANCE]: host.instance, [OWNER]: host.owner, [SANDBOX]: spec.id },
    image: spec.image ?? host.defaultImage,
    serverImage: host.serverImage,
    imagePullPolicy: host.imagePullPolicy,
    uid: spec.uid,
    limits: spec.limits,
    writable: files.writable.map((mount) => ({
      host: posix.relative("/", mount.host),
      inside: mount.inside,
      mode: modeOf(mount),
    })),
    readOnly: [
      { path: files.gitConfig === null ? "etc/gitconfig" : "gitconfig", inside: "/etc/gitconfig" },
      { path: "etc/hosts", inside: "/etc/hosts" },
      { path: "passwd", inside: "/etc/passwd" },
      { path: "group", inside: "/etc/group" },
      { path: "etc/ca-certificates.crt", inside: BUNDLE },
      ...files.files.map(({ host: path, inside }) => ({ path: `files/${basename(path)}`, inside })),
      ...files.directories.map(({ inside }, index) => ({ path: `directories/${index}`, inside })),
    ],
  };
}

function sentOf(host: PodHost, directory: string, files: SandboxFiles) {
  const own = [
    "pipes",
    "uploads",
    "files",
    "passwd",
    "group",
    ...(files.gitConfig === null ? [] : ["gitconfig"]),
  ];
  return [
    { directory: host.directory, names: ["etc", "programs", "commands"] },
    { directory, names: own },
  ];
}

/** @throws when the container will never run. */
function isRunning(pod: V1Pod, container: string): true | null {
  const { phase, containerStatuses = [], initContainerStatuses = [], message } = pod.status ?? {};
  if (phase === "Failed" || phase === "Succeeded")
    throw new SandboxError(`the pod ended: ${message ?? reasonsOf(pod)}`);
  const states = [...initContainerStatuses, ...containerStatuses];
  for (const { state, image } of states) {
    const { reason = "", message: why = "" } = state?.waiting ?? {};
    if (IMAGE_FAULTS.includes(reason))
      throw new ImageError(`The image ${JSON.stringify(image)} cannot be run.`, { cause: why });
    if (
      reason === "CreateContainerError" ||
      reason === "RunContainerError" ||
      reason === "CreateContainerConfigError"
    )
      throw new SandboxError(`a container could not start: ${why}`);
  }
  return states.some(({ name, state }) => name === container && state?.running !== undefined) ? true : null;
}

function reasonsOf(pod: V1Pod): string {
  const all = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return all
    .flatMap(({ name, state }) =>
      state?.terminated ? [`${name} ${state.terminated.exitCode} ${state.terminated.message ?? ""}`] : [],
    )
    .join(", ");
}

/** The name of a disk's claim. */
export function claimName(instance: string, disk: string): string {
  return `${instance}-${basename(disk)}-${hash(disk)}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .slice(-63)
    .replace(/^-+/, "");
}

function hash(text: string): string {
  let value = 0;
  for (const character of text) value = (Math.imul(value, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return (value >>> 0).toString(36);
}

function claimBody({ storageClass, diskBytes, instance }: PodHost, name: string) {
  return {
    metadata: { name, labels: { [INSTANCE]: instance } },
    spec: {
      accessModes: ["ReadWriteOnce"],
      ...(storageClass === null ? {} : { storageClassName: storageClass }),
      resources: { requests: { storage: String(diskBytes) } },
    },
  };
}
