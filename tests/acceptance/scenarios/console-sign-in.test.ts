import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before } from "node:test";
import { type AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { makeSession } from "../harness/fixtures.ts";
import { refusedSoon } from "../harness/refused-soon.ts";
import { servicesOf } from "../harness/services-of-test.ts";
import { WebPage } from "../harness/web-page.ts";

const AGENTS = "/api/v1/cloud/agents";
const CURRENT = "/api/v1/cloud/tokens/current";
const TOKENS = "/api/v1/cloud/tokens";
const BY_TOKEN = "/console/auth/token";
const BY_LINK = "/console/auth/link";
const SIGN_OUT = "/console/auth/sign-out";
const NEW_AGENT = { name: "Helper", model: "rehearsal/steps" };

let berth: Berth;
let ada: Api;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_LOG_LEVEL: "debug" } });
  ada = await berth.client({ user: "ada@example.com" });
});
after(() => berth.stop());

/** Returns a browser that has signed in with a token. */
async function signedIn({ token }: Api = ada): Promise<WebPage> {
  const page = new WebPage(berth.url);
  const { status, body } = await page.post(BY_TOKEN, { token });
  assert.equal(status, 204, JSON.stringify(body));
  return page;
}

const codeOf = ({ url }: AnyJson): string => String(url).split("#code=")[1] ?? "";

async function newCode(api = ada): Promise<string> {
  return codeOf(await api.ok("POST", "/console_links"));
}

/** Asserts that a response is an error of the API with its request id, and sets no cookie. */
function assertRefused({ status, headers, body }: AnyJson, expected: number, said?: RegExp): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.equal(body.type, "error");
  assert.equal(body.request_id, headers.get("x-request-id"));
  assert.equal(headers.get("set-cookie"), null);
  if (said !== undefined) assert.match(body.error.message, said);
}

