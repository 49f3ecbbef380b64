// Subject: the service's own origin, requests from its own pages, and the cookie that authenticates them.
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { ApiError } from "@berth/store/errors";
import { checkOrigin } from "./check-origin.ts";
import { ClientAddresses } from "./client-address.ts";
import { isReadableOnTheWay, OwnOrigin } from "./own-origin.ts";
import { proxyList } from "./proxy-list.ts";
import { Cookie, SIGN_IN_COOKIE } from "./sign-in-cookie.ts";

type Headers = Record<string, string>;

function requestOf(headers: Headers, { method = "GET", from = "10.0.0.9" } = {}): IncomingMessage {
  const rawHeaders = Object.entries(headers).flat();
  return { method, headers, rawHeaders, socket: { remoteAddress: from } } as object as IncomingMessage;
}

function originOf(
  headers: Headers,
  {
    publicUrl = null,
    isTls = false,
    from = "10.0.0.9",
  }: { publicUrl?: string | null; isTls?: boolean; from?: string } = {},
): string | null {
  const clients = new ClientAddresses(proxyList(["10.0.0.1"]));
  return new OwnOrigin({ publicUrl, isTls, clients }).of(requestOf(headers, { from }));
}

const PUBLIC = "https://berth.example.com";
const PROXY = "10.0.0.1";

test("own origin: addresses, localhost and the public URL, with the scheme of the connection; no other name", () => {
  for (const [host, origin] of [
    ["127.0.0.1:4180", "http://127.0.0.1:4180"],
    ["127.0.0.1:80", "http://127.0.0.1"],
    ["LocalHost:4180", "http://localhost:4180"],
    ["shop.localhost", "http://shop.localhost"],
    ["[::1]:4180", "http://[::1]:4180"],
    ["192.168.1.7:4180", "http://192.168.1.7:4180"],
    ["berth.example.com", null],
    ["localhost.evil.example", null],
    ["127.0.0.1.evil.example", null],
    ["evil.example", null],
    ["user@127.0.0.1", null],
    ["127.0.0.1/x", null],
    ["127.0.0.1?x", null],
    ["", null],
  ] as const)
    assert.equal(originOf({ host }), origin, host);
  assert.equal(originOf({ host: "localhost:4443" }, { isTls: true }), "https://localhost:4443");
  assert.equal(originOf({}), null);
});

test("own origin: with a public URL its host is that, also where a proxy that is not named ends TLS", () => {
  assert.equal(originOf({ host: "berth.example.com" }, { publicUrl: PUBLIC }), PUBLIC);
  assert.equal(originOf({ host: "127.0.0.1:4180" }, { publicUrl: PUBLIC }), "http://127.0.0.1:4180");
  assert.equal(originOf({ host: "evil.example" }, { publicUrl: PUBLIC }), null);
});

test("own origin: what a trusted proxy says, and nobody else", () => {
  const forwarded = {
    host: "upstream:4180",
    "x-forwarded-host": "made.up, berth.corp",
    "x-forwarded-proto": "http, https",
  };
  assert.equal(originOf(forwarded, { from: PROXY }), "https://berth.corp");
  assert.equal(originOf(forwarded, { from: PROXY, publicUrl: PUBLIC }), PUBLIC);
  assert.equal(originOf({ host: "berth.corp" }, { from: PROXY }), "http://berth.corp");
  assert.equal(originOf(forwarded), null);
  assert.equal(originOf({ ...forwarded, host: "10.0.0.5" }), "http://10.0.0.5");
});

test("isReadableOnTheWay: plain http that leaves the machine", () => {
  for (const origin of ["http://10.0.0.5:4180", "http://berth.corp", "http://[fd00::1]"])
    assert.ok(isReadableOnTheWay(origin), origin);
  for (const origin of ["http://127.0.0.1:4180", "http://localhost", "http://[::1]:1", PUBLIC])
    assert.ok(!isReadableOnTheWay(origin), origin);
});

function rejection(method: string, headers: Headers, own: string | null = PUBLIC): string | null {
  try {
    checkOrigin(requestOf(headers, { method }), own);
    return null;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 403);
    return error.message;
  }
}

test("check of the origin: what changes something needs the own one, and no other site in Sec-Fetch-Site", () => {
  const own = { origin: PUBLIC };
  for (const method of ["POST", "PUT", "DELETE"]) {
    assert.equal(rejection(method, own), null, "a browser over plain http has no more");
    assert.equal(rejection(method, { ...own, "sec-fetch-site": "same-origin" }), null);
    for (const headers of [
      {},
      { "sec-fetch-site": "same-origin" },
      { origin: "null" },
      { origin: "https://evil.example" },
      { origin: "http://berth.example.com" },
      { origin: `${PUBLIC}:8443` },
      { origin: `${PUBLIC}.evil.example` },
      { ...own, "sec-fetch-site": "same-site" },
      { ...own, "sec-fetch-site": "cross-site" },
      { ...own, "sec-fetch-site": "none" },
    ] as Headers[])
      assert.match(rejection(method, headers) ?? "", /another site/, JSON.stringify(headers));
  }
  const twice = { ...requestOf({}, { method: "POST" }), rawHeaders: ["Origin", PUBLIC, "Origin", PUBLIC] };
  assert.throws(() => checkOrigin(twice as object as IncomingMessage, PUBLIC), /another site/);
  assert.match(rejection("POST", { host: "evil.example", ...own }, null) ?? "", /evil\.example/);
});

test("check of the origin: what reads comes from an own page, or from a person", () => {
  for (const headers of [
    {},
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
    { origin: PUBLIC },
  ] as Headers[])
    assert.equal(rejection("GET", headers), null, JSON.stringify(headers));
  for (const headers of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
  ] as Headers[])
    assert.match(rejection("GET", headers) ?? "", /another site/, JSON.stringify(headers));
});

test("cookie: one for each port; with TLS secure and for this host alone; two of a name count as none", () => {
  assert.equal(
    SIGN_IN_COOKIE.set("x", PUBLIC, 60),
    "__Host-berth_console=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure",
  );
  assert.equal(
    SIGN_IN_COOKIE.clear("http://127.0.0.1:4180"),
    "berth_console_4180=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
  );
  const read = (cookie: string, origin = PUBLIC) => SIGN_IN_COOKIE.read(requestOf({ cookie }), origin);
  assert.equal(read("a=b; __Host-berth_console=x;c=d"), "x");
  assert.equal(read("berth_console=x"), null, "anybody on the way can set it");
  assert.equal(read("__Host-berth_console=x; __Host-berth_console=y"), null);
  assert.equal(read("berth_console_4180=x; berth_console_4280=y", "http://localhost:4280"), "y");
  const isIn = (cookie: string) => SIGN_IN_COOKIE.isIn(requestOf({ cookie }));
  assert.ok(isIn("berth_console=x") && isIn("a=b; __Host-berth_console_8443="));
  assert.ok(!isIn("berth_console_oidc=x") && !isIn("xberth_console=x"));
  assert.ok(new Cookie("console_oidc", "Lax").isIn(requestOf({ cookie: "berth_console_oidc=x" })));
});
