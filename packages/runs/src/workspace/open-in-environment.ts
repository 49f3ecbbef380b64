import type { GitSettings, Sandbox, SandboxSpec, SystemLayers } from "@berth/sandbox";
import type { Disk } from "../disks/session-disk.ts";
import { createEgressReport } from "../egress/egress-report.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { newSuiteNote, openOnSystem } from "../system/disk-system.ts";
import { EnvironmentProgress } from "../system/environment-progress.ts";
import { reportMissing } from "../system/report-missing.ts";
import { runtimeFaults, type SessionRuntimes, sessionRuntimes } from "../system/session-runtimes.ts";
import { mayWaitForSystem, sessionSystem } from "../system/session-system.ts";
import { sessionTunnel } from "../tunnels/session-tunnel.ts";
import { openWithImage } from "./open-with-image.ts";
import type { OpenDeps, OpenTarget } from "./opening.ts";

/**
 * Opens a sandbox with the system, runtimes, packages and setup of the session's environment, its skills, its
 * memory stores and its network.
 */
export async function openInEnvironment(
  deps: OpenDeps,
  target: OpenTarget,
  session: RunSession,
  disk: Disk,
  { git, ...plain }: Omit<SandboxSpec, "git"> & { git: Promise<GitSettings> },
): Promise<{ sandbox: Sandbox; system: SystemLayers | null; runtimes: SessionRuntimes | null }> {
  const { log, mask, skills, systems, tunnels } = deps;
  const { runLog, memory, signal, activity, lease } = target;
  const onEgressDenied = createEgressReport(runLog, log, mask);
  const progress = new EnvironmentProgress(runLog, signal);
  const request = { session, disk, signal, onEgressDenied, progress };
  const choose = async () => {
    const runtimes = await sessionRuntimes(deps, request);
    // What all sessions share does without the runtimes that this one chooses later.
    const shared = runtimes?.shared ?? null;
    const own = await sessionSystem(systems, { ...request, runtimes: shared }).catch((error) => {
      runtimes?.release();
      throw error;
    });
    return { runtimes, own };
  };
  const chosen = () => choose().finally(() => progress.end());
  // Builds have limits of their own, so the session takes no slot while it waits for them.
  const waits =
    mayWaitForSystem(systems, session) || session.runtimes.length > 0 || session.missingRuntimes.length > 0;
  const { runtimes, own } = await (waits ? activity.pause(chosen) : chosen());
  const missing = runtimes === null ? [] : runtimeFaults(runtimes);
  for (const fault of [...missing, ...own.faults]) await reportMissing(deps, target, fault);
  target.notes.push(...(await newSuiteNote(own, disk)));
  const directories = [
    ...(await skills.mounts(await target.skills())),
    ...(await memory.directories(disk.hostDir)),
    ...(runtimes?.directories ?? []),
  ];
  const spec = {
    ...plain,
    git: await git,
    ...(own.system !== undefined && { system: own.system }),
    ...(tunnels !== undefined && { openTunnel: sessionTunnel(tunnels, lease) }),
    directories,
    credentials: deps.credentials.egressSource(),
    services: deps.credentials.services(),
    onEgressDenied,
    signal,
    onWaiting: target.wait.changed,
  };
  const open = () => openWithImage(deps, target, session, spec);
  const opening = systems === null ? open() : openOnSystem(own, disk, open);
  const sandbox = await opening.catch((error) => {
    runtimes?.release();
    throw error;
  });
  void sandbox.closed.then(() => runtimes?.release());
  return { sandbox, system: own.system ?? null, runtimes };
}
