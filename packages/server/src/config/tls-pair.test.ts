import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readTlsPair } from "./tls-pair.ts";

let directory: string;
const at = (name: string) => join(directory, name);
const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });

before(() => {
  directory = mkdtempSync(join(tmpdir(), "berth-tls-"));
  for (const name of ["a", "b"]) makeKey(name);
  certify("a", "2");
  certify("b", "2");
  certify("a", "-1", "expired.pem");
});
after(() => rmSync(directory, { recursive: true, force: true }));

function makeKey(name: string): void {
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    at(`${name}.key`),
  ];
  openssl("req", ...key, "-subj", `/CN=${name}`, "-out", at(`${name}.csr`));
}

function certify(name: string, days: string, out = `${name}.pem`): void {
  const request = ["-in", at(`${name}.csr`), "-signkey", at(`${name}.key`)];
  openssl("x509", "-req", ...request, "-days", days, "-out", at(out));
}

test("TLS files: a certificate and its key", () => {
  const { cert, expires } = readTlsPair({ cert: at("a.pem"), key: at("a.key") });
  assert.match(cert, /^-----BEGIN CERTIFICATE-----/);
  assert.ok(expires.getTime() > Date.now());
});

test("TLS files: what is wrong is one sentence that names the file", () => {
  const key = at("a.key");
  writeFileSync(at("text.pem"), "text");
  writeFileSync(at("text.key"), "text", { mode: 0o600 });
  const faults: Array<[cert: string, key: string, message: string]> = [
    [at("none.pem"), key, `${at("none.pem")} cannot be read.`],
    [at("."), key, `${at(".")} is a directory, and not a file.`],
    [at("a.pem"), "/dev/zero", "/dev/zero is a device, and not a file."],
    [at("a.pem"), at("none.key"), `${at("none.key")} cannot be read.`],
    [at("text.pem"), key, `${at("text.pem")} is not a certificate in PEM.`],
    [at("a.pem"), at("text.key"), `${at("text.key")} is not a private key in PEM without a passphrase.`],
    [at("b.pem"), key, `The certificate ${at("b.pem")} is not for the private key ${key}.`],
  ];
  for (const [cert, keyFile, message] of faults)
    assert.throws(() => readTlsPair({ cert, key: keyFile }), { message });
  assert.throws(
    () => readTlsPair({ cert: at("expired.pem"), key }),
    /^Error: The certificate \S+expired\.pem expired at \d{4}-\S+Z\.$/,
  );
});

test("TLS files: a key that others can read or change is rejected", () => {
  const files = { cert: at("b.pem"), key: at("b.key") };
  chmodSync(files.key, 0o640);
  readTlsPair(files);
  chmodSync(files.key, 0o644);
  assert.throws(() => readTlsPair(files), /Every user of the machine can read the private key/);
  chmodSync(files.key, 0o660);
  assert.throws(() => readTlsPair(files), /can be changed by other users/);
  chmodSync(files.key, 0o600);
  if (process.getuid?.() !== 0) return;
  chownSync(files.key, 65_533, 65_533);
  assert.throws(() => readTlsPair(files), /belongs to user id 65533/);
});
