// Subject: the console's pages, from a bundle like that of its build.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testApp } from "../../../../test-support/http.ts";

const PAGE = "<!doctype html><script type=module src=/console/assets/main-4f2a91bc.js></script>";

/** Creates a bundle directory like that of the build, whose compressed forms have different texts. */
function bundleOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-console-"));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "assets"));
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  for (const [name, text] of [
    ["index.html", PAGE],
    ["assets/main-4f2a91bc.js", "main"],
    ["assets/main-4f2a91bc.css", "style"],
  ] as const) {
    write(name, text);
    write(`${name}.br`, `br of ${text}`);
    write(`${name}.gz`, `gzip of ${text}`);
  }
  write("assets/logo-1b2c3d4e.svg", "<svg/>");
  write("assets/unknown-1b2c3d4e.exe", "MZ");
  write("secret.txt", "beside the page");
  return directory;
}

test("console: the page at each path without an extension, its assets for good, both in the encoding asked for", async (t) => {
  const { app } = await testApp(t, { consoleBundle: bundleOf(t) });
  const get = (url: string, headers: Record<string, string> = {}) => app.fastify.inject({ url, headers });
  for (const url of ["/console/", "/console/sign-in", "/console/sessions/sess_1/changes?tab=diff"]) {
    const { statusCode, payload, headers } = await get(url);
    assert.deepEqual([statusCode, payload, headers["cache-control"]], [200, PAGE, "no-cache"], url);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers.vary, "accept-encoding");
    const again = await get(url, { "if-none-match": String(headers.etag) });
    assert.deepEqual([again.statusCode, again.payload], [304, ""]);
  }
  for (const [accepted, encoding, text] of [
    ["gzip, deflate, br", "br", "br of main"],
    ["gzip", "gzip", "gzip of main"],
    ["br;q=0, gzip", "gzip", "gzip of main"],
    ["identity", undefined, "main"],
  ] as const) {
    const asset = await get("/console/assets/main-4f2a91bc.js", { "accept-encoding": accepted });
    assert.deepEqual([asset.statusCode, asset.payload], [200, text]);
    assert.equal(asset.headers["content-encoding"], encoding);
    assert.equal(asset.headers["content-type"], "text/javascript; charset=utf-8");
    assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
  }
  const logo = await get("/console/assets/logo-1b2c3d4e.svg", { "accept-encoding": "br" });
  assert.deepEqual([logo.payload, logo.headers["content-encoding"]], ["<svg/>", undefined]);
  const moved = await get("/console");
  assert.deepEqual([moved.statusCode, moved.headers.location], [302, "/console/"]);
  assert.equal((await app.fastify.inject({ method: "HEAD", url: "/console/" })).statusCode, 200);
  const front = await app.fastify.inject({ url: "/", headers: { accept: "text/html" } });
  assert.match(front.payload, /<a href="\/console\/">Console<\/a>/);
});

test("console: nothing beside the bundle, and no page for what has an extension", async (t) => {
  const { app } = await testApp(t, { consoleBundle: bundleOf(t) });
  for (const url of [
    "/console/secret.txt",
    "/console/assets/secret.txt",
    "/console/assets/..%2fsecret.txt",
    "/console/assets/%2e%2e%2findex.html",
    "/console/assets/..\\index.html",
    "/console/assets/main-4f2a91bc.js.br",
    "/console/assets/unknown-1b2c3d4e.exe",
    "/console/assets/missing-00000000.js",
    "/console/assets/",
    "/console/assets",
    "/console/assets/.env",
    "/console/favicon.ico",
    "/console/auth/unknown",
    "/console/auth/oidc",
    "/console.html",
  ]) {
    const { statusCode, payload, headers } = await app.fastify.inject({ url });
    assert.equal(statusCode, 404, url);
    assert.equal(JSON.parse(payload).error.type, "not_found_error");
    assert.doesNotMatch(String(headers["cache-control"]), /immutable/);
  }
});

test("console: a strict policy on the page, its assets, its errors and what signs in", async (t) => {
  const { app } = await testApp(t, { consoleBundle: bundleOf(t) });
  const policies = new Set<unknown>();
  for (const url of [
    "/console",
    "/console/",
    "/console/assets/main-4f2a91bc.js",
    "/console/assets/missing-00000000.js",
    "/console/auth/methods",
    "/console/auth/sign-out",
  ]) {
    const method = url.endsWith("sign-out") ? "POST" : "GET";
    const { headers } = await app.fastify.inject({ method, url });
    policies.add(headers["content-security-policy"]);
    for (const [name, value] of [
      ["x-content-type-options", "nosniff"],
      ["referrer-policy", "no-referrer"],
      ["cross-origin-opener-policy", "same-origin"],
      ["cross-origin-resource-policy", "same-origin"],
    ] as const)
      assert.equal(headers[name], value, `${url}: ${name}`);
    assert.match(String(headers["permissions-policy"]), /camera=\(\)/);
  }
  assert.deepEqual(
    [...policies],
    [
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      // Policy of an error response, which is not a page.
      "default-src 'none'; frame-ancestors 'none'",
    ],
  );
});

test("console: not built → a page that says how; turned off → nothing at all", async (t) => {
  const missing = join(tmpdir(), "berth-no-console");
  const { app } = await testApp(t, { consoleBundle: missing });
  const { statusCode, payload, headers } = await app.fastify.inject({ url: "/console/" });
  assert.equal(statusCode, 503);
  assert.match(payload, /script\/setup/);
  assert.match(String(headers["content-security-policy"]), /default-src 'none'/);

  const off = await testApp(t, { consoleBundle: bundleOf(t), console: "off" });
  for (const url of ["/console", "/console/", "/console/auth/methods", "/console/assets/main-4f2a91bc.js"])
    assert.equal((await off.app.fastify.inject({ url })).statusCode, 404, url);
  const owner = await off.caller();
  const link = await owner.post("/console_links");
  assert.deepEqual(
    [link.status, link.body.error.message],
    [404, "The console of this installation is turned off."],
  );
  const front = await off.app.fastify.inject({ url: "/", headers: { accept: "text/html" } });
  assert.doesNotMatch(front.payload, /\/console\//);
});
