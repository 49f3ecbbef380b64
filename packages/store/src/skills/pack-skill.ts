import { createHash } from "node:crypto";
import type { StagedBlob } from "../blobs/interface/blob.ts";
import type { BlobStore } from "../blobs/interface/blob-store.ts";
import type { ApiError } from "../errors/api-error.ts";
import { fileAndDirectory, isIgnored, pathFault } from "./skill-paths.ts";

/** A file of an upload. Its content must be read before the next file. */
export interface UploadedFile {
  path: string;
  executable: boolean;
  content: AsyncIterable<Uint8Array>;
}

/** The position of a file in the content of its version, which is the concatenation of all its files. */
export interface PackedFile {
  path: string;
  offset: number;
  size_bytes: number;
  executable: boolean;
  /** SHA-256 in hexadecimal. */
  sha256: string;
}

export interface PackedSkill {
  content: StagedBlob;
  /** Files ordered by path. Paths are relative to the directory that contains `SKILL.md`. */
  files: PackedFile[];
  /** The text of `SKILL.md`. */
  manifest: Buffer;
}

export const MAX_ENTRIES = 500;
export const MAX_UNPACKED_BYTES = 30 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 1024 * 1024;
const MANIFEST = "SKILL.md";

/**
 * Writes the files of a skill into one content, one after another. Sizes are counted as the bytes arrive;
 * announced sizes are not trusted. When it throws, the received bytes are deleted.
 * @param fault Makes the error from a predicate such as "has more than 500 entries".
 * @param executable Paths of further executable files; read once all files are uploaded.
 */
export async function packSkill(
  blobs: BlobStore,
  uploaded: AsyncIterable<UploadedFile>,
  fault: (what: string) => ApiError,
  executable: ReadonlySet<string> = new Set(),
): Promise<PackedSkill> {
  const files: PackedFile[] = [];
  const manifest: { path: string; text: Uint8Array[] } = { path: "", text: [] };
  const content = await blobs.stage(pieces());
  try {
    for (const file of files) file.executable ||= executable.has(file.path);
    const unknown = executable.difference(new Set(files.map(({ path }) => path)));
    for (const path of unknown)
      if (!isIgnored(path)) throw fault(`has no '${shown(path)}', which the upload names as executable`);
    return {
      content,
      files: belowManifest(files, manifest.path, fault),
      manifest: Buffer.concat(manifest.text),
    };
  } catch (error) {
    await content.discard();
    throw error;
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    const paths = new Set<string>();
    let total = 0;
    for await (const { path, executable, content } of uploaded) {
      const wrong = pathFault(path);
      if (wrong !== null) throw fault(`has the path '${shown(path)}', which ${wrong}`);
      if (paths.has(path)) throw fault(`has the path '${shown(path)}' twice`);
      if (paths.add(path).size > MAX_ENTRIES) throw fault(`has more than ${MAX_ENTRIES} entries`);
      const isManifest = path === MANIFEST || path.endsWith(`/${MANIFEST}`);
      if (isManifest && manifest.path !== "") throw fault(severalManifests(manifest.path, path));
      if (isManifest) manifest.path = path;
      const file: PackedFile = { path, offset: total, size_bytes: 0, executable, sha256: "" };
      files.push(file);
      const hash = createHash("sha256");
      let head = "";
      for await (const piece of content) {
        total += piece.length;
        hash.update(piece);
        file.size_bytes += piece.length;
        if (total > MAX_UNPACKED_BYTES) throw fault("is larger than 30 MiB unpacked");
        if (isManifest && file.size_bytes > MAX_MANIFEST_BYTES)
          throw fault(`has a ${MANIFEST} of more than 1 MiB`);
        if (isManifest) manifest.text.push(piece);
        if (head.length < 2) head += Buffer.from(piece.subarray(0, 2)).toString("latin1");
        yield piece;
      }
      file.sha256 = hash.digest("hex");
      file.executable ||= head.startsWith("#!");
    }
    const both = fileAndDirectory(paths);
    if (both !== null) throw fault(`has '${shown(both)}' both as a file and as a directory`);
  }
}

function severalManifests(one: string, other: string): string {
  return `has the skills '${shown(one)}' and '${shown(other)}': upload the directory of each alone, as 'berth skills create --all' does`;
}

/** Requires `SKILL.md` at the top or in a single top-level directory, which is removed from all paths. */
function belowManifest(
  files: readonly PackedFile[],
  manifest: string,
  fault: (what: string) => ApiError,
): PackedFile[] {
  if (manifest === "") throw fault(`has no ${MANIFEST}`);
  const root = manifest.slice(0, -MANIFEST.length);
  if (root.indexOf("/") !== root.length - 1 && root !== "") {
    throw fault(`must have its ${MANIFEST} at the top or in the one directory there`);
  }
  const outside = files.find(({ path }) => !path.startsWith(root));
  if (outside !== undefined) {
    throw fault(`has '${shown(outside.path)}' outside of the directory '${root.slice(0, -1)}'`);
  }
  return files
    .map((file) => ({ ...file, path: file.path.slice(root.length) }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

export function shown(path: string): string {
  return path.slice(0, 200).replaceAll(/[\u0000-\u001f\u007f]/g, "?");
}
