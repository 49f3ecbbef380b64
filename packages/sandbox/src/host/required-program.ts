import { findProgram } from "@berth/linux";
import { SandboxError } from "../interface/errors.ts";

/**
 * Returns the absolute path of a program of the host. Throws a `SandboxError` that names the package to
 * install when it is missing.
 */
export function requiredProgram(name: string, provider: string): string {
  const path = findProgram(name);
  if (path === null) throw new SandboxError(`${name} is missing: install the package ${provider}`);
  return path;
}
