import { closeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Egress } from "@berth/egress";
import { Supervisor, scriptsIn } from "../commands/supervisor.ts";
import { takeCores } from "../host/cores.ts";
import { limitFileLocks } from "../host/file-locks.ts";
import { HostPipes } from "../host/host-pipes.ts";
import { HostUploads } from "../host/host-uploads.ts";
import { HostView } from "../host/host-view.ts";
import { openEgress } from "../host/open-egress.ts";
import { prepareFiles } from "../host/sandbox-files.ts";
import { writeUsers } from "../inside/etc-files.ts";
import { DiskLimitError, RuntimeClassError, SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { CommonGroup } from "./common-group.ts";
import { containerBody } from "./container-body.ts";
import { containerGauge, limitSocketBuffers, openNamespace } from "./container-process.ts";
import type { Containers } from "./containers.ts";
import { Demultiplexer } from "./demultiplex.ts";
import { DockerSandbox } from "./docker-sandbox.ts";
import type { EngineVersion } from "./engine-client.ts";
import { limitTerminals } from "./limit-terminals.ts";

const START_TIMEOUT_MS = 20_000;

/** The parts of the engine that a sandbox uses. */
export interface ContainerHost {
  containers: Containers;
  group: CommonGroup;
  version: EngineVersion;
  egress: Egress;
  instance: string;
  owner: string;
  /** Directory of the files that the engine generates for all its sandboxes. */
  directory: string;
  seccomp: { text: string; file: string };
  defaultImage: string;
  mkfifo: string;
  log(line: object): void;
}

/**
 * Starts a container for a sandbox and sets the sandbox up.
 *
 * @param directory Host directory for this sandbox, to be created.
 * @param undo Receives the steps that undo everything when opening fails.
 * @param released Called when the sandbox has been released.
 */
export async function startContainer(
  host: ContainerHost,
  spec: SandboxSpec,
  directory: string,
  undo: (() => Promise<unknown>)[],
  released: (whole: boolean) => void,
): Promise<DockerSandbox> {
  requireSupported(spec);
  const { uid, limits } = spec;
  await mkdir(directory, { mode: 0o711 });
  const files = await prepareFiles(spec, directory, scriptsIn(`${host.directory}/commands`), null);
  await writeUsers(directory, uid);
  const { containers, instance, owner, version, seccomp } = host;
  const image = spec.image ?? host.defaultImage;
  const labels = { instance, owner, sandbox: spec.id };
  const cores = takeCores(limits.cpus);
  undo.push(async () => cores.release());
  const body = { version, image, uid, limits, cores: cores.numbers, labels, files, seccomp };
  const id = await containers.create(
    image,
    containerBody({ ...body, shared: host.directory, own: directory, group: await host.group.path() }),
  );
  undo.push(() => containers.remove(id));
  const stream = await containers.attach(id);
  undo.push(async () => stream.destroy());
  const { supervisor, errors } = superviseOver(stream, host, spec);
  const init = await containers.start(id, image);
  await limitTerminals(id, init);
  await limitSocketBuffers(init, limits.memoryBytes);
  const netFd = openNamespace(id, init, "net");
  const network = await openEgress(host.egress, spec, netFd).finally(() => closeSync(netFd));
  undo.push(() => network.close());
  if (!(await isReady(supervisor)))
    throw new SandboxError(`the container could not start: ${errors() || "it ended"}`);
  const sandbox = new DockerSandbox({
    id: spec.id,
    view: new HostView(init),
    supervisor,
    pipes: new HostPipes(files.pipes, uid, host.mkfifo),
    network,
    gauge: containerGauge(init),
    uploads: new HostUploads(files.uploads),
    writable: files.writable.map(({ inside }) => inside),
    mounted: files.files.map(({ inside }) => inside),
    stream,
    directory,
    removeContainer: () => containers.remove(id),
    released,
  });
  void sandbox.closed.then(limitFileLocks(init));
  void sandbox.closed.then(cores.release);
  await sandbox.setUp(files);
  return sandbox;
}

function requireSupported({ uid, limits, runtimeClass, snapshots = [], system }: SandboxSpec): void {
  if (!Number.isInteger(uid) || uid < 1000) throw new SandboxError(`not an unprivileged uid: ${uid}`);
  if (runtimeClass) throw new RuntimeClassError("Sandboxes of this installation are not pods.");
  if (limits.diskBytes !== null) throw new DiskLimitError("its sandboxes are containers");
  if (snapshots.length > 0) throw new SandboxError("containers mount no snapshots");
  if (system !== undefined) throw new SandboxError("containers run images, not system trees");
}

/** Returns false when process 1 ends, or does not respond in time. */
async function isReady(supervisor: Supervisor): Promise<boolean> {
  const timer = new AbortController();
  const tooLong = delay(START_TIMEOUT_MS, false, { signal: timer.signal }).catch(() => false);
  const ready = await Promise.race([supervisor.ready, tooLong]);
  timer.abort();
  return ready;
}

/**
 * Returns the supervisor of process 1 at the other end of the attached stream, and a function that returns
 * its standard error.
 */
function superviseOver(stream: Socket, { log }: ContainerHost, { id }: SandboxSpec) {
  let text = "";
  const output = new Demultiplexer((bytes) => {
    if (text.length < 2000) text += bytes.toString();
  });
  stream.on("error", () => {}).on("close", () => output.destroy());
  stream.pipe(output);
  const supervisor = new Supervisor({ input: stream, output }, () => {
    log({ msg: "process 1 of a sandbox does not respond", sandbox: id });
    stream.destroy();
  });
  return { supervisor, errors: () => text.trim() };
}
