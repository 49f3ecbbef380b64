import {
  chownSync,
  closeSync,
  fchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { lastLogFile } from "./cluster-identity.ts";

/** Files that a server creates anew. */
const LEFT_OUT = /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init|pgstat\.stat)$/;
/** A WAL file. A server that was shut down needs only the last one. */
const LOG_FILE = /^pg_wal\/[0-9A-F]{24}$/;
/**
 * A window larger than the default, since the databases of a cluster share much content at large distances.
 */
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_windowLog]: 25 },
};
const HEADER_LENGTH_BYTES = 4;

type Owner = { uid: number; gid: number } | undefined;

interface Contents {
  directories: string[];
  files: { path: string; bytes: number }[];
}

/**
 * Packs the files of a cluster that was shut down, compressed with zstd: the length of a JSON list of the
 * files, the list, and their contents.
 */
export function packCluster(cluster: string): Buffer {
  const log = `pg_wal/${lastLogFile(cluster)}`;
  const paths = (readdirSync(cluster, { recursive: true }) as string[]).filter(
    (path) => !LEFT_OUT.test(path) && (!LOG_FILE.test(path) || path === log),
  );
  const isDirectory = (path: string) => statSync(join(cluster, path)).isDirectory();
  const directories = paths.filter(isDirectory).sort();
  const contents = paths
    .filter((path) => !isDirectory(path))
    .sort()
    .map((path) => ({ path, content: readFileSync(join(cluster, path)) }));
  const files = contents.map(({ path, content }) => ({ path, bytes: content.length }));
  const header = Buffer.from(JSON.stringify({ directories, files } satisfies Contents));
  const length = Buffer.alloc(HEADER_LENGTH_BYTES);
  length.writeUInt32LE(header.length);
  return zstdCompressSync(
    Buffer.concat([length, header, ...contents.map((one) => one.content)]),
    COMPRESSION,
  );
}

/**
 * Writes the files of a packed cluster into an empty directory.
 * @param owner Owner of everything in it. Default: this process's user.
 */
export function unpackCluster(archive: string, directory: string, owner: Owner): void {
  const all = zstdDecompressSync(readFileSync(archive));
  let at = HEADER_LENGTH_BYTES + all.readUInt32LE();
  const { directories, files } = JSON.parse(all.toString("utf8", HEADER_LENGTH_BYTES, at)) as Contents;
  for (const path of directories) make(join(directory, path), owner);
  for (const { path, bytes } of files) {
    write(join(directory, path), all.subarray(at, at + bytes), owner);
    at += bytes;
  }
}

function make(path: string, owner: Owner): void {
  mkdirSync(path, { mode: 0o700 });
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
}

function write(path: string, content: Buffer, owner: Owner): void {
  const file = openSync(path, "wx", 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
    if (owner !== undefined) fchownSync(file, owner.uid, owner.gid);
  } finally {
    closeSync(file);
  }
}
