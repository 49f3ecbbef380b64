import { crc32 } from "node:zlib";
import { ApiError } from "@berth/store/errors";
import {
  isIgnored,
  MAX_ENTRIES,
  MAX_UNPACKED_BYTES,
  pathFault,
  shown,
  type UploadedFile,
} from "@berth/store/skills";
import type { Entry, ZipFile } from "yauzl";

type MakeError = (what: string) => ApiError;

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const ANY_EXECUTE = 0o111;

/**
 * Yields the files of a zip archive on this host, one after the other. The archive is not trusted: names,
 * types and checksums are checked here, and the caller counts the sizes.
 *
 * @throws an error that `fault` creates, for a damaged archive or an entry that a skill cannot have.
 */
export async function* unzip(path: string, fault: MakeError): AsyncGenerator<UploadedFile> {
  const zip = await openZip(path, fault);
  try {
    if (zip.entryCount > MAX_ENTRIES) throw fault(`has more than ${MAX_ENTRIES} entries`);
    let announced = 0;
    for await (const entry of entriesOf(zip, fault)) {
      const name = nameOf(entry, fault);
      if (isIgnored(name)) continue;
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

async function openZip(path: string, fault: MakeError): Promise<ZipFile> {
  const { openPromise } = await import("yauzl");
  try {
    return await openPromise(path, { lazyEntries: true, decodeStrings: false, autoClose: false });
  } catch {
    throw fault("is not a zip archive, or is damaged");
  }
}

async function* entriesOf(zip: ZipFile, fault: MakeError): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch {
    throw fault("is not a zip archive, or is damaged");
  }
}

function nameOf(entry: Entry, fault: MakeError): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entry.fileNameRaw);
  } catch {
    throw fault("has an entry whose name is not valid UTF-8");
  }
}

function checkKind(entry: Entry, name: string, fault: MakeError): "file" | "directory" {
  const isDirectory = name.endsWith("/");
  const wrong = pathFault(isDirectory ? name.slice(0, -1) : name);
  if (wrong !== null) throw fault(`has the path '${shown(name)}', which ${wrong}`);
  const kind = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (kind !== 0 && kind !== REGULAR && kind !== DIRECTORY) {
    throw fault(`has '${shown(name)}', which is neither a file nor a directory`);
  }
  if (entry.isEncrypted()) throw fault(`has '${shown(name)}', which is encrypted`);
  if (!entry.canDecodeFileData())
    throw fault(`has '${shown(name)}', which has an unsupported compression method`);
  return isDirectory ? "directory" : "file";
}

async function* contentOf(
  zip: ZipFile,
  entry: Entry,
  name: string,
  fault: MakeError,
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
