import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { makeCertificates } from "../../../../tests/git-host/certificates.ts";
import { javaKeyStore } from "./java-key-store.ts";

const run = promisify(execFile);

test("javaKeyStore: the digest over its content holds, and what is no certificate is left out", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "key-store-"));
  t.after(() => rm(dir, { recursive: true }));
  const { caFile } = await makeCertificates(dir, ["host.example"]);
  const authority = await readFile(caFile, "utf8");
  const none = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----";
  const store = javaKeyStore([none, authority]);
  assert.deepEqual(store, javaKeyStore([authority]));
  await writeFile(join(dir, "cacerts"), store);
  const keytool = ["-list", "-v", "-keystore", join(dir, "cacerts"), "-storepass", "changeit"];
  const listed = await run("keytool", keytool).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (listed === null) return t.skip("this machine has no Java");
  assert.match(listed.stdout, /Your keystore contains 1 entry/);
  assert.match(listed.stdout, /Owner: CN=git host test authority/);
  const { stdout } = await run("openssl", ["x509", "-in", caFile, "-noout", "-fingerprint", "-sha256"]);
  assert.ok(listed.stdout.includes(stdout.trim().replace(/^.*=/, "")));
});
