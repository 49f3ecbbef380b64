import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { Supervisor } from "../../commands/supervisor.ts";
import { limitFileLocks } from "../../host/file-locks.ts";
import { HostPipes } from "../../host/host-pipes.ts";
import { HostUploads } from "../../host/host-uploads.ts";
import { HostView } from "../../host/host-view.ts";
import { hostUid, type SandboxFiles } from "../../host/sandbox-files.ts";
import { DiskLimitError, SandboxError } from "../../interface/errors.ts";
import type { SandboxSpec } from "../../interface/spec.ts";
import { BrokenDiskError } from "../disk-image/fsck-and-resize.ts";
import { IN_USE, MOUNT_BROKEN, MOUNT_FAILED } from "../launch/launch-program.ts";
import { Snapshots } from "../snapshot/snapshots.ts";
import { openSystemNamespace } from "../system-layers/system-namespace.ts";
import { BubblewrapSandbox } from "./bubblewrap-sandbox.ts";
import { type Launch, launch } from "./launch.ts";
import { FIRST_PIPES, launchOptions, type Made, type SandboxHost } from "./launch-options.ts";

const START_TIMEOUT_MS = 20_000;

/**
 * Starts process 1 of a sandbox whose disk, network and control group are ready, and sets the sandbox up.
 * When this throws, the process may still run.
 */
export async function startSandbox(
  host: SandboxHost,
  spec: SandboxSpec,
  made: Made,
): Promise<BubblewrapSandbox> {
  const rootFd = spec.system?.changes ? await openSystemNamespace() : null;
  try {
    const uid = hostUid(spec);
    const options = await launchOptions(host, spec, made, { uid, rootFd });
    const { child, init: initPid, disarmGuard } = await launch(options);
    const supervisor = new Supervisor(
      { input: child.stdin as Writable, output: child.stdout as Readable },
      () => {
        host.log({ msg: "process 1 of a sandbox does not respond", sandbox: spec.id });
        child.kill("SIGKILL");
      },
    );
    const init = await started(child, initPid, supervisor);
    disarmGuard();
    const snapshots = snapshotsOf(host, spec, made.files, options, child.pid, init);
    const sandbox = new BubblewrapSandbox({
      id: spec.id,
      child,
      view: new HostView(init),
      supervisor,
      pipes: new HostPipes(made.files.pipes, uid, host.programs.mkfifo, FIRST_PIPES),
      cgroup: made.launcher.cgroup,
      gauge: made.launcher.cgroup.gauge,
      network: made.network,
      directory: made.directory,
      uploads: new HostUploads(made.files.uploads),
      writable: made.files.writable.map(({ inside }) => inside),
      mounted: made.files.files.map(({ inside }) => inside),
      ...(snapshots === null ? {} : { snapshots }),
      released: host.released,
    });
    void sandbox.closed.then(limitFileLocks(init));
    await restore(snapshots, spec);
    await sandbox.setUp(made.files);
    return sandbox;
  } finally {
    if (rootFd !== null) closeSync(rootFd);
  }
}

function snapshotsOf(
  { log, mounts }: SandboxHost,
  { id, disk }: SandboxSpec,
  { writable }: SandboxFiles,
  { uid, disk: mounted }: Launch,
  pid: number | undefined,
  init: number,
): Snapshots | null {
  if (uid === null || pid === undefined) return null;
  return new Snapshots(
    {
      helper: mounts,
      bwrap: pid,
      init,
      uid,
      disk: mounted?.at ?? disk,
      writable: writable.map(({ inside }) => inside),
    },
    (line) => log({ ...line, sandbox: id }),
  );
}

async function restore(snapshots: Snapshots | null, { snapshots: wanted = [] }: SandboxSpec): Promise<void> {
  if (wanted.length === 0) return;
  if (snapshots === null) throw new SandboxError("this machine cannot mount snapshots");
  await snapshots.restore(wanted);
}

/**
 * Returns the host pid of process 1 once it responds.
 *
 * @throws SandboxError when it does not start within 20 seconds.
 */
async function started(child: ChildProcess, init: Promise<number>, supervisor: Supervisor): Promise<number> {
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    if (errors.length < 2000) errors += String(chunk);
  });
  const spawned = new Promise<never>((_, reject) => child.once("error", reject));
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  const pid = await Promise.race([init.catch(() => null), spawned]);
  const ready = await Promise.race([supervisor.ready, spawned]).finally(() => clearTimeout(timer));
  if (pid !== null && ready) return pid;
  throw await startError(child, errors.trim());
}

/** Returns the reason why bwrap ended, after killing it if it still runs. */
async function startError(child: ChildProcess, errors: string): Promise<SandboxError> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
  if (child.exitCode === IN_USE) return new SandboxError("the disk is still in use");
  if (child.exitCode === MOUNT_BROKEN) return new BrokenDiskError(errors);
  return child.exitCode === MOUNT_FAILED
    ? new DiskLimitError("its loop devices cannot be used", { cause: errors })
    : new SandboxError(`bubblewrap could not start: ${errors || "it ended"}`);
}
