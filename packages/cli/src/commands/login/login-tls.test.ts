// Subject: the commands against a service whose certificate has an authority of its own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeCertificates } from "../../../../../tests/git-host/certificates.ts";
import { berth } from "../../../test-support/berth.ts";

const TOKEN = "berth_pat_good";
/** Response for both `whoami` and the login. */
const CALLER = {
  ...{ id: "tok_1", name: "mine", token_id: "tok_1", token_name: "mine", scopes: ["*"], expires_at: null },
  ...{ organization: { id: "org_1", name: "acme" }, service_account: null, role: "owner" },
  user: { id: "user_1", email: "owner@example.com", role: "owner" },
  principal: { type: "user", id: "user_1", name: "owner@example.com" },
};

/** Starts a service that knows the owner of the token, and returns the commands of a user. */
async function service(t: TestContext, make: (dir: string) => Promise<ServerOptions | null> = certified) {
  const home = mkdtempSync(join(tmpdir(), "berth-tls-"));
  t.after(() => rmSync(home, { recursive: true }));
  const seen: string[] = [];
  const answer: Parameters<typeof createHttpServer>[1] = (request, response) => {
    seen.push(request.url ?? "");
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(CALLER));
  };
  const options = await make(home);
  const server = options === null ? createHttpServer(answer) : createServer(options, answer);
  server.on("tlsClientError", () => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config") };
  const run = (args: string[], more: Record<string, string> = {}) =>
    berth(args, { env: { ...env, ...more }, cwd: home, input: `${TOKEN}\n` });
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${port}`, home, run, seen, ca: join(home, "ca.pem") };
}

async function certified(dir: string, names = ["localhost"]): Promise<ServerOptions> {
  const { key, certificate } = await makeCertificates(dir, names);
  return { key, cert: certificate };
}

/** Creates a self-signed certificate that expired yesterday. */
async function expired(dir: string): Promise<ServerOptions> {
  const [key, request, names, cert] = ["key.pem", "own.csr", "names", "ca.pem"].map((name) =>
    join(dir, name),
  );
  assert.ok(key && request && names && cert);
  writeFileSync(names, "subjectAltName=DNS:localhost\n");
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key];
  openssl("req", "-new", ...newKey, "-subj", "/CN=localhost", "-out", request);
  openssl("x509", "-req", "-in", request, "-signkey", key, "-days", "-1", "-extfile", names, "-out", cert);
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

test("an unknown authority → one sentence at once, and how to name it", async (t) => {
  const { url, run, seen } = await service(t);
  for (const args of [["whoami"], ["login"], ["status"], ["sessions", "list"]]) {
    const place = args[0] === "login" ? [url] : ["--url", url];
    const { code, stdout, stderr } = await run(
      [...args, ...place],
      args[0] === "login" ? {} : { BERTH_TOKEN: TOKEN },
    );
    assert.equal(code, 1, stderr);
    assert.equal(stdout, "");
    assert.match(
      stderr,
      /^error: The certificate of https:\/\/localhost:\d+ is not trusted: [^\n]*certificate[^\n]*\.\n {2}Name the certificate of its authority with --ca-file or BERTH_CA_FILE\.\n$/,
    );
  }
  assert.deepEqual(seen, []);
});

const FAULTS: readonly [what: string, make: Parameters<typeof service>[1], sentence: RegExp][] = [
  [
    "a certificate for another name",
    (dir) => certified(dir, ["other.example"]),
    /^error: The certificate of \S+ is not trusted: [^\n]*localhost[^\n]*\n$/,
  ],
  [
    "a certificate that has ended",
    expired,
    /^error: The certificate of \S+ is not trusted: certificate has expired\.\n$/,
  ],
  [
    "a server without TLS",
    async () => null,
    /^error: https:\/\/localhost:\d+ does not speak TLS at this port\.\n$/,
  ],
];
for (const [what, make, sentence] of FAULTS) {
  test(`${what} → one sentence at once, whatever is trusted`, async (t) => {
    const { url, run, ca } = await service(t, make);
    const trusted = what.includes("without") ? {} : { BERTH_CA_FILE: ca };
    const { code, stderr } = await run(["whoami", "--url", url], { BERTH_TOKEN: TOKEN, ...trusted });
    assert.equal(code, 1, stderr);
    assert.match(stderr, sentence);
  });
}

test("an own authority, by --ca-file, BERTH_CA_FILE, the machine's store, or a login → trusted", async (t) => {
  const { url, run, ca, home } = await service(t);
  const good = async (args: string[], more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await run(args, more);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    assert.match(stdout, /owner@example\.com/);
  };
  const token = { BERTH_TOKEN: TOKEN };
  await good(["whoami", "--url", url, "--ca-file", ca], token);
  await good(["--ca-file", ca, "--url", url, "whoami"], token);
  await good(["whoami", "--url", url], { ...token, BERTH_CA_FILE: ca });
  await good(["whoami", "--url", url], { ...token, SSL_CERT_FILE: ca });
  await good(["login", url, "--ca-file", "ca.pem"]);
  await good(["whoami"]);
  const [stored] = Object.values(
    JSON.parse(readFileSync(join(home, "config/berth/contexts.json"), "utf8")).contexts,
  );
  assert.deepEqual(stored, { url, token: TOKEN, caFile: ca });
});

test("a file of authorities that is none → a usage error that names it", async (t) => {
  const { url, run, home } = await service(t);
  writeFileSync(join(home, "notes.txt"), "no certificate\n");
  writeFileSync(join(home, "broken.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  for (const file of ["notes.txt", "broken.pem", "absent.pem"]) {
    const { code, stderr } = await run(["whoami", "--url", url, "--ca-file", file], { BERTH_TOKEN: TOKEN });
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`^error: .*'?${file}'?`));
  }
});
