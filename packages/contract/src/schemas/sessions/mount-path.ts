import { z } from "zod";
import { absolutePathError } from "../../conventions/fields.ts";

/** Directories of the sandbox's system, or managed by Berth. Nothing can be mounted at or below them. */
const RESERVED_DIRECTORIES = [
  "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt/berth", "/opt/runtimes", "/proc", "/root", "/run", "/sbin",
  "/sys", "/tmp", "/usr", "/var", "/mnt/memory", "/mnt/skills", "/mnt/session/outputs",
  "/mnt/session/bin", "/mnt/session/shells",
]; // biome-ignore format: a list of words
/** Directories below which, but not at which, resources can be mounted. */
const PARENT_DIRECTORIES = [
  "/",
  "/data",
  "/home",
  "/home/agent",
  "/mnt",
  "/mnt/session",
  "/mnt/session/uploads",
  "/opt",
];

/** A resource's path in the sandbox: absolute, and outside the directories of the system and of Berth. */
export const mountPath = z
  .string()
  .superRefine((path, context) => {
    const message = mountPathError(path);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({ description: "Absolute path in the sandbox.", maxLength: 1024 });

/**
 * The mount path of a repository. Nothing can be cloned into the directory of uploaded files, which is
 * read-only, or into a directory named `.git`.
 */
export const repositoryMountPath = mountPath
  .refine((path) => !path.startsWith("/mnt/session/uploads/"), {
    error: "Field '{field}' must not be in '/mnt/session/uploads', which is for files.",
  })
  .refine((path) => !path.split("/").some((name) => name.toLowerCase() === ".git"), {
    error: "Field '{field}' must not contain a directory '.git'.",
  });

/** Returns whether two paths are equal or one contains the other. */
export function pathsOverlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function mountPathError(path: string): string | null {
  if (PARENT_DIRECTORIES.includes(path)) return `Field '{field}' must not be '${path}'.`;
  const error = absolutePathError(path);
  if (error !== null) return error;
  const reserved = RESERVED_DIRECTORIES.find((dir) => path === dir || path.startsWith(`${dir}/`));
  return reserved === undefined
    ? null
    : `Field '{field}' must not be in '${reserved}', which belongs to the system.`;
}
