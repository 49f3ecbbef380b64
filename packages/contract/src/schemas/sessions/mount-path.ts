import { z } from "zod";
import { absolutePathFault } from "../../conventions/fields.ts";

/** Directories of the sandbox's own system, and places that the platform fills itself. Nothing is mounted at or below them. */
const takenPlaces = [
  "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt/berth", "/proc", "/root", "/run", "/sbin",
  "/sys", "/tmp", "/usr", "/var", "/mnt/memory", "/mnt/skills", "/mnt/session/outputs",
]; // biome-ignore format: a list of words
/** Nothing is mounted at these, but below them. */
const parentsOnly = [
  "/",
  "/data",
  "/home",
  "/home/agent",
  "/mnt",
  "/mnt/session",
  "/mnt/session/uploads",
  "/opt",
];

/**
 * Where a resource appears in the sandbox: absolute, at most 1,024 bytes, without empty, `.` or `..` segments or
 * control characters, and outside what belongs to the system or the platform.
 */
export const mountPath = z
  .string()
  .superRefine((path, context) => {
    const message = mountPathFault(path);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({ description: "Absolute path in the sandbox.", maxLength: 1024 });

/** Whether two places would lie in each other. */
export function pathsOverlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function mountPathFault(path: string): string | null {
  if (parentsOnly.includes(path)) return `Field '{field}' must not be '${path}'.`;
  const fault = absolutePathFault(path);
  if (fault !== null) return fault;
  const taken = takenPlaces.find((place) => path === place || path.startsWith(`${place}/`));
  return taken === undefined
    ? null
    : `Field '{field}' must not be in '${taken}', which belongs to the system.`;
}
