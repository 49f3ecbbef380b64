import type { GitSettings, Sandbox, SandboxSpec, SystemLayers } from "@berth/sandbox";
import type { Disk } from "../disks/session-disk.ts";
import { createEgressReport } from "../egress/egress-report.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { openOnSystem } from "../system/disk-system.ts";
import { EnvironmentProgress } from "../system/environment-progress.ts";
import { addsSomething, sessionSystem } from "../system/session-system.ts";
import { sessionTunnel } from "../tunnels/session-tunnel.ts";
import type { OpenDeps, OpenTarget } from "./opening.ts";

/**
 * Opens a sandbox with the system, packages and setup of the session's environment, its skills, its memory
 * stores and its network.
 */
export async function openInEnvironment(
  deps: OpenDeps,
  target: OpenTarget,
  session: RunSession,
  disk: Disk,
  { git, ...plain }: Omit<SandboxSpec, "git"> & { git: Promise<GitSettings> },
): Promise<{ sandbox: Sandbox; system: SystemLayers | null }> {
  const { engine, log, mask, skills, systems, tunnels } = deps;
  const { runLog, memory, signal, activity, lease } = target;
  const onEgressDenied = createEgressReport(runLog, log, mask);
  const progress = new EnvironmentProgress(runLog, signal);
  const request = { session, disk, signal, onEgressDenied, progress };
  const choose = () => sessionSystem(systems, request).finally(() => progress.end());
  // Builds of layers have limits of their own.
  const own = await (addsSomething(session) ? activity.pause(choose) : choose());
  if (own.fault !== null) await reportMissing(deps, target, own.fault);
  const directories = [
    ...(await skills.mounts(await target.skills())),
    ...(await memory.directories(disk.hostDir)),
  ];
  const spec = {
    ...plain,
    git: await git,
    ...(own.system !== undefined && { system: own.system }),
    ...(tunnels !== undefined && { openTunnel: sessionTunnel(tunnels, lease) }),
    directories,
    credentials: deps.credentials.egressSource(),
    onEgressDenied,
    signal,
    onWaiting: target.wait.changed,
  };
  const open = () => engine.open(spec);
  const sandbox = systems === null ? await open() : await openOnSystem(own, disk, open);
  return { sandbox, system: own.system ?? null };
}

/** Reports to users and the model which part of the environment is missing. */
async function reportMissing(
  { mask }: OpenDeps,
  { runLog, notes }: OpenTarget,
  fault: string,
): Promise<void> {
  const message = mask(fault);
  const error = {
    type: "environment_error" as const,
    message,
    retry_status: { type: "exhausted" as const },
  };
  await runLog.append([{ event: { type: "session.error", error } }]);
  notes.push(`[${message}]`);
}
