import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStart } from "@berth/linux";

/**
 * Who uses the server of a data directory: one empty file per holder, named by pid, start and a counter.
 *
 * A server is shared by processes that come and go (a long `serve`, a short `token create`, one that was killed): the
 * last living holder that stops also stops the server. Holders that died are not counted and are cleared away.
 */
export type Holder = { release(): { others: number } };

let holders = 0;

export function holdServer(directory: string): Holder {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  holders += 1;
  const path = join(directory, `${process.pid}-${processStart(process.pid)}-${holders}`);
  writeFileSync(path, "");
  return {
    release() {
      rmSync(path, { force: true });
      return { others: livingHolders(directory) };
    },
  };
}

/** A data directory that was removed meanwhile has no holders. */
function livingHolders(directory: string): number {
  if (!existsSync(directory)) return 0;
  let living = 0;
  for (const name of readdirSync(directory)) {
    const [pid, started] = name.split("-");
    if (processStart(Number(pid)) === started) living += 1;
    else rmSync(join(directory, name), { force: true });
  }
  return living;
}
