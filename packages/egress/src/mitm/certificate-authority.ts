import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { promisify } from "node:util";
import type { HostName } from "../names/host-name.ts";
import { EgressError } from "../policy/types.ts";
import { createTurns } from "./rate-limited-queues.ts";

/** Signs, for sandboxes alone, for the hosts whose connections are opened at the egress. */
export interface Authority {
  /** PEM, for the bundles of sandboxes. */
  readonly certificate: string;
  /**
   * With a certificate for this host, which is made when it is missing and kept while it is good. For one owner one is made at a
   * time, and of many only some a second. Rejects where too many of the owner's wait.
   */
  contextFor(name: HostName, owner: object): Promise<SecureContext>;
}

const run = promisify(execFile);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const authorityDays = 3_650;
const leafDays = 30;
/** Kept in memory: of more, the oldest are made anew. */
const mostLeaves = 1_000;

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/**
 * The authority in a directory of this installation, which is made with it at the first start: 0700, its key 0600. The key is
 * never shown to a sandbox. Rejects with `EgressError` when openssl is missing.
 */
export async function openAuthority(directory: string): Promise<Authority> {
  const certificate = await currentCertificate(directory);
  await removeRemains(directory);
  const inTurn = createTurns();
  const leaves = new Map<HostName, Leaf>();
  const beingMade = new WeakMap<object, Map<HostName, Promise<SecureContext>>>();

  function good(name: HostName): SecureContext | null {
    const leaf = leaves.get(name);
    return leaf !== undefined && leaf.until > Date.now() ? leaf.context : null;
  }

  async function make(name: HostName): Promise<SecureContext> {
    const context = good(name) ?? (await makeLeaf(directory, name));
    keep(leaves, name, { until: Date.now() + (leafDays - 1) * dayMs, context });
    return context;
  }

  return {
    certificate,
    contextFor(name, owner) {
      const found = good(name);
      if (found !== null) return Promise.resolve(found);
      // Of each owner's own: nobody waits in another's line.
      const own = beingMade.get(owner) ?? new Map<HostName, Promise<SecureContext>>();
      beingMade.set(owner, own);
      const begun = own.get(name);
      if (begun !== undefined) return begun;
      const context = inTurn(owner, () => make(name)).finally(() => own.delete(name));
      own.set(name, context);
      return context;
    },
  };
}

interface Leaf {
  until: number;
  context: SecureContext;
}

function keep(leaves: Map<HostName, Leaf>, name: HostName, leaf: Leaf): void {
  leaves.delete(name);
  for (const oldest of leaves.keys()) {
    if (leaves.size < mostLeaves) break;
    leaves.delete(oldest);
  }
  leaves.set(name, leaf);
}

async function currentCertificate(directory: string): Promise<string> {
  const found = await readCertificate(directory);
  if (found !== null && expiry(found) > Date.now() + 2 * leafDays * dayMs) return found;
  if (found !== null) await rm(directory, { recursive: true, force: true });
  await makeAuthority(directory).catch((error: Error) => {
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

/** Whole or not at all; where two processes make one at once, the first one's holds. */
async function makeAuthority(directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const partial = await mkdtemp(`${directory}.`);
  try {
    const files = ["-keyout", join(partial, "ca.key"), "-out", join(partial, "ca.pem")];
    await openssl(partial, [
      ...["req", "-x509", ...newKey, "-days", String(authorityDays), "-subj", "/CN=Berth egress", ...files],
      ...["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
    ]);
    await rename(partial, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** What processes that died have left; another one may be at work beside this. */
async function removeRemains(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith("leaf-"));
  for (const path of names.map((name) => join(directory, name))) {
    const found = await stat(path).catch(() => null);
    if (found === null || found.mtimeMs > Date.now() - hourMs) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function makeLeaf(directory: string, name: HostName): Promise<SecureContext> {
  const work = await mkdtemp(join(directory, "leaf-"));
  const at = (file: string): string => join(work, file);
  try {
    await writeFile(at("leaf.cnf"), leafConfiguration(name));
    await openssl(work, [
      ...["req", "-new", ...newKey, "-subj", "/CN=Berth egress host", "-keyout", at("leaf.key")],
      ...["-out", at("leaf.csr")],
    ]);
    await openssl(work, [
      ...["x509", "-req", "-in", at("leaf.csr"), "-days", String(leafDays), "-out", at("leaf.pem")],
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

/** With nothing of this process's environment but where programs are. */
async function openssl(directory: string, args: readonly string[]): Promise<void> {
  await run("openssl", [...args], { cwd: directory, env: { PATH: process.env.PATH }, timeout: 20_000 });
}
