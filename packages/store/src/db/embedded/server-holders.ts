import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processName, processStart, stateOfProcess } from "@berth/linux";

/**
 * Reference count of the server of a data directory: one empty file per holder, named by its process and a counter.
 *
 * Several processes share a server (a long `serve`, a short `token create`, one that was killed). The last running holder to
 * stop also stops the server. Holders that died are not counted, and their files are removed; neither are those in other pid
 * namespaces, which cannot use this server's directory while it runs here (see `server-lock`).
 */
export type Holder = { release(): { others: number } };

let holders = 0;

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

/** Returns 0 for a data directory that has been removed. */
export function runningHolders(directory: string): number {
  if (!existsSync(directory)) return 0;
  let running = 0;
  for (const name of readdirSync(directory)) {
    if (isRunning(name)) running += 1;
    else rmSync(join(directory, name), { force: true });
  }
  return running;
}

/** Names of earlier releases lack the machine, which was this one. */
function isRunning(name: string): boolean {
  const [, pid, started] = /^(\d+)-(\d+)-/.exec(name) ?? [];
  return pid === undefined ? stateOfProcess(name) === "alive" : processStart(Number(pid)) === started;
}
