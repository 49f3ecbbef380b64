import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./run.ts";

/** Flags that make the archive independent of who packs it and when. */
const SAME = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];

/**
 * Packs what `write` puts into an empty directory, as `NAME.tgz` with a directory of that name. The same
 * files give the same bytes.
 */
export async function packArchive(
  directory: string,
  name: string,
  write: (staging: string) => void | Promise<void>,
): Promise<void> {
  const staging = mkdtempSync(join(tmpdir(), "berth-archive-"));
  try {
    mkdirSync(join(staging, name));
    await write(join(staging, name));
    const compress = "--use-compress-program=gzip -n";
    const archive = join(directory, `${name}.tgz`);
    await run("tar", ["--create", `--file=${archive}`, compress, ...SAME, name], staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
