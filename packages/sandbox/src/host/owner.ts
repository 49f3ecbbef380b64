import { processStart } from "@berth/linux";

/**
 * Name of a living process that no later process can have: its pid and the clock tick at which it started.
 * Groups and directories carry it, so that a sweep can tell the leftovers of a dead server from a living one's.
 */
export async function ownerName(pid = process.pid): Promise<string> {
  return `${pid}-${processStart(pid) ?? ""}`;
}

/** The owner in the name of what an engine has: engines of one process have a number besides, behind a dot. */
export function ownerOf(name: string): string {
  return name.split(".")[0] ?? "";
}

/** Whether the process that made this name is still running. A name of another form has no owner. */
export async function ownerLives(name: string): Promise<boolean> {
  const parts = /^(\d+)-(\d+)$/.exec(name);
  if (!parts) return false;
  return processStart(Number(parts[1])) === parts[2];
}
