import { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import type { HostName } from "../names/host-name.ts";
import { EgressError } from "../policy/egress-error.ts";
import { type KeyPair, NEW_KEY, openssl } from "./openssl.ts";
import { RateLimitedQueues } from "./rate-limited-queues.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AUTHORITY_DAYS = 3_650;
const LEAF_DAYS = 30;
/** Maximum number of cached leaf certificates. Beyond it the oldest is evicted. */
const MAX_LEAVES = 1_000;

interface Leaf {
  until: number;
  context: SecureContext;
}

/**
 * Opens the authority in a directory (mode 0700, key 0600); creates it there on the first start. The key is
 * never shown to a sandbox. Rejects with `EgressError` when openssl is missing.
 * @param commonName Subject of a new authority's certificate; part of the subjects of the certificates that
 * it signs.
 */
export async function openCertificateAuthority(
  directory: string,
  commonName = "egress",
): Promise<CertificateAuthority> {
  const certificate = await currentCertificate(directory, commonName);
  await removeStaleFiles(directory);
  return new CertificateAuthority(directory, commonName, certificate);
}

/** Writes an authority that was made elsewhere into a directory, for `openCertificateAuthority`. */
export async function placeAuthority(directory: string, { certificate, key }: KeyPair): Promise<void> {
  if ((await readCertificate(directory)) === certificate) return;
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, "ca.key"), key, { mode: 0o600 });
  await writeFile(join(directory, "ca.pem"), certificate);
}

/** Signs certificates for the hosts whose connections are opened. Only sandboxes trust this authority. */
export class CertificateAuthority {
  /** PEM, for the certificate bundles of sandboxes. */
  readonly certificate: string;
  readonly #directory: string;
  readonly #commonName: string;
  readonly #queues = new RateLimitedQueues();
  readonly #leaves = new Map<HostName, Leaf>();
  readonly #pending = new WeakMap<object, Map<HostName, Promise<SecureContext>>>();

  constructor(directory: string, commonName: string, certificate: string) {
    this.#directory = directory;
    this.#commonName = commonName;
    this.certificate = certificate;
  }

  /**
   * Returns a context with a certificate for this host; signs one when none is cached or it expires soon.
   * Signing is queued and rate-limited per owner. Rejects when too many requests of the owner are waiting.
   */
  contextFor(name: HostName, owner: object): Promise<SecureContext> {
    const cached = this.#cached(name);
    if (cached !== null) return Promise.resolve(cached);
    // Pending requests are kept per owner, so that no owner waits in another's queue.
    const own = this.#pending.get(owner) ?? new Map<HostName, Promise<SecureContext>>();
    this.#pending.set(owner, own);
    const pending = own.get(name);
    if (pending !== undefined) return pending;
    const context = this.#queues.run(owner, () => this.#sign(name)).finally(() => own.delete(name));
    own.set(name, context);
    return context;
  }

  #cached(name: HostName): SecureContext | null {
    const leaf = this.#leaves.get(name);
    return leaf !== undefined && leaf.until > Date.now() ? leaf.context : null;
  }

  async #sign(name: HostName): Promise<SecureContext> {
    const context = this.#cached(name) ?? (await signLeaf(this.#directory, name, this.#commonName));
    this.#leaves.delete(name);
    for (const oldest of this.#leaves.keys()) {
      if (this.#leaves.size < MAX_LEAVES) break;
      this.#leaves.delete(oldest);
    }
    this.#leaves.set(name, { until: Date.now() + (LEAF_DAYS - 1) * DAY_MS, context });
    return context;
  }
}

/** Returns the authority's certificate. Replaces one that expires within twice the lifetime of a leaf. */
async function currentCertificate(directory: string, commonName: string): Promise<string> {
  const found = await readCertificate(directory);
  if (found !== null && expiry(found) > Date.now() + 2 * LEAF_DAYS * DAY_MS) return found;
  if (found !== null) await rm(directory, { recursive: true, force: true });
  await createAuthority(directory, commonName).catch((error: Error) => {
    throw new EgressError(`The certificate authority for sandboxes could not be made: ${error.message}`, {
      cause: error,
    });
  });
  return await readFile(join(directory, "ca.pem"), "utf8");
}

async function readCertificate(directory: string): Promise<string | null> {
  return await readFile(join(directory, "ca.pem"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

function expiry(pem: string): number {
  return Date.parse(new X509Certificate(pem).validTo);
}

/** Creates an authority atomically: if two processes do so at once, the first wins. */
async function createAuthority(directory: string, commonName: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const partial = await mkdtemp(`${directory}.`);
  try {
    const files = ["-keyout", join(partial, "ca.key"), "-out", join(partial, "ca.pem")];
    await openssl(partial, [
      ...[
        "req",
        "-x509",
        ...NEW_KEY,
        "-days",
        String(AUTHORITY_DAYS),
        "-subj",
        `/CN=${commonName}`,
        ...files,
      ],
      ...["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
    ]);
    await rename(partial, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Removes directories that dead processes left. Other processes may still use recent ones. */
async function removeStaleFiles(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith("leaf-"));
  for (const path of names.map((name) => join(directory, name))) {
    const found = await stat(path).catch(() => null);
    if (found === null || found.mtimeMs > Date.now() - HOUR_MS) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function signLeaf(directory: string, name: HostName, commonName: string): Promise<SecureContext> {
  const work = await mkdtemp(join(directory, "leaf-"));
  const at = (file: string): string => join(work, file);
  try {
    await writeFile(at("leaf.cnf"), leafConfiguration(name));
    await openssl(work, [
      ...["req", "-new", ...NEW_KEY, "-subj", `/CN=${commonName} host`, "-keyout", at("leaf.key")],
      ...["-out", at("leaf.csr")],
    ]);
    await openssl(work, [
      ...["x509", "-req", "-in", at("leaf.csr"), "-days", String(LEAF_DAYS), "-out", at("leaf.pem")],
      ...["-CA", join(directory, "ca.pem"), "-CAkey", join(directory, "ca.key"), "-CAserial", at("serial")],
      ...["-CAcreateserial", "-extfile", at("leaf.cnf")],
    ]);
    const [key, cert] = await Promise.all([readFile(at("leaf.key")), readFile(at("leaf.pem"))]);
    return createSecureContext({ key, cert, minVersion: "TLSv1.2" });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function leafConfiguration(name: HostName): string {
  return [
    `subjectAltName=DNS:${name}`,
    "basicConstraints=critical,CA:FALSE",
    "keyUsage=critical,digitalSignature",
    "extendedKeyUsage=serverAuth",
    "",
  ].join("\n");
}
