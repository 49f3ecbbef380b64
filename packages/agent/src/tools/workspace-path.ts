import { posix } from "node:path";
import { z } from "zod";

/** Absolute path inside the sandbox; a relative one is from `/data`. */
export function workspacePath(path: string): string {
  return posix.resolve("/data", path);
}

/** A path as a tool's input; a NUL character could not be passed on. */
export const pathInput = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes("\0"), "A path has no NUL character.");
