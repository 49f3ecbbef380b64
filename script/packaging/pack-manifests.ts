import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { manifests } from "../chart/manifests.ts";
import { run } from "./run.ts";

/** Flags that make the archive independent of who packs it and when. */
const SAME = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];

/**
 * Packs the manifests for `kubectl apply -k` into the directory, as `berth-manifests-VERSION.tgz` with a
 * directory of that name.
 */
export async function packManifests(directory: string, version: string): Promise<void> {
  const name = `berth-manifests-${version}`;
  const staging = mkdtempSync(join(tmpdir(), "berth-manifests-"));
  try {
    writeManifests(join(staging, name));
    const archive = join(directory, `${name}.tgz`);
    const compress = "--use-compress-program=gzip -n";
    await run("tar", ["--create", `--file=${archive}`, compress, ...SAME, name], staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Writes the manifests to files below the directory. */
export function writeManifests(directory: string): void {
  for (const [file, text] of manifests()) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
}
