import { randomBytes, randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The version of the control file's format, which is that of a major version of PostgreSQL, and where PostgreSQL 18 keeps what is renewed. */
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
/** In the header of a file of the log. */
const LOG_IDENTIFIER_AT = 24;
const LOG_FILE_BITS = 24n;

/**
 * Gives a copy of a cluster an identifier of its own, by which PostgreSQL tells that a log or a backup belongs to it, and the secret from
 * which it makes answers to unknown roles. As `initdb` chooses them. The copied one was shut down, and none runs on the copy.
 *
 * @throws when the cluster's files have another format, or are damaged.
 */
export function renewIdentity(cluster: string): void {
  const identifier = (BigInt(Math.trunc(Date.now() / 1000)) << 32n) | BigInt(randomInt(2 ** 32));
  const log = join(cluster, "pg_wal", lastLogFile(cluster));
  const bytes = readFileSync(log);
  bytes.writeBigUInt64LE(identifier, LOG_IDENTIFIER_AT);
  overwrite(log, bytes);
  renewControlFile(join(cluster, CONTROL_FILE), identifier);
}

/** The name of the file of the log in which a cluster that was shut down says so. */
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

/** Without making it anew, so that it keeps its owner. */
function overwrite(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes, { flag: "r+" });
}

/** The checksum of the control file (Castagnoli's polynomial). */
function crc32c(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f6_3b78 : sum >>> 1;
  }
  return ~sum >>> 0;
}
