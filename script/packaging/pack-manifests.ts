import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { manifests } from "../chart/manifests.ts";
import { packArchive } from "./pack-archive.ts";

/** Packs the manifests for `kubectl apply -k` into the directory, as `berth-manifests-VERSION.tgz`. */
export async function packManifests(directory: string, version: string): Promise<void> {
  await packArchive(directory, `berth-manifests-${version}`, writeManifests);
}

/** Writes the manifests to files below the directory. */
export function writeManifests(directory: string): void {
  for (const [file, text] of manifests()) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
}
