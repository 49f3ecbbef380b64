import { readFile } from "node:fs/promises";

/**
 * Name of a living process that no later process can have: its pid and the clock tick at which it started.
 * Groups and directories carry it, so that a sweep can tell the leftovers of a dead server from a living one's.
 */
export async function ownerName(pid = process.pid): Promise<string> {
  return `${pid}-${await startTick(pid)}`;
}

/** The owner in the name of what an engine has: engines of one process have a number besides, behind a dot. */
export function ownerOf(name: string): string {
  return name.split(".")[0] ?? "";
}

/** Whether the process that made this name is still running. A name of another form has no owner. */
export async function ownerLives(name: string): Promise<boolean> {
  const parts = /^(\d+)-(\d+)$/.exec(name);
  if (!parts) return false;
  return (await startTick(Number(parts[1])).catch(() => null)) === parts[2];
}

async function startTick(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1");
  // The program's name stands in parentheses and may hold spaces; the start time is the 20th field after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // One that is dead and only waits to be reaped.
  return fields[0] === "Z" || fields[0] === "X" ? "" : (fields[19] ?? "");
}
