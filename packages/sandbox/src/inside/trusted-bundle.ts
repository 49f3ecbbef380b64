import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { BUNDLE } from "./environment.ts";

const HOST_BUNDLES = [
  BUNDLE,
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Returns the certificate authorities of the host and these as one PEM text. */
export async function trustedBundle(certificates: readonly string[]): Promise<string> {
  const host = HOST_BUNDLES.find((path) => existsSync(path));
  const parts = [host === undefined ? "" : await readFile(host, "utf8"), ...certificates];
  return `${parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join("\n")}\n`;
}