async function audit(): Promise<AnyJson[]> {
  const lines = await berth.command("admin", "audit", "--json", "--all");
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

covers(
  ["console-sign-in", "console-cookie"],
  "by token: a cookie for scripts of nobody, and a sign-in in the list of tokens; signed out, it is worth nothing",
  async () => {
    const narrow = await ada.ok("POST", "/tokens", {
      name: "narrow",
      scopes: ["agents:read", "tokens:read"],
    });
    const page = await signedIn(new Api(berth.url, narrow.token));
    const { port } = new URL(berth.url);
    assert.deepEqual(
      page.setCookies.map((cookie) => cookie.replace(/berth_console_\w{46}/, "SECRET")),
      [`berth_console_${port}=SECRET; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict`],
    );
    const { body: current } = await page.get(CURRENT);
    assert.deepEqual(
      [current.kind, current.signed_in_by, current.parent_id, current.scopes, current.user.email],
      ["console", "token", narrow.id, ["agents:read", "tokens:read"], "ada@example.com"],
    );
    const { body: listed } = await page.get(TOKENS);
    assert.equal(listed.data[0].id, current.id);
    assertRefused(await page.post(AGENTS, NEW_AGENT), 403, /does not have the scope 'agents:write'/);

    const kept = page.cookieHeader;
    const out = await page.post(SIGN_OUT);
    assert.equal(out.status, 204);
    assert.equal(page.cookies.size, 0);
    assertRefused(await refusedSoon(() => page.get(AGENTS, { cookie: kept })), 401, /has ended/);
    assert.equal((await page.post(SIGN_OUT)).status, 204, "again");
    const row = (await ada.ok("GET", "/tokens")).data.find(({ id }: AnyJson) => id === current.id);
    assert.notEqual(row.revoked_at, null);
  },
);

covers(
  ["console-link"],
  "by link: once, of two at the same time one, and not with a token that was revoked",
  async () => {
    const link = await ada.ok("POST", "/console_links");
    assert.deepEqual(Object.keys(link), ["type", "url", "expires_at"]);
    assert.ok(link.url.startsWith(`${berth.url}/console/sign-in#code=`), link.url);
    const pages = Array.from({ length: 6 }, () => new WebPage(berth.url));
    const replies = await Promise.all(pages.map((page) => page.post(BY_LINK, { code: codeOf(link) })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 400, 400, 400, 400, 400]);
    const page = pages.find(({ cookies }) => cookies.size > 0) ?? assert.fail();
    assert.equal((await page.get(CURRENT)).body.signed_in_by, "link");
    assertRefused(await new WebPage(berth.url).post(BY_LINK, { code: codeOf(link) }), 400, /already used/);
    for (const code of ["", "x", "a".repeat(43)])
      assertRefused(await new WebPage(berth.url).post(BY_LINK, { code }), 400);

    const leaked = await ada.ok("POST", "/tokens", { name: "leaked" });
    const code = await newCode(new Api(berth.url, leaked.token));
    await ada.ok("DELETE", `/tokens/${leaked.id}`);
    assertRefused(await new WebPage(berth.url).post(BY_LINK, { code }), 400, /no longer valid/);
    assertRefused(await page.post("/api/v1/cloud/console_links"), 403, /cannot create links/);
    const account = await berth.client({ user: "ada@example.com", kind: "sat" });
    assertRefused(await account.post("/console_links"), 401, /user's token/);
  },
);

covers(
  ["console-origin"],
  "requests that another page causes are refused, with the cookie and without: no, foreign and null origins, other sites",
  async () => {
    const page = await signedIn();
    const attacks: Record<string, string | null>[] = [
      { origin: null },
      { origin: null, "sec-fetch-site": null },
      { origin: "null" },
      { origin: "https://evil.example" },
      { origin: `${berth.url}.evil.example` },
      { origin: berth.url.replace("http:", "https:") },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
    ];
    const before = (await ada.ok("GET", "/agents")).data.length;
    for (const headers of attacks) {
      const other = new WebPage(berth.url);
      assertRefused(await page.post(AGENTS, NEW_AGENT, headers), 403, /another site/);
      assertRefused(await page.send(`${TOKENS}/tok_x`, { method: "DELETE", headers }), 403, /another site/);
      assertRefused(await other.post(BY_TOKEN, { token: ada.token }, headers), 403, /another site/);
      assertRefused(await other.post(BY_LINK, { code: await newCode() }, headers), 403, /another site/);
      assertRefused(await page.post(SIGN_OUT, undefined, headers), 403, /another site/);
    }
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ]) {
      assertRefused(await page.get(AGENTS, headers), 403, /another site/);
      assertRefused(
        await page.get("/api/v1/cloud/sessions/sess_x/events/stream", headers),
        403,
        /another site/,
      );
    }
    assert.equal((await ada.ok("GET", "/agents")).data.length, before);
    for (const headers of [{ "sec-fetch-site": null }, { "sec-fetch-site": "none" }])
      assert.equal((await page.get(AGENTS, headers)).status, 200, "no page causes it");
    assert.equal((await page.post(AGENTS, NEW_AGENT, { "sec-fetch-site": null })).status, 200);
    const cors = await page.send(AGENTS, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    assert.equal(cors.status, 404);
    assert.equal(cors.headers.get("access-control-allow-origin"), null);
  },
);

covers(
  ["console-origin"],
  "a host that nobody vouches for: no sign-in, no link, and no answer to the cookie",
  async () => {
    const page = await signedIn();
    const evil = { host: "evil.example", origin: "http://evil.example" };
    const message = /not served as 'evil\.example'/;
    assertRefused(await new WebPage(berth.url).post(BY_TOKEN, { token: ada.token }, evil), 403, message);
    assertRefused(await new WebPage(berth.url).post(BY_LINK, { code: await newCode() }, evil), 403, message);
    assertRefused(await page.get(AGENTS, { host: "evil.example" }), 403, message);
    assertRefused(await page.post(AGENTS, NEW_AGENT, evil), 403, message);
    const forwarded = { ...evil, "x-forwarded-host": "127.0.0.1" };
    assertRefused(await page.post(AGENTS, NEW_AGENT, forwarded), 403, message);
    const link = await page.post("/api/v1/cloud/console_links", undefined, {
      ...evil,
      cookie: null,
      authorization: `Bearer ${ada.token}`,
    });
    assertRefused(link, 403, message);
  },
);

covers(
  ["console-cookie"],
  "a cookie that somebody set before is not kept, and counts for nothing as a token, as a token counts for nothing as a cookie",
  async () => {
    const { port } = new URL(berth.url);
    const name = `berth_console_${port}`;
    const mallory = await signedIn(await berth.client({ user: "mallory@example.com" }));
    const planted = mallory.cookies.get(name) ?? "";
    const page = new WebPage(berth.url);
    page.cookies.set(name, planted);
    assert.equal((await page.post(BY_TOKEN, { token: ada.token })).status, 204);
    assert.notEqual(page.cookies.get(name), planted);
    assert.equal((await page.get(CURRENT)).body.user.email, "ada@example.com");
    assertRefused(await refusedSoon(() => mallory.get(AGENTS)), 401, /has ended/);

    const secret = page.cookies.get(name) ?? "";
    assertRefused(await new Api(berth.url, secret).get("/agents"), 401, /malformed/);
    const bare = new WebPage(berth.url);
    for (const value of [ada.token, secret.slice(0, -1), `${secret}; ${name}=${secret}`, ""])
      assertRefused(await bare.get(AGENTS, { cookie: `${name}=${value}` }), 401, /has ended/);
    for (const other of ["berth_console", `__Host-${name}`, `berth_console_${Number(port) + 1}`])
      assertRefused(await bare.get(AGENTS, { cookie: `${other}=${secret}` }), 401, /has ended/);
    assertRefused(await page.get(AGENTS, { authorization: "Bearer x" }), 401, /malformed/);
    const { status } = await page.get(`${CURRENT}`, {
      authorization: `Bearer ${ada.token}`,
      "sec-fetch-site": "cross-site",
    });
    assert.equal(status, 200, "a token needs no origin");
    for (const token of [secret, "", "x", (await berth.client({ kind: "sat" })).token])
      assertRefused(await new WebPage(berth.url).post(BY_TOKEN, { token }), 401);
  },
);

covers(
  ["console-sign-in"],
  "bodies: JSON alone, of 16 KiB at most, with nothing but what is asked for",
  async () => {
    const page = new WebPage(berth.url);
    for (const type of [
      "application/x-www-form-urlencoded",
      "text/plain",
      "multipart/form-data; boundary=x",
      "",
    ])
      assertRefused(
        await page.send(BY_TOKEN, {
          method: "POST",
          raw: JSON.stringify({ token: ada.token }),
          headers: { "content-type": type },
        }),
        400,
        /content type/,
      );
    assertRefused(await page.post(BY_TOKEN, { token: "x".repeat(20_000) }), 400, /larger than/);
    assertRefused(await page.post(BY_LINK, { code: "x".repeat(20_000) }), 400, /larger than/);
    assertRefused(await page.post(SIGN_OUT, { code: "x".repeat(20_000) }), 400, /larger than/);
    assertRefused(await page.post(BY_TOKEN, { token: ada.token, next: "/" }), 400, /Unknown field 'next'/);
    assertRefused(await page.post(BY_TOKEN, {}), 400, /'token' is required/);
    assertRefused(await page.post(BY_LINK, { code: ["x"] }), 400);
    assertRefused(await page.post(BY_TOKEN), 400, /requires a JSON body/);
    assertRefused(await page.get(BY_TOKEN), 404);
    assert.deepEqual((await page.get("/console/auth/methods")).body, { oidc: false });
    assertRefused(await page.get("/console/auth/oidc"), 404);
  },
);

covers(
  ["console-ends"],
  "revoked, or its token revoked, or its user disabled: it is refused at the next request, and its streams end",
  async () => {
    const bob = await berth.client({ user: "bob@example.com" });
    const session = await makeSession(bob);
    const page = await signedIn(bob);
    const stream = streamOf(page, session.id);
    await stream.opened;
    await page.post(SIGN_OUT);
    await stream.ended;

    const parent = await bob.ok("POST", "/tokens", { name: "parent" });
    const child = await signedIn(new Api(berth.url, parent.token));
    const followed = streamOf(child, session.id);
    await followed.opened;
    await bob.ok("DELETE", `/tokens/${parent.id}`);
    await followed.ended;
    assertRefused(await refusedSoon(() => child.get(AGENTS)), 401, /has ended/);

    const listed = await signedIn(bob);
    const { id } = (await listed.get(CURRENT)).body;
    await bob.ok("DELETE", `/tokens/${id}`);
    assertRefused(await refusedSoon(() => listed.get(AGENTS)), 401, /has ended/);

    const last = await signedIn(bob);
    const code = await newCode(bob);
    await berth.command("admin", "users", "disable", "bob@example.com");
    assertRefused(await refusedSoon(() => last.get(AGENTS)), 401, /is disabled/);
    assertRefused(await new WebPage(berth.url).post(BY_LINK, { code }), 400);
    assertRefused(await new WebPage(berth.url).post(BY_TOKEN, { token: bob.token }), 401, /is disabled/);
  },
);

/** Opens the stream of a session's events with the page's cookie. */
function streamOf(page: WebPage, session: string) {
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const headers = { cookie: page.cookieHeader, "sec-fetch-site": "same-origin" };
  const url = `${berth.url}/api/v1/cloud/sessions/${session}/events/stream`;
  request(url, { headers, agent: false }, (response) => {
    if (response.statusCode === 200) opened.resolve();
    else opened.reject(new Error(`status ${response.statusCode}`));
    response.resume().on("end", ended.resolve).on("error", ended.reject);
  })
    .on("error", opened.reject)
    .end();
  return { opened: opened.promise, ended: ended.promise };
}

covers(
  ["console-audit", "console-secrets"],
  "links, sign-ins and sign-outs have entries in the audit log; no code, token or cookie is in it or in the log",
  async () => {
    const before = (await audit()).length;
    const code = await newCode();
    const page = new WebPage(berth.url);
    await page.post(BY_LINK, { code });
    const { id: linked } = (await page.get(CURRENT)).body;
    const first = page.cookieHeader;
    await page.post(BY_TOKEN, { token: ada.token });
    const { id: typed } = (await page.get(CURRENT)).body;
    const second = page.cookieHeader;
    await page.post(SIGN_OUT);
    await new WebPage(berth.url).post(BY_LINK, { code });
    const entries = await audit();
    const added = entries.slice(0, entries.length - before);
    assert.deepEqual(
      added.map(({ operation, actor, resources, client }) => [operation, actor, resources.join(" "), client]),
      [
        ["console.signOut", "ada@example.com", typed, "127.0.0.1"],
        ["console.signInByToken", "ada@example.com", linked, "127.0.0.1"],
        ["console.signInByToken", "ada@example.com", typed, "127.0.0.1"],
        ["console.signInByLink", "ada@example.com", linked, "127.0.0.1"],
        ["consoleLinks.create", "ada@example.com", "", "127.0.0.1"],
      ],
    );
    await berth.logged(/"operation":"console\.signInByLink"/);
    const written = berth.log + JSON.stringify(entries);
    for (const secret of [
      code,
      ada.token ?? "",
      ...[first, second].map((pair) => pair.split("=")[1] ?? ""),
    ]) {
      assert.ok(secret.length > 40);
      assert.ok(!written.includes(secret));
    }
  },
);

covers(
  ["console-limits"],
  "with BERTH_ADDRESS_LIMITS, tries of tokens, links and cookies are counted as requests with unknown tokens are",
  async (t) => {
    const service = await servicesOf(t)({
      settings: { BERTH_ADDRESS_LIMITS: "requests_per_second=1,request_burst=5" },
    });
    const unknown = ada.token ?? "";
    const page = new WebPage(service.url);
    const { port } = new URL(service.url);
    const tries: [string, () => Promise<AnyJson>][] = [
      ["token", () => page.post(BY_TOKEN, { token: unknown })],
      ["link", () => page.post(BY_LINK, { code: "guessed" })],
      ["cookie", () => page.get(AGENTS, { cookie: `berth_console_${port}=${SIGN_IN_OF_NOBODY}` })],
    ];
    for (const [what, attempt] of tries) {
      const replies = await Promise.all(Array.from({ length: 20 }, attempt));
      const limited = replies.find(({ status }) => status === 429) ?? assert.fail(what);
      assertRefused(limited, 429, /client address's limit/);
      assert.ok(limited.headers.get("retry-after"));
    }
  },
);

/** A well-formed token of nobody, which ends with the CRC-32 of forty zeros. */
const SIGN_IN_OF_NOBODY = `berth_console_${"0".repeat(40)}2kaqcA`;

covers(
  ["console-cookie", "console-origin"],
  "behind a proxy with TLS the cookie is secure and for this host alone, and only the public URL is an own origin",
  async (t) => {
    const url = "https://berth.example.com";
    const service = await servicesOf(t)({
      settings: { BERTH_PUBLIC_URL: url, BERTH_TRUSTED_PROXIES: "127.0.0.1" },
    });
    const owner = await service.client();
    const { url: link } = await owner.ok("POST", "/console_links");
    assert.ok(link.startsWith(`${url}/console/sign-in#code=`), link);
    const page = new WebPage(service.url);
    const proxied = { host: "upstream", origin: url };
    assert.equal((await page.post(BY_TOKEN, { token: owner.token }, proxied)).status, 204);
    assert.match(
      page.setCookies.join(),
      /^__Host-berth_console=\w+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.equal((await page.post(AGENTS, NEW_AGENT, proxied)).status, 200);
    assertRefused(await page.post(AGENTS, NEW_AGENT), 403, /another site/);
    const renamed = page.cookieHeader.replace("__Host-", "");
    assertRefused(await page.get(AGENTS, { cookie: renamed }), 401, /has ended/);
  },
);

covers(
  ["console-cookie", "console-pages"],
  "over plain http beyond the machine nobody signs in, unless the operator allows it; turned off, there is no console",
  async (t) => {
    const lan = { host: "192.168.1.7:4180", origin: "http://192.168.1.7:4180", "sec-fetch-site": null };
    const { token } = ada;
    assertRefused(await new WebPage(berth.url).post(BY_TOKEN, { token }, lan), 403, /is not encrypted/);
    const refused = await new WebPage(berth.url).post(BY_LINK, { code: await newCode() }, lan);
    assertRefused(refused, 403, /is not encrypted/);

    const start = servicesOf(t);
    const open = await start({ settings: { BERTH_CONSOLE: "plain-http" } });
    const owner = await open.client();
    const page = new WebPage(open.url);
    assert.equal((await page.post(BY_TOKEN, { token: owner.token }, lan)).status, 204);
    assert.match(
      page.setCookies.join(),
      /^berth_console_4180=\w+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    assert.equal((await page.post(AGENTS, NEW_AGENT, lan)).status, 200);
    assert.equal((await page.get(AGENTS, { ...lan, origin: null })).status, 200);
    assertRefused(await page.post(AGENTS, NEW_AGENT, { ...lan, origin: null }), 403, /another site/);
    assertRefused(
      await page.post(AGENTS, NEW_AGENT, { ...lan, origin: "http://192.168.1.8" }),
      403,
      /another site/,
    );
    const { cookieHeader } = page;
    await open.kill("SIGTERM");

    const off = await start({ dataDir: open.dataDir, settings: { BERTH_CONSOLE: "off" } });
    const same = new WebPage(off.url);
    for (const path of ["/console/", "/console/auth/methods", BY_TOKEN])
      assert.equal((await same.get(path)).status, 404);
    assertRefused(await same.post(BY_TOKEN, { token: owner.token }), 404);
    assertRefused(await new Api(off.url, owner.token).post("/console_links"), 404, /turned off/);
    const ignored = await same.get(AGENTS, { ...lan, origin: null, cookie: cookieHeader });
    assertRefused(ignored, 401, /'Authorization: Bearer <token>' is missing/);
  },
);

covers(
  ["console-pages"],
  "the console's own policy: nothing of another origin, and in no frame",
  async () => {
    const page = new WebPage(berth.url);
    for (const path of ["/console/", "/console/sign-in", "/console/auth/methods"]) {
      const { headers } = await page.get(path);
      const policy = headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
    }
    assert.equal((await page.get("/console")).headers.get("location"), "/console/");
    assertRefused(await page.get("/console/missing.js"), 404);
  },
);
