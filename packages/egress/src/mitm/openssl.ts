import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Arguments of `openssl req` for a new key. */
export const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Runs openssl with only PATH in its environment. Rejects when it fails or takes over 20 seconds. */
export async function openssl(directory: string, args: readonly string[]): Promise<void> {
  await run("openssl", [...args], { cwd: directory, env: { PATH: process.env.PATH }, timeout: 20_000 });
}

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

/** Creates a self-signed certificate authority, valid for `days`. */
export function makeAuthority(commonName: string, days: number): Promise<KeyPair> {
  return inOwnDirectory(async (directory) => {
    await openssl(directory, [
      ...["req", "-x509", ...NEW_KEY, "-days", String(days), "-subj", `/CN=${commonName}`],
      ...[
        "-keyout",
        "key.pem",
        "-out",
        "certificate.pem",
        "-addext",
        "keyUsage=critical,keyCertSign,cRLSign",
      ],
    ]);
    return await readPair(directory);
  });
}

/**
 * Creates a key and has an authority sign its certificate.
 * @param extensions Extensions of the certificate, as lines of openssl's configuration.
 */
export function signPair(
  authority: KeyPair,
  { commonName, days, extensions }: { commonName: string; days: number; extensions: readonly string[] },
): Promise<KeyPair> {
  return inOwnDirectory(async (directory) => {
    const lines = [...extensions, "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"];
    await Promise.all([
      writeFile(join(directory, "ca.pem"), authority.certificate),
      writeFile(join(directory, "ca.key"), authority.key, { mode: 0o600 }),
      writeFile(join(directory, "extensions.cnf"), `${lines.join("\n")}\n`),
    ]);
    await openssl(directory, [
      ...["req", "-new", ...NEW_KEY, "-subj", `/CN=${commonName}`, "-keyout", "key.pem"],
      ...["-out", "request.pem"],
    ]);
    await openssl(directory, [
      ...["x509", "-req", "-in", "request.pem", "-days", String(days), "-out", "certificate.pem"],
      ...["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "extensions.cnf"],
    ]);
    return await readPair(directory);
  });
}

async function readPair(directory: string): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([
    readFile(join(directory, "certificate.pem"), "utf8"),
    readFile(join(directory, "key.pem"), "utf8"),
  ]);
  return { certificate, key };
}

/** Creates a private directory, passes it to `use`, and removes it afterwards. */
async function inOwnDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "berth-keys-"));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
