import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect, createSecureContext, TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { type HostName, parseHostName } from "../names/host-name.ts";
import { openCertificateAuthority } from "./certificate-authority.ts";

const run = promisify(execFile);
let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "authority-"));
});
after(() => rm(dir, { recursive: true, force: true }));

const name = (text: string): HostName => {
  const parsed = parseHostName(text);
  assert.ok(parsed !== null);
  return parsed;
};

test("open: several at once → one authority, whose key only its owner can read", async () => {
  const directory = join(dir, "data", "authority");
  const made = await Promise.all([
    openCertificateAuthority(directory),
    openCertificateAuthority(directory),
    openCertificateAuthority(directory),
  ]);
  assert.equal(new Set(made.map(({ certificate }) => certificate)).size, 1);
  assert.equal((await openCertificateAuthority(directory)).certificate, made[0]?.certificate);
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  assert.equal((await stat(join(directory, "ca.key"))).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(directory)).toSorted(), ["ca.key", "ca.pem"]);
  assert.deepEqual(await readdir(join(dir, "data")), ["authority"]);
  assert.ok(!made[0]?.certificate.includes("PRIVATE"));
});

test("contextFor: signed once per host and valid for that host only; no files are left", async (t) => {
  const directory = join(dir, "leaves");
  const authority = await openCertificateAuthority(directory);
  const owner = {};
  const first = authority.contextFor(name("api.example"), owner);
  assert.equal(authority.contextFor(name("api.example"), owner), first);
  const secureContext = await first;
  assert.equal(await authority.contextFor(name("api.example"), {}), secureContext);
  const server = createServer((socket) => void new TLSSocket(socket, { isServer: true, secureContext }));
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const ask = async (servername: string): Promise<string> => {
    const socket = connect({ port, host: "127.0.0.1", servername, ca: authority.certificate });
    try {
      await once(socket, "secureConnect");
      return "trusted";
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? "refused";
    } finally {
      socket.destroy();
    }
  };
  assert.equal(await ask("api.example"), "trusted");
  assert.equal(await ask("other.example"), "ERR_TLS_CERT_ALTNAME_INVALID");
  assert.deepEqual((await readdir(directory)).toSorted(), ["ca.key", "ca.pem"]);
});

test("open: an authority that expires soon is replaced; files of dead processes are removed", async () => {
  const directory = join(dir, "old");
  await mkdir(directory, { mode: 0o700 });
  const files = ["-keyout", join(directory, "ca.key"), "-out", join(directory, "ca.pem")];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await run("openssl", ["req", "-x509", ...key, "-days", "3", "-subj", "/CN=old", ...files]);
  const old = await readFile(join(directory, "ca.pem"), "utf8");
  const { certificate } = await openCertificateAuthority(directory);
  assert.notEqual(certificate, old);
  assert.ok(Date.parse(new X509Certificate(certificate).validTo) > Date.now() + 9 * 365 * 86_400_000);
  assert.ok(new X509Certificate(certificate).ca);

  await mkdir(join(directory, "leaf-dead"));
  await writeFile(join(directory, "leaf-dead", "leaf.key"), "x");
  await mkdir(join(directory, "leaf-busy"));
  await utimes(join(directory, "leaf-dead"), 0, 0);
  await openCertificateAuthority(directory);
  assert.deepEqual((await readdir(directory)).toSorted(), ["ca.key", "ca.pem", "leaf-busy"]);
  createSecureContext({ ca: certificate });
});

test("open: without openssl → an error that names it", async (t) => {
  const { PATH } = process.env;
  t.after(() => {
    process.env.PATH = PATH;
  });
  process.env.PATH = dir;
  await assert.rejects(
    openCertificateAuthority(join(dir, "none")),
    /certificate authority for sandboxes[\s\S]*openssl/,
  );
});
