// Subject: `cloneRepository` with repositories and hosts that reject it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeCertificates } from "../../../../tests/git-host/certificates.ts";
import { type CloneRequest, makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import type { CloneErrorType } from "./repository/repository.ts";
import { repositoryEnvironment } from "./repository/repository-environment.ts";

let dir: string;
let bench: Workbench;
let sandbox: Sandbox;
/** A git host with two names, which responds as each test sets. */
let odd: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let port: number;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "odd-host-"));
  const { caFile, key, certificate } = await makeCertificates(dir, ["odd.localhost", "other.localhost"]);
  odd = createServer({ key, cert: certificate }, (request, response) => answer(request, response));
  odd.listen(0, "127.0.0.1");
  await once(odd, "listening");
  port = (odd.address() as AddressInfo).port;
  bench = await makeWorkbench({
    caFiles: [caFile],
    reachable: [`odd.localhost:${port}`, `other.localhost:${port}`, `unnamed.localhost:${port}`],
  });
  await bench.host.createRepository({ org: "acme", name: "widget", private: true, files: { a: "a\n" } });
  sandbox = await bench.open();
});
after(async () => {
  await bench.close();
  odd.close();
  odd.closeAllConnections();
  await rm(dir, { recursive: true, force: true });
});

const REFUSALS: readonly [string, string, () => CloneRequest, CloneErrorType, RegExp][] = [
  ["no token", "widget", () => ({ token: null }), "repository_authentication_error", /401/],
  ["a wrong token", "widget", () => ({ token: "wrong-token" }), "repository_authentication_error", /401/],
  ["a revoked token", "widget", () => ({ token: revoked() }), "repository_authentication_error", /401/],
  ["an expired token", "widget", () => ({ token: expired() }), "repository_authentication_error", /401/],
  [
    "a token for another repository",
    "widget",
    () => ({ token: narrow() }),
    "repository_forbidden_error",
    /403/,
  ],
  ["a repository that does not exist", "absent", () => ({}), "repository_not_found_error", /404/],
  [
    "a branch that does not exist",
    "widget",
    () => ({ checkout: { type: "branch", name: "absent" } }),
    "repository_checkout_error",
    /no branch 'absent'/,
  ],
  [
    "a tag that does not exist",
    "widget",
    () => ({ checkout: { type: "tag", name: "main" } }),
    "repository_checkout_error",
    /no tag 'main'/,
  ],
  [
    "a commit that does not exist",
    "widget",
    () => ({ checkout: { type: "commit", sha: "12".repeat(20) } }),
    "repository_checkout_error",
    /no commit 1212/,
  ],
  [
    "a ref that does not exist",
    "widget",
    () => ({ checkout: { type: "ref", name: "refs/pull/1/head" } }),
    "repository_checkout_error",
    /no ref 'refs\/pull\/1\/head'/,
  ],
  [
    "a tree instead of a commit",
    "widget",
    () => ({ checkout: { type: "commit", sha: "4b825dc642cb6eb9a060e54bf8d69288fbee4904" } }),
    "repository_checkout_error",
    /no commit 4b82/,
  ],
  [
    "a host that the egress does not allow",
    "widget",
    () => ({ url: "https://git.example/acme/widget" }),
    "repository_clone_error",
    /cannot be reached/,
  ],
  [
    "a certificate for another name",
    "widget",
    () => ({ url: `https://unnamed.localhost:${port}/acme/widget` }),
    "repository_clone_error",
    /TLS connection/,
  ],
  [
    "a mount path that cannot be written",
    "widget",
    () => ({ mountPath: "/srv/widget" }),
    "repository_clone_error",
    /no directory can be made/,
  ],
];
for (const [what, name, request, type, cause] of REFUSALS) {
  test(`clone: ${what} → ${type}, and nothing is left`, async () => {
    const given = { mountPath: `/data/${name}`, url: `${bench.host.url}/acme/${name}`, ...request() };
    const result = await bench.clone(sandbox, name, given);
    assert.ok(!result.ok && result.type !== "stopped", JSON.stringify(result));
    assert.equal(result.type, type, result.message);
    assert.ok(
      result.message.startsWith(`${given.url} could not be cloned to ${given.mountPath}: `),
      result.message,
    );
    assert.match(result.message, cause);
    assert.ok(!result.message.includes(given.token ?? bench.token));
    assert.equal(await sh(sandbox, "ls -A /data"), "");
  });
}

test("clone: something else is at the mount path → repository_clone_error, and it is unchanged", async () => {
  await sh(
    sandbox,
    "mkdir /data/full && echo x >/data/full/x && echo y >/data/file && ln -s /nowhere /data/link",
  );
  await sh(
    sandbox,
    "git init -q /data/another && git -C /data/another remote add origin https://git.example/a/b",
  );
  const before = await sh(sandbox, "cd /data && find . | sort | sha256sum");
  for (const name of ["full", "file", "link", "another"]) {
    const result = await bench.clone(sandbox, "widget", { mountPath: `/data/${name}` });
    assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
    assert.match(result.message, /something else is at that path/);
  }
  const below = await bench.clone(sandbox, "widget", { mountPath: "/data/file/below" });
  assert.ok(!below.ok && below.type === "repository_clone_error");
  assert.equal(await sh(sandbox, "cd /data && find . | sort | sha256sum"), before);
  await sh(sandbox, "rm -rf /data/*");
});

test("clone: the sandbox is closed → stopped", async () => {
  const other = await bench.open();
  await other.close();
  assert.deepEqual(await bench.clone(other, "widget"), { ok: false, type: "stopped" });
});

