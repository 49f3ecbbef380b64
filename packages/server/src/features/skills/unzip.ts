import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { ApiError } from "../../http/api-error.ts";
import { MAX_ENTRIES, MAX_UNPACKED_BYTES, shown, type UploadedFile } from "./pack-skill.ts";
import { isLitter, pathFault } from "./skill-paths.ts";

type Refuse = (what: string) => ApiError;

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const ANY_EXECUTE = 0o111;

/**
 * The files of a zip archive on this host, one after the other. What the archive says of itself is believed of nothing:
 * names, kinds and checksums are looked at here, sizes are counted by whoever reads.
 *
 * @throws what `fault` makes, for an archive that is damaged or holds what no skill does.
 */
export async function* unzip(path: string, fault: Refuse): AsyncGenerator<UploadedFile> {
  const zip = await openZip(path, fault);
  try {
    if (zip.entryCount > MAX_ENTRIES) throw fault(`has more than ${MAX_ENTRIES} entries`);
    let announced = 0;
    for await (const entry of entriesOf(zip, fault)) {
      const name = nameOf(entry, fault);
      if (isLitter(name)) continue;
      const type = checkKind(entry, name, fault);
      if (type === "directory") continue;
      announced += entry.uncompressedSize;
      if (announced > MAX_UNPACKED_BYTES) throw fault("is larger than 30 MiB unpacked");
      const executable = ((entry.externalFileAttributes >>> 16) & ANY_EXECUTE) !== 0;
      yield { path: name, executable, content: contentOf(zip, entry, name, fault) };
    }
  } finally {
    zip.close();
  }
}

async function openZip(path: string, fault: Refuse): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, decodeStrings: false, autoClose: false });
  } catch {
    throw fault("is not a zip archive that can be read");
  }
}

async function* entriesOf(zip: ZipFile, fault: Refuse): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch {
    throw fault("is not a zip archive that can be read");
  }
}

function nameOf(entry: Entry, fault: Refuse): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entry.fileNameRaw);
  } catch {
    throw fault("has an entry whose name is not valid UTF-8");
  }
}

function checkKind(entry: Entry, name: string, fault: Refuse): "file" | "directory" {
  const isDirectory = name.endsWith("/");
  const wrong = pathFault(isDirectory ? name.slice(0, -1) : name);
  if (wrong !== null) throw fault(`has the path '${shown(name)}', which ${wrong}`);
  const kind = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (kind !== 0 && kind !== REGULAR && kind !== DIRECTORY) {
    throw fault(`has '${shown(name)}', which is neither a file nor a directory`);
  }
  if (entry.isEncrypted()) throw fault(`has '${shown(name)}', which is encrypted`);
  if (!entry.canDecodeFileData()) throw fault(`has '${shown(name)}', which is packed in an unknown way`);
  return isDirectory ? "directory" : "file";
}

async function* contentOf(
  zip: ZipFile,
  entry: Entry,
  name: string,
  fault: Refuse,
): AsyncGenerator<Uint8Array> {
  let checksum = 0;
  try {
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      checksum = crc32(piece, checksum);
      yield piece;
    }
    if (checksum !== entry.crc32) throw new Error("The checksum differs.");
  } catch (error) {
    throw error instanceof ApiError ? error : fault(`has '${shown(name)}', which is damaged`);
  }
}
