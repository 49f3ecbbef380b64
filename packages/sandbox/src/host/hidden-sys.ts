import { readdirSync } from "node:fs";

/** Directories that kernels have, which the engine's machine may have even if this one lacks them. */
const KNOWN = [
  ...["block", "bus", "class", "dev", "devices", "firmware", "hypervisor", "kernel", "module", "power"],
  ...["bpf", "btrfs", "ext4", "f2fs", "fuse", "pstore", "resctrl", "selinux", "xfs"].map(
    (name) => `fs/${name}`,
  ),
];

/** Returns the paths of everything in `/sys` except control groups: it describes the machine and its devices. */
export function hiddenSys(): string[] {
  const present = [...list("/sys"), ...list("/sys/fs").map((name) => `fs/${name}`)];
  const shown = ["fs", "fs/cgroup"];
  return [...new Set([...KNOWN, ...present])]
    .filter((name) => !shown.includes(name))
    .map((name) => `/sys/${name}`);
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
