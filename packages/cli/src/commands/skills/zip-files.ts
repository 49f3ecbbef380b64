import { buffer } from "node:stream/consumers";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { UsageError } from "../../shared/failure.ts";
import type { SkillFile } from "./skill-files.ts";

/** Maximum total bytes of the files of an archive, which are held in memory until they are sent. */
const MAX_BYTES = 512 * 1024 * 1024;
const [FILE_TYPE, REGULAR, ANY_EXECUTE] = [0o170000, 0o100000, 0o111];
const IGNORED = /(?:^|\/)(?:\.DS_Store$|__MACOSX\/)/;

/**
 * Returns the files of a zip archive, without links. Writes nothing to disk.
 * @throws UsageError if it is not a zip archive, or too large.
 */
export async function zipFiles(path: string): Promise<SkillFile[]> {
  try {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    try {
      return await filesOf(zip, path);
    } finally {
      zip.close();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`'${path}' cannot be read as a zip archive: ${(error as Error).message}.`);
  }
}

async function filesOf(zip: ZipFile, path: string): Promise<SkillFile[]> {
  const files: SkillFile[] = [];
  let bytes = 0;
  for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
    const mode = entry.externalFileAttributes >>> 16;
    const kind = mode & FILE_TYPE;
    const { fileName: name } = entry;
    if (name.endsWith("/") || IGNORED.test(name) || (kind !== 0 && kind !== REGULAR)) continue;
    bytes += entry.uncompressedSize;
    if (bytes > MAX_BYTES) throw new UsageError(`'${path}' is larger than 512 MiB unpacked.`);
    const content = new Blob([new Uint8Array(await buffer(await zip.openReadStreamPromise(entry)))]);
    files.push({ name, content, executable: (mode & ANY_EXECUTE) !== 0 });
  }
  return files;
}
