import { mkdir, writeFile } from "node:fs/promises";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { cleanPath, isBelow, makeMountSources, type Place, writableMounts } from "./disk.ts";
import { UPLOADS_INSIDE } from "./paths.ts";
import { copyReadOnly, placeUpload } from "./place-file.ts";

/** What a sandbox sees beside the system, by where it lies on the host. */
export interface SandboxFiles {
  pipes: string;
  uploads: string;
  writable: Place[];
  nested: string[];
  files: Place[];
  directories: Place[];
  /** Placed from inside once the sandbox stands. */
  later: { source: string; target: string }[];
}

/**
 * Makes the places of a sandbox on its disk unless that is yet to be mounted, and in `directory` what is shown to it beside that.
 * @param supervisor The script of process 1.
 * @param unmounted Where the disk is yet to be mounted; null where its places are plain directories.
 */
export async function prepareFiles(
  spec: SandboxSpec,
  directory: string,
  supervisor: string,
  unmounted: string | null,
): Promise<SandboxFiles> {
  const uid = hostUid(spec);
  const { mounted, nested } = writableMounts(spec, unmounted ?? spec.disk);
  const pipes = `${directory}/pipes`;
  const uploads = `${directory}/uploads`;
  if (unmounted === null) makeMountSources(spec.disk, mounted, uid);
  await mkdir(pipes, { recursive: true, mode: 0o711 });
  await writeFile(`${pipes}/supervisor`, supervisor);
  await mkdir(uploads, { mode: 0o755 });
  await mkdir(`${directory}/files`, { mode: 0o755 });
  const files: Place[] = [];
  const later = [];
  for (const [index, { source, target: path }] of spec.files.entries()) {
    const target = cleanPath(path);
    const writable = mounted.some(({ inside }) => isBelow(target, inside));
    if (isBelow(target, UPLOADS_INSIDE)) await placeUpload(uploads, { source, target });
    else if (writable || isBelow(target, "/tmp")) later.push({ source, target });
    else {
      const host = `${directory}/files/${index}`;
      await copyReadOnly(source, host);
      files.push({ host, inside: target });
    }
  }
  const directories = directoryPlaces(spec, mounted);
  return { pipes, uploads, writable: mounted, nested, files, directories, later };
}

/** A mount in a place that the agent writes would follow the agent's links. */
function directoryPlaces({ directories = [] }: SandboxSpec, writable: readonly Place[]): Place[] {
  return directories.map(({ source, target }) => {
    const inside = cleanPath(target);
    if (
      [...writable.map((place) => place.inside), UPLOADS_INSIDE, "/tmp"].some((place) =>
        isBelow(inside, place),
      )
    )
      throw new SandboxError(`no directory can be mounted at ${inside}`);
    return { host: source, inside };
  });
}

/** The uid to become, null where this process is not root and stays what it is. */
export function hostUid(spec: SandboxSpec): number | null {
  if (process.getuid?.() !== 0) return null;
  if (!Number.isInteger(spec.uid) || spec.uid < 1000)
    throw new SandboxError(`not an unprivileged uid: ${spec.uid}`);
  return spec.uid;
}
