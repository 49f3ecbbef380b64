import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Certificates {
  /** PEM file of the authority that clients must trust. */
  caFile: string;
  key: Buffer;
  certificate: Buffer;
}

/**
 * Creates a certificate authority and a server certificate for `names` (host names and IPv4 addresses) in
 * `dir`, valid for two days.
 */
export async function makeCertificates(dir: string, names: readonly string[]): Promise<Certificates> {
  const at = (name: string): string => join(dir, name);
  await writeFile(at("server.cnf"), serverConfiguration(names));
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const authority = ["-subj", "/CN=git host test authority", "-keyout", at("ca.key"), "-out", at("ca.pem")];
  await run("openssl", [
    ...["req", "-x509", ...newKey, "-days", "2", ...authority],
    ...["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
  ]);
  await run("openssl", [
    ...["req", "-new", ...newKey, "-subj", `/CN=${names[0]}`],
    ...["-keyout", at("server.key"), "-out", at("server.csr")],
  ]);
  await run("openssl", [
    ...["x509", "-req", "-in", at("server.csr"), "-days", "2", "-out", at("server.pem")],
    ...["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-extfile", at("server.cnf")],
  ]);
  const [key, certificate] = await Promise.all([readFile(at("server.key")), readFile(at("server.pem"))]);
  return { caFile: at("ca.pem"), key, certificate };
}

function serverConfiguration(names: readonly string[]): string {
  const alternatives = names.map((name) => (/^[0-9.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`));
  return [
    `subjectAltName=${alternatives.join(",")}`,
    "basicConstraints=critical,CA:FALSE",
    "keyUsage=critical,digitalSignature",
    "extendedKeyUsage=serverAuth",
    "",
  ].join("\n");
}
