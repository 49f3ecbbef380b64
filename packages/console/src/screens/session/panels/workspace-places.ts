import type { Session } from "@berth/sdk";

/** Directories of every sandbox that can be read. */
const DIRECTORIES = [
  "/data",
  "/home/agent",
  "/tmp",
  "/mnt/session/outputs",
  "/mnt/session/uploads",
  "/mnt/memory",
  "/mnt/skills",
];

/** Returns where browsing can start: the session's repositories, then the directories of every sandbox. */
export function placesOf({ resources }: Session): string[] {
  const mounts = resources.flatMap((one) => ("url" in one ? [one.mount_path] : []));
  return [...new Set([...mounts, ...DIRECTORIES])];
}

/** Returns the innermost of the places that contains a path. */
export function rootOf(path: string, places: readonly string[]): string {
  const holding = places.filter((place) => path === place || path.startsWith(`${place}/`));
  return holding.sort((one, other) => other.length - one.length)[0] ?? path;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}
