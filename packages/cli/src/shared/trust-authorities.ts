import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import tls from "node:tls";
import { cannotRead } from "./cannot-read.ts";
import { UsageError } from "./failure.ts";

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Returns the file of `--ca-file`, else of `BERTH_CA_FILE`, else undefined. */
export function givenAuthorities(caFile: string | undefined): string | undefined {
  return caFile ?? (process.env.BERTH_CA_FILE || undefined);
}

/**
 * Makes this process trust, for https URLs, the machine's authorities and those of a file, in addition to
 * Node's. Does nothing for other URLs.
 * @throws UsageError for a file without certificates in PEM form.
 */
export async function trustAuthorities(baseURL: string, file: string | undefined): Promise<void> {
  if (!baseURL.startsWith("https:")) return;
  const own = file === undefined ? [] : await certificatesIn(file);
  const known = [...tls.getCACertificates("default"), ...tls.getCACertificates("system")];
  tls.setDefaultCACertificates([...new Set([...known, ...own])]);
}

async function certificatesIn(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(cannotRead(file, error));
  });
  const certificates = text.match(PEM) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate))
    throw new UsageError(`The file '${file}' does not hold certificates in PEM form.`);
  return certificates;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
