import { createPrivateKey, X509Certificate } from "node:crypto";
import { statSync } from "node:fs";
import { NotARegularFile, readRegularFile, whoElseChanges } from "@berth/linux";

/**
 * Paths of the PEM files of the service: its certificate, followed by those that lead to a root, and its
 * private key.
 */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** A certificate and its private key, as PEM. */
export interface TlsPair {
  cert: string;
  key: string;
  /** Time at which the certificate expires. */
  expires: Date;
}

const OTHERS_READ = 0o004;

/**
 * Reads the certificate and key.
 * @throws Error with one sentence that names the file: unreadable, not a regular file, not a certificate or
 * key, not a matching pair, not valid now, or not private.
 */
export function readTlsPair(files: TlsFiles): TlsPair {
  const cert = textOf(files.cert);
  const key = textOf(files.key);
  const fault = whoElseChanges(files.key);
  if (fault !== null) throw new Error(fault);
  if ((statSync(files.key).mode & OTHERS_READ) !== 0)
    throw new Error(`Every user of the machine can read the private key ${files.key}: run chmod 600 on it.`);
  const certificate = parsed(() => new X509Certificate(cert), `${files.cert} is not a certificate in PEM.`);
  const privateKey = parsed(
    () => createPrivateKey(key),
    `${files.key} is not a private key in PEM without a passphrase.`,
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`The certificate ${files.cert} is not for the private key ${files.key}.`);
  const expires = certificate.validToDate;
  if (expires.getTime() <= Date.now())
    throw new Error(`The certificate ${files.cert} expired at ${expires.toISOString()}.`);
  if (certificate.validFromDate.getTime() > Date.now())
    throw new Error(
      `The certificate ${files.cert} is not valid before ${certificate.validFromDate.toISOString()}.`,
    );
  return { cert, key, expires };
}

function textOf(path: string): string {
  return parsed(() => readRegularFile(path), `${path} cannot be read.`);
}

function parsed<T>(parse: () => T, fault: string): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof NotARegularFile) throw error;
    throw new Error(fault, { cause: error });
  }
}
