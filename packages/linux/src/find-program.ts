import { accessSync, constants } from "node:fs";

const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Returns the absolute path of a program on the host, or null when it is not found. */
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
