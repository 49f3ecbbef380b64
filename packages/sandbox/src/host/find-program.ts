import { accessSync, constants } from "node:fs";
import { SandboxError } from "../sandbox.ts";

const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Absolute path of a program of the host, or null. */
export function findProgram(name: string): string | null {
  for (const directory of `${process.env.PATH ?? ""}:${FALLBACK_PATH}`.split(":")) {
    if (!directory.startsWith("/")) continue;
    try {
      accessSync(`${directory}/${name}`, constants.X_OK);
      return `${directory}/${name}`;
    } catch {}
  }
  return null;
}

/** Absolute path of a program of the host; throws a `SandboxError` that names the package which has it. */
export function requiredProgram(name: string, provider: string): string {
  const path = findProgram(name);
  if (path === null) throw new SandboxError(`${name} is missing: install the package ${provider}`);
  return path;
}
