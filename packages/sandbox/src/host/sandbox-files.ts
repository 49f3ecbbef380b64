import { link, mkdir, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { UPLOADS_INSIDE } from "../inside/environment.ts";
import { gitConfig } from "../inside/git-config.ts";
import { cleanPath, isBelow, type Mount, makeMountSources, writableMounts } from "../inside/mounts.ts";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { copyReadOnly } from "./copy-read-only.ts";
import { HostUploads } from "./host-uploads.ts";

/** The files that a sandbox sees besides its system. */
export interface SandboxFiles {
  pipes: string;
  uploads: string;
  writable: Mount[];
  nested: string[];
  files: Mount[];
  directories: Mount[];
  /** Host file with git's system configuration; null when all sandboxes share one. */
  gitConfig: string | null;
  /** Files that a process of the sandbox places once it runs. */
  later: { source: string; target: string }[];
}

/**
 * Makes the writable directories of a sandbox on its disk, unless the disk is not mounted yet, and everything
 * else in `directory`.
 *
 * @param scripts Host files on the filesystem of `directory`, shared by all sandboxes, that are hard-linked
 * beside the pipes.
 * @param unmounted Path of a disk that is not mounted yet; null when the disk is a plain directory.
 */
export async function prepareFiles(
  spec: SandboxSpec,
  directory: string,
  scripts: readonly string[],
  unmounted: string | null,
): Promise<SandboxFiles> {
  const uid = hostUid(spec);
  const { mounted, nested } = writableMounts(spec, unmounted ?? spec.disk);
  const pipes = `${directory}/pipes`;
  const uploads = `${directory}/uploads`;
  if (unmounted === null) makeMountSources(spec.disk, mounted, uid);
  await mkdir(pipes, { recursive: true, mode: 0o711 });
  await Promise.all(scripts.map((path) => link(path, `${pipes}/${basename(path)}`)));
  await mkdir(uploads, { mode: 0o755 });
  await mkdir(`${directory}/files`, { mode: 0o755 });
  const files: Mount[] = [];
  const later = [];
  for (const [index, { source, target: path }] of spec.files.entries()) {
    const target = cleanPath(path);
    const writable = mounted.some(({ inside }) => isBelow(target, inside));
    if (isBelow(target, UPLOADS_INSIDE)) await new HostUploads(uploads).place({ source, target });
    else if (writable) later.push({ source, target });
    else {
      const host = `${directory}/files/${index}`;
      await copyReadOnly(source, host);
      files.push({ host, inside: target });
    }
  }
  const directories = directoryPlaces(spec, mounted);
  const ownGitConfig = spec.git === undefined ? null : `${directory}/gitconfig`;
  if (ownGitConfig !== null) await writeFile(ownGitConfig, gitConfig(spec.git), { mode: 0o644 });
  return { pipes, uploads, writable: mounted, nested, files, directories, gitConfig: ownGitConfig, later };
}

/**
 * Returns the mounts of directories. Throws for one below a directory that the agent can write, where a mount
 * would follow the agent's links.
 */
function directoryPlaces({ directories = [] }: SandboxSpec, writable: readonly Mount[]): Mount[] {
  return directories.map(({ source, target }) => {
    const inside = cleanPath(target);
    if ([...writable.map((mount) => mount.inside), UPLOADS_INSIDE].some((path) => isBelow(inside, path)))
      throw new SandboxError(`no directory can be mounted at ${inside}`);
    return { host: source, inside };
  });
}

/**
 * Returns the uid to run as; null when this process is not root and keeps its own. Throws `SandboxError` for
 * a privileged uid.
 */
export function hostUid(spec: SandboxSpec): number | null {
  if (process.getuid?.() !== 0) return null;
  if (!Number.isInteger(spec.uid) || spec.uid < 1000)
    throw new SandboxError(`not an unprivileged uid: ${spec.uid}`);
  return spec.uid;
}
