import { z } from "zod";

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
export function nested(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function mountPathFault(path: string): string | null {
  if (!path.startsWith("/")) return "Field '{field}' must be an absolute path.";
  if (Buffer.byteLength(path) > 1024) return "Field '{field}' must be at most 1024 bytes long.";
  // Control characters, and lone surrogates, which no file name can hold.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path) || !path.isWellFormed())
    return "Field '{field}' must not contain control characters.";
  if (parentsOnly.includes(path)) return `Field '{field}' must not be '${path}'.`;
  const segments = path.slice(1).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    return "Field '{field}' must not have empty, '.' or '..' segments.";
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > 255)) {
    return "Field '{field}' must not have a segment longer than 255 bytes.";
  }
  const taken = takenPlaces.find((place) => path === place || path.startsWith(`${place}/`));
  return taken === undefined
    ? null
    : `Field '{field}' must not be in '${taken}', which belongs to the system.`;
}