test("clone: a redirect → not followed, and its target gets neither a request nor the token", async () => {
  const seen: string[] = [];
  answer = (request, response) => {
    const { host = "", authorization } = request.headers;
    seen.push(`${host} ${authorization === undefined ? "-" : "token"}`);
    if (host.startsWith("other.")) response.writeHead(401, { "www-authenticate": "Basic" }).end();
    else if (authorization === undefined) response.writeHead(401, { "www-authenticate": "Basic" }).end();
    else {
      response.writeHead(302, { location: `https://other.localhost:${port}${request.url}` }).end();
    }
  };
  const url = `https://odd.localhost:${port}/acme/widget`;
  const result = await bench.clone(sandbox, "widget", { url });
  assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
  assert.match(result.message, /redirects to another address/);
  assert.deepEqual([...new Set(seen)], [`odd.localhost:${port} -`, `odd.localhost:${port} token`]);

  const environment = repositoryEnvironment([{ url, secret: bench.token, provider: null }]);
  await sh(sandbox, `git -c http.followRedirects=true ls-remote ${url} || true`, environment);
  assert.ok(seen.includes(`other.localhost:${port} -`), "the agent may follow it");
  assert.ok(!seen.includes(`other.localhost:${port} token`), "but sends no token there");
});

test("clone: the host sends the token back → it is not in the message", async () => {
  const text = Buffer.from(`ERR your token is ${bench.token}\nfatal: ${bench.token}`);
  const line = (bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
  answer = (_request, response) => {
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
    response.end(
      Buffer.concat([line(Buffer.from("# service=git-upload-pack\n")), Buffer.from("0000"), line(text)]),
    );
  };
  const result = await bench.clone(sandbox, "widget", { url: `https://odd.localhost:${port}/acme/widget` });
  assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
  assert.match(result.message, /answered with an error\. Its host says: "your token is \[redacted\]"$/);
  assert.ok(!result.message.includes(bench.token));
});

const PAGES: readonly [string, string, string][] = [
  ["one line", "text/html", "<html><body>It works!</body></html>"],
  ["nothing", "text/plain", ""],
  ["JSON", "application/json", '{"status":"ok"}'],
  ["lines", "text/html; charset=utf-8", "<!doctype html>\n<title>Sign in</title>\n"],
  ["lines with tabs", "text/plain", "name\tvalue\nother\tvalue\n"],
];
for (const [what, type, body] of PAGES) {
  for (const checkout of [null, { type: "branch", name: "main" }] as const) {
    test(`clone: a host that answers each request with ${what}, ${checkout?.type ?? "default branch"} → no git server`, async () => {
      answer = (_request, response) => response.writeHead(200, { "content-type": type }).end(body);
      const request = { url: `https://odd.localhost:${port}/acme/page`, checkout };
      const result = await bench.clone(sandbox, "page", request);
      assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
      assert.match(result.message, /: the server at this URL is not a git server\.$/);
      assert.equal(result.transient, false);
      assert.equal(await sh(sandbox, "ls -A /data"), "");
    });
  }
}

test("clone: a repository that lacks objects → what its host says, and no further try", async () => {
  await bench.push("broken", "seq 1 2000 >a && git add a && git commit -qm A && seq 3 4000 >b && git add b");
  const blob = (await sh(sandbox, "seq 1 2000 | git hash-object --stdin")).trim();
  const objects = join(bench.dir, "host/repositories/acme/broken.git/objects");
  await rm(join(objects, blob.slice(0, 2), blob.slice(2)));
  const result = await bench.clone(sandbox, "broken");
  assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
  assert.match(result.message, new RegExp(`could not serve it\\. Its host says: ".*unable to read ${blob}`));
  assert.equal(result.transient, false);
});

for (const [status, words] of [
  [403, "Access blocked: sign in to single sign-on of acme first."],
  [404, "This repository was moved by its owner."],
] as const) {
  test(`clone: a host that explains its ${status} → its words`, async () => {
    answer = (request, response) =>
      request.headers.authorization === undefined
        ? response.writeHead(401, { "www-authenticate": "Basic" }).end()
        : response.writeHead(status, { "content-type": "text/plain" }).end(`${words}\n`);
    const result = await bench.clone(sandbox, "widget", { url: `https://odd.localhost:${port}/acme/widget` });
    assert.ok(!result.ok && result.type !== "stopped");
    assert.ok(result.message.endsWith(`(${status}). Its host says: "${words}"`), result.message);
  });
}

for (const [what, bad] of [
  ["an error", (response: ServerResponse) => response.writeHead(500).end("oops")],
  ["a connection that it drops", (response: ServerResponse) => response.destroy()],
  [
    "a web page",
    (response: ServerResponse) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>\n<p>Sign in</p>\n"),
  ],
] as const) {
  test(`clone: the host responds with ${what} → repository_clone_error`, async () => {
    answer = (_request, response) => bad(response);
    const result = await bench.clone(sandbox, "widget", { url: `https://odd.localhost:${port}/acme/widget` });
    assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
    assert.doesNotMatch(result.message, /without a message/);
  });
}

function revoked(): string {
  const token = bench.host.createToken({ user: "gone", permissions: "read" });
  bench.host.revokeToken(token);
  return token;
}

function expired(): string {
  return bench.host.createToken({ user: "late", permissions: "read", expiresInSeconds: 0 });
}

function narrow(): string {
  return bench.host.createToken({ user: "narrow", permissions: "read", repositories: ["acme/other"] });
}
