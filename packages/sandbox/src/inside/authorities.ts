import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { BUNDLE } from "./environment.ts";

const HOST_BUNDLES = [
  BUNDLE,
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Directories where Debian, Fedora, Arch and SUSE keep the authorities that an administrator added. */
const ADDED_HERE = [
  "/usr/local/share/ca-certificates",
  "/etc/pki/ca-trust/source/anchors",
  "/etc/ca-certificates/trust-source/anchors",
  "/etc/pki/trust/anchors",
];

/** The certificate authorities that sandboxes trust, each in PEM and once. */
export interface Authorities {
  all: readonly string[];
  /**
   * Those that programs with a list of public authorities of their own do not know: the given ones, and those
   * of the host that its administrator added.
   */
  own: readonly string[];
}

/**
 * Returns the authorities of the host together with the given ones.
 *
 * @param certificates PEM, each with one or more certificates.
 */
export async function readAuthorities(certificates: readonly string[]): Promise<Authorities> {
  const path = HOST_BUNDLES.find((candidate) => existsSync(candidate));
  const ofHost = path === undefined ? [] : split(await readFile(path, "utf8"));
  const added = new Set((await Promise.all(ADDED_HERE.map(certificatesBelow))).flat());
  const given = certificates.flatMap(split);
  return {
    all: distinct([...ofHost, ...given]),
    own: distinct([...ofHost.filter((one) => added.has(one)), ...given]),
  };
}

/** Returns the certificate authorities of the host and these as one PEM text. */
export async function trustedBundle(certificates: readonly string[]): Promise<string> {
  return pem((await readAuthorities(certificates)).all);
}

/** Returns certificates as the text of one file. */
export function pem(certificates: readonly string[]): string {
  return certificates.map((one) => `${one}\n`).join("");
}

async function certificatesBelow(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const texts = names.map((name) => readFile(`${directory}/${name}`, "utf8").catch(() => ""));
  return (await Promise.all(texts)).flatMap(split);
}

/** Returns the certificates of a text in one form, so that equal ones are equal texts. */
function split(text: string): string[] {
  const found = text.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g);
  return [...found].map(([, body = ""]) => {
    const lines = body.replaceAll(/\s/g, "").match(/.{1,64}/g) ?? [];
    return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----"].join("\n");
  });
}

function distinct(certificates: readonly string[]): string[] {
  return [...new Set(certificates)];
}
