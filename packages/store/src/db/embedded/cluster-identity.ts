import { randomBytes, randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The version of the control file's format, which belongs to one major version of PostgreSQL, and the byte
 * offsets of fields in PostgreSQL 18.
 */
const FORMAT = {
  version: 1800,
  identifierAt: 0,
  versionAt: 8,
  checkpointAt: 32,
  nonceAt: 257,
  nonceBytes: 32,
  checksumAt: 292,
};
const CONTROL_FILE = "global/pg_control";
/** Byte offset of the system identifier in the header of a WAL file. */
const LOG_IDENTIFIER_AT = 24;
const LOG_FILE_BITS = 24n;

/**
 * Gives a copy of a cluster its own system identifier, by which PostgreSQL recognizes the cluster's WAL and
 * backups. Also renews the secret from which PostgreSQL makes its responses to unknown roles. Both are chosen
 * as by `initdb`. The original must have been shut down, and no server may run on the copy.
 * @throws when the cluster's files have another format or are damaged.
 */
export function renewIdentity(cluster: string): void {
  const identifier = (BigInt(Math.trunc(Date.now() / 1000)) << 32n) | BigInt(randomInt(2 ** 32));
  const log = join(cluster, "pg_wal", lastLogFile(cluster));
  const bytes = readFileSync(log);
  bytes.writeBigUInt64LE(identifier, LOG_IDENTIFIER_AT);
  overwrite(log, bytes);
  renewControlFile(join(cluster, CONTROL_FILE), identifier);
}

/** Returns the name of the WAL file that records the clean shutdown of the cluster. */
export function lastLogFile(cluster: string): string {
  const control = readControlFile(join(cluster, CONTROL_FILE));
  const checkpoint = control.readBigUInt64LE(FORMAT.checkpointAt);
  const parts = [1n, checkpoint >> 32n, (checkpoint & 0xffff_ffffn) >> LOG_FILE_BITS];
  return parts.map((part) => part.toString(16).toUpperCase().padStart(8, "0")).join("");
}

function renewControlFile(path: string, identifier: bigint): void {
  const { identifierAt, nonceAt, nonceBytes, checksumAt } = FORMAT;
  const control = readControlFile(path);
  control.writeBigUInt64LE(identifier, identifierAt);
  randomBytes(nonceBytes).copy(control, nonceAt);
  control.writeUInt32LE(crc32c(control.subarray(0, checksumAt)), checksumAt);
  overwrite(path, control);
}

function readControlFile(path: string): Buffer {
  const { version, versionAt, checksumAt } = FORMAT;
  const control = readFileSync(path);
  const isWhole = control.readUInt32LE(checksumAt) === crc32c(control.subarray(0, checksumAt));
  if (control.readUInt32LE(versionAt) !== version || !isWhole)
    throw new Error(`${path} is damaged, or not of PostgreSQL 18.`);
  return control;
}

/** Overwrites the file in place, so that it keeps its owner. */
function overwrite(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes, { flag: "r+" });
}

/** Computes the checksum of the control file (Castagnoli's polynomial). */
function crc32c(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f6_3b78 : sum >>> 1;
  }
  return ~sum >>> 0;
}
