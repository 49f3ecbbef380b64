import { mkdir, writeFile } from "node:fs/promises";
import { scriptsIn } from "../commands/supervisor.ts";
import { prepareFiles, type SandboxFiles } from "../host/sandbox-files.ts";
import { writeUsers } from "../inside/etc-files.ts";
import { gitConfig } from "../inside/git-config.ts";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { beginPod } from "./begin-pod.ts";
import { mountPoints } from "./content-places.ts";
import { PodDirectories } from "./pod-directories.ts";
import { PodGauge } from "./pod-gauge.ts";
import type { PodHost } from "./pod-host.ts";
import { PodSandbox } from "./pod-sandbox.ts";
import { PodUploads } from "./pod-uploads.ts";
import { epochOf } from "./remove-held.ts";
import { requireRuntimeClass } from "./runtime-classes.ts";
import { wantPod } from "./wanted-pod.ts";

/**
 * Starts a pod for a sandbox, or adopts that of an earlier lease, and sets the sandbox up.
 *
 * @param directory Host directory for this sandbox, to be created.
 * @param undo Receives the steps that undo everything when opening fails.
 * @param released Called when the sandbox has been released.
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
  const files = await writeFiles(host, spec, directory);
  const mounted = files.directories.map(({ host: source, inside: target }) => ({ source, target }));
  const directories = await PodDirectories.copy(mounted, directory);
  const wanted = await wantPod(host, spec, directory, files);
  const begun = await beginPod({ host, spec, undo, ...wanted });
  const { pod, connection, processOne, supervisor, pipes, view, start } = begun;
  const opening = host.network.open(pod.name, spec, start);
  const network = await (start === undefined ? opening : start.orFailed(opening));
  start?.end();
  undo.push(() => network.close());
  const sandbox = new PodSandbox({
    id: spec.id,
    wasThere: begun.wasThere,
    view,
    supervisor,
    pipes,
    gauge: new PodGauge(supervisor),
    network,
    uploads: new PodUploads(connection),
    writable: wanted.writable.map(({ inside }) => inside),
    mounted: files.files.map(({ inside }) => inside),
    connection,
    directories,
    directory,
    log: host.log,
    removePod: (isEmpty) => placer.remove(pod, epochOf(wanted.body), isEmpty),
    processOne,
    released,
  });
  await sandbox.setUp(files);
  return sandbox;
}

/** Writes the files that a pod receives to a new host directory, except the copies of mounted directories. */
export async function writeFiles(host: PodHost, spec: SandboxSpec, directory: string): Promise<SandboxFiles> {
  await mkdir(directory, { mode: 0o711 });
  const files = await prepareFiles(spec, directory, scriptsIn(`${host.directory}/commands`), "/");
  const writable = files.writable.map(({ inside }) => inside);
  await Promise.all([
    writeUsers(directory, spec.uid),
    ...["directories", ...mountPoints(writable)].map((path) =>
      mkdir(`${directory}/${path}`, { recursive: true }),
    ),
  ]);
  await writeFile(`${directory}/git/config`, gitConfig(spec.git), { mode: 0o644 });
  return files;
}

function requireSupported({ uid, snapshots = [], system }: SandboxSpec): void {
  if (!Number.isInteger(uid) || uid < 1000) throw new SandboxError(`not an unprivileged uid: ${uid}`);
  if (snapshots.length > 0) throw new SandboxError("pods mount no snapshots");
  if (system !== undefined) throw new SandboxError("pods run images, not system trees");
}
