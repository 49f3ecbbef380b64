import { readFileSync, readlinkSync } from "node:fs";
import { processStart } from "@berth/linux";

/** Whether `pid` is a running PostgreSQL server of the cluster at `directory`, which is a server's working directory. */
export function isPostgresOf(pid: number, directory: string): boolean {
  if (processStart(pid) === undefined) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    return commandOf(pid) === "postgres";
  }
}

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}
