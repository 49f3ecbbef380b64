import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { signalIfAlive } from "../crash/processes.ts";
import { asServer, ownedDirectory } from "../postgres-server/postgres-server.ts";

/**
 * Returns the variables that own-postgresql.md presumes: the prefix that runs a program as another user, if
 * this is root, and a directory of that user. `remove` also ends servers that a failed guide left there.
 */
export function prepareOwnServers(): { variables: Record<string, string>; remove(): void } {
  const directory = ownedDirectory("berth-own-postgresql-");
  const [program, words] = asServer("", []);
  const as = process.getuid?.() === 0 ? [program, ...words].join(" ").trim() : "";
  const remove = () => {
    process.off("exit", remove);
    for (const file of globSync(join(directory, "*/postmaster.pid")))
      signalIfAlive(Number.parseInt(readFileSync(file, "utf8"), 10), "SIGQUIT");
    rmSync(directory, { recursive: true, force: true });
  };
  process.once("exit", remove);
  return { variables: { AS: as, PG: directory }, remove };
}
