import { accessSync, constants } from "node:fs";

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
