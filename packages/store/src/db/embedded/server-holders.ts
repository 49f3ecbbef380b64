import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processName, stateOfProcess } from "@berth/linux";

/**
 * One reference to the server of a data directory, counted by an empty file that is named by its process and
 * a counter. Several processes can share a server: a long `serve`, a short `bootstrap`, one that was
 * killed. The last running holder to stop also stops the server.
 *
 * Holders that died are not counted, and their files are removed. The same applies to holders in other pid
 * namespaces, which cannot use the directory while its server runs here (see `server-lock`).
 */
export type Holder = { release(): { others: number } };

let holders = 0;

/** Adds a holder of the server. `release` removes it, and returns how many others run. */
export function holdServer(directory: string): Holder {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  holders += 1;
  const path = join(directory, processName(`${holders}`));
  writeFileSync(path, "");
  return {
    release() {
      rmSync(path, { force: true });
      return { others: runningHolders(directory) };
    },
  };
}

/** Returns the number of running holders; 0 for a data directory that was removed. */
function runningHolders(directory: string): number {
  if (!existsSync(directory)) return 0;
  let running = 0;
  for (const name of readdirSync(directory)) {
    if (stateOfProcess(name) === "alive") running += 1;
    else rmSync(join(directory, name), { force: true });
  }
  return running;
}
