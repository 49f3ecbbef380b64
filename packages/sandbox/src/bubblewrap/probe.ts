import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { findProgram, isArchitecture } from "@berth/linux";
import type { Controller } from "../host/cgroup/cgroup-layouts.ts";
import type { Cgroups } from "../host/cgroup/cgroups.ts";
import { type Capability, degraded, no, yes } from "../interface/capability.ts";
import { missingForImages } from "./disk-image/missing-for-images.ts";
import { missingForSnapshots } from "./snapshot/missing-for-snapshots.ts";

const run = promisify(execFile);

/**
 * Returns what this host supports and lacks. Never throws.
 *
 * @param directory Host directory for trials.
 */
export async function probeHost(
  cgroups: Pick<Cgroups, "controllers" | "sharedLimitsHold">,
  directory: string,
): Promise<Capability[]> {
  const root = process.getuid?.() === 0;
  return [
    await bubblewrap(),
    await userNamespaces(root),
    root
      ? yes("separate_user", "Each sandbox runs under a host uid of its own.")
      : no(
          "separate_user",
          "Berth is not root: sandboxes run under its own uid, apart only by namespaces. Start it as root.",
        ),
    ...limits(cgroups.controllers),
    await sharedLimits(cgroups),
    seccomp(),
    await diskLimit(directory),
    await snapshots(directory),
    ...["git", "gh"].map((name) => program(name)),
    program("bash"),
    yes("rg", "ripgrep comes with Berth and is in every sandbox."),
  ];
}

async function bubblewrap(): Promise<Capability> {
  const path = findProgram("bwrap");
  if (path === null) return no("bubblewrap", "bwrap is missing. Install the package bubblewrap.");
  try {
    const version = (await run(path, ["--version"])).stdout.trim();
    const help = (await run(path, ["--help"])).stdout;
    for (const option of ["--as-pid-1", "--disable-userns", "--info-fd"])
      if (!help.includes(option))
        return no("bubblewrap", `${version} lacks ${option}. Install 0.8.0 or newer.`);
    return yes("bubblewrap", `${version}.`);
  } catch {
    return no("bubblewrap", "bwrap does not run. Reinstall the package bubblewrap.");
  }
}

/** Tries what a sandbox does, from an unprivileged uid. */
async function userNamespaces(root: boolean): Promise<Capability> {
  const bwrap = [
    "bwrap",
    "--unshare-user",
    "--unshare-pid",
    "--disable-userns",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "true",
  ];
  const command = root ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...bwrap] : bwrap;
  try {
    await run(command[0] ?? "", command.slice(1), { timeout: 5000 });
    return yes("user_namespaces", "Unprivileged user namespaces work.");
  } catch (error) {
    return no("user_namespaces", inContainer() ? containerAdvice(error) : HOST_ADVICE);
  }
}

const HOST_ADVICE =
  "Unprivileged user namespaces are denied. Allow them (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns).";

/** Returns whether a file exists with which Docker or Podman marks its containers. */
function inContainer(): boolean {
  return ["/.dockerenv", "/run/.containerenv"].some((path) => existsSync(path));
}

/**
 * Returns advice with the missing flags of `docker run`. The kernel rejects a new /proc while parts of the
 * existing one are hidden.
 */
function containerAdvice(error: unknown): string {
  const { stderr = "" } = error as { stderr?: string };
  return stderr.includes("mount proc")
    ? "The container hides parts of /proc, so that sandboxes cannot have one of their own. Start it with --security-opt systempaths=unconfined."
    : "The container may not make user namespaces. Start it with --security-opt seccomp=unconfined, and with --security-opt apparmor=unconfined if the host has AppArmor; or allow them on the host (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone).";
}

function limits(controllers: readonly Controller[]): Capability[] {
  const without: Record<Controller, string> = {
    memory: "Only each process's data is limited, not their sum.",
    pids: "Processes are counted over the whole uid, coarsely.",
    cpu: "Processor time is not limited.",
  };
  return (["memory", "pids", "cpu"] as const).map((controller) =>
    controllers.includes(controller)
      ? yes(`limit_${controller}`, `Enforced by the ${controller} control group.`)
      : {
          name: `limit_${controller}`,
          state: controller === "cpu" ? ("no" as const) : ("degraded" as const),
          detail: `${without[controller]} Run Berth as root, or delegate the ${controller} controller to it.`,
        },
  );
}

async function sharedLimits(cgroups: Pick<Cgroups, "sharedLimitsHold">): Promise<Capability> {
  const name = "limit_together";
  if (await cgroups.sharedLimitsHold())
    return yes(name, "All sessions together have limits of memory and processes below the machine's.");
  return degraded(
    name,
    "All sessions together can use up the memory and the processes of the machine. Run Berth as root, or delegate the memory and pids controllers to it.",
  );
}

/** Returns whether disks can have a limit, by a trial in this directory. Never throws. */
export async function diskLimit(directory: string): Promise<Capability> {
  const missing = await missingForImages(directory);
  if (missing === null) return yes("limit_disk", "Enforced: a disk with a limit is a filesystem of its own.");
  return degraded(
    "limit_disk",
    `Sessions whose environment sets disk_mb are refused: ${missing}. Other disks have no limit, and what a setup script changes is only counted.`,
  );
}

/** Returns whether sandboxes can mount snapshots, by a trial in this directory. Never throws. */
export async function snapshots(directory: string): Promise<Capability> {
  const missing = await missingForSnapshots(directory);
  if (missing === null) return yes("snapshots", "A repository is prepared once and shown to many sessions.");
  return degraded("snapshots", `Every session clones in full: ${missing}.`);
}

function seccomp(): Capability {
  if (!isArchitecture(process.arch))
    return no("seccomp", `There is no system call filter for ${process.arch}. Use x86_64 or aarch64.`);
  if (!existsSync("/proc/sys/kernel/seccomp/actions_avail"))
    return no("seccomp", "The kernel has no seccomp filters. Use one with CONFIG_SECCOMP_FILTER.");
  return yes("seccomp", `System calls are filtered (${process.arch}).`);
}

function program(name: string): Capability {
  const path = findProgram(name);
  if (path?.startsWith("/usr/") || path?.startsWith("/bin/"))
    return yes(name, `${name} of the host is in the sandboxes that have the host's system.`);
  return no(name, `${name} is missing below /usr. Install the package ${name}.`);
}
