import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { makeSession } from "../acceptance/harness/fixtures.ts";
import { IdentityProvider } from "../identity-provider/identity-provider.ts";
import { visit } from "./harness/browser.ts";
import { Console, signIn } from "./harness/console.ts";
import { startOtherSite } from "./harness/other-site.ts";

const directory = mkdtempSync(join(tmpdir(), "berth-console-"));
after(() => rmSync(directory, { recursive: true }));
writeFileSync(join(directory, "secret"), "a secret of the client\n", { mode: 0o600 });
const provider = await IdentityProvider.create();
after(() => provider.stop());
const other = await startOtherSite();
const console = await Console.start({
  settings: {
    BERTH_OIDC_ISSUER: provider.issuer,
    BERTH_OIDC_CLIENT_ID: "berth",
    BERTH_OIDC_CLIENT_SECRET_FILE: join(directory, "secret"),
    BERTH_OIDC_SCOPES: "openid,email,groups",
    BERTH_OIDC_CLAIM: "groups",
    BERTH_OIDC_MAPPING: JSON.stringify([{ value: "engineers", organization: "acme" }]),
  },
});
const { api, origin } = console;

before(async () => {
  const verified = { email_verified: true, groups: ["engineers"] };
  provider.accounts.set("ada", { email: "ada@example.com", ...verified });
  provider.accounts.set("guest", { email: "guest@example.com", ...verified, groups: [] });
  const redirectUris = [`${origin}/console/auth/oidc/callback`];
  await provider.start({ id: "berth", secret: "a secret of the client", redirectUris });
});

/** Returns the name of the user who is signed in in this browser; null if nobody is. */
async function userIn(context: BrowserContext): Promise<string | null> {
  const response = await context.request.get(`${origin}/api/v1/cloud/whoami`);
  return response.status() === 200 ? ((await response.json()) as AnyJson).principal.name : null;
}

const heading = (page: Page) => page.getByRole("heading", { name: "Sign in to Berth" });
const newLink = async (client = api): Promise<string> => (await client.ok("POST", "/console_links")).url;

covers(
  ["console-sign-in", "console-cookie"],
  "by token: a wrong one is told, the page that was asked for comes, no script can read the cookie, and after signing out nothing stays",
  async () => {
    const session = await makeSession(api, { title: "A private matter" });
    const visited = await visit(console.browser, origin);
    const { page, context } = visited;
    await page.goto(`${origin}/console/sessions/${session.id}`);
    await page.getByLabel("Token", { exact: true }).fill("berth_pat_wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").getByText("The token is malformed.").waitFor();
    await page.getByRole("alert").getByText("request_id").waitFor();
    await signIn(visited, api.token ?? "");
    await page.getByRole("heading", { name: "A private matter" }).waitFor();

    const [cookie, ...more] = await context.cookies();
    assert.deepEqual(more, []);
    assert.ok(cookie !== undefined && cookie.name === `berth_console_${new URL(origin).port}`);
    assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Strict", "/"]);
    const stored = await page.evaluate<string>(
      "JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href, window.name])",
    );
    for (const secret of [cookie.value, api.token ?? ""]) assert.ok(!stored.includes(secret));

    await page.getByRole("textbox", { name: "Message to the agent" }).fill("a secret thought");
    await page.getByRole("button", { name: /owner@example.com/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(page).waitFor();
    assert.equal(await userIn(context), null);
    await page.getByText("A private matter").waitFor({ state: "detached" });
    await page.goto(`${origin}/console/sessions/${session.id}`);
    await heading(page).waitFor();
    const left = await page.evaluate<string>(
      "document.body.textContent + JSON.stringify({ ...sessionStorage })",
    );
    assert.doesNotMatch(left, /A private matter|a secret thought/);
    assert.deepEqual(visited.faults, []);
  },
);

covers(
  ["console-sign-in", "console-faults"],
  "a refusal that comes after the next sign-in ends nothing: the page is read again for who is signed in now",
  async () => {
    const session = await makeSession(api, { title: "Read twice" });
    const visited = await visit(console.browser, origin);
    const { page } = visited;
    const refused = Promise.withResolvers<void>();
    const signedIn = Promise.withResolvers<void>();
    await page.route(`**/sessions/${session.id}`, async (route) => {
      if (!route.request().url().includes("/api/")) return route.continue();
      const response = await route.fetch();
      if (response.status() === 401) {
        refused.resolve();
        await signedIn.promise;
      }
      await route.fulfill({ response });
    });
    await page.goto(`${origin}/console/sessions/${session.id}`);
    await refused.promise;
    await signIn(visited, api.token ?? "");
    signedIn.resolve();
    await page.getByRole("heading", { name: "Read twice" }).waitFor();
    assert.equal(await heading(page).count(), 0);
    assert.deepEqual(visited.faults, []);
  },
);

covers(
  ["console-link"],
  "by link: the code leaves the address at once, and a link that somebody opens again signs nobody in",
  async () => {
    const link = await newLink();
    const first = await visit(console.browser, origin);
    await first.page.goto(link);
    await first.page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    assert.equal(await userIn(first.context), "owner@example.com");
    assert.ok(!first.page.url().includes("code"));

    const replayed = await visit(console.browser, origin);
    await replayed.page.goto(link);
    await replayed.page
      .getByRole("alert")
      .getByText(/already used/)
      .waitFor();
    assert.equal(await userIn(replayed.context), null);
    await replayed.page.goto(`${origin}/console/sign-in#code=${"a".repeat(43)}`);
    await replayed.page.getByRole("alert").waitFor();
    assert.equal(await userIn(replayed.context), null);
    assert.deepEqual(first.faults, []);
    assert.deepEqual(replayed.faults, []);
  },
);

covers(
  ["console-oidc", "console-oidc-users"],
  "by the organization's provider: back at the page that was asked for; who is in no group, or is refused there, reads why",
  async () => {
    provider.signedIn = "ada";
    const ada = await visit(console.browser, origin);
    await ada.page.goto(`${origin}/console/new`);
    await ada.page.getByRole("link", { name: "Continue with your organization" }).click();
    await ada.page.getByRole("heading", { name: "New session" }).waitFor();
    assert.equal(new URL(ada.page.url()).pathname, "/console/new");
    assert.equal(await userIn(ada.context), "ada@example.com");

    for (const [account, said] of [
      ["guest", /Your claim 'groups' has no value/],
      [null, /access_denied/],
    ] as const) {
      provider.signedIn = account;
      const stranger = await visit(console.browser, origin);
      await stranger.page.goto(`${origin}/console/`);
      await stranger.page.getByRole("link", { name: "Continue with your organization" }).click();
      await stranger.page.getByText(said).waitFor();
      await stranger.page.getByRole("link", { name: "Back to the console" }).click();
      await heading(stranger.page).waitFor();
      assert.equal(await userIn(stranger.context), null);
    }
  },
);

covers(
  ["console-oidc-answers"],
  "a provider's answer that was stolen, with its state, signs nobody in elsewhere; where it belongs it counts once",
  async () => {
    provider.signedIn = "ada";
    const { page, context } = await visit(console.browser, origin);
    let answer = `${origin}/console/auth/oidc`;
    while (!answer.includes("/callback?")) {
      const redirect = await context.request.get(answer, { maxRedirects: 0 });
      answer = new URL(redirect.headers().location ?? "", answer).href;
    }
    assert.match(answer, /code=.+state=/);
    const thief = await visit(console.browser, origin);
    for (const theirs of [answer, answer.replace(/state=[^&]+/, "state=guessed")]) {
      await thief.page.goto(theirs);
      await thief.page.getByRole("heading", { name: "You are not signed in" }).waitFor();
      assert.equal(await userIn(thief.context), null);
    }
    await page.goto(answer);
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    assert.equal(await userIn(context), "ada@example.com");
    await page.goto(answer);
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
  },
);

covers(["console-return-to"], "however return_to is written, the browser stays in the console", async () => {
  provider.signedIn = "ada";
  for (const to of [
    `${other.crossSite}/`,
    `//${new URL(other.crossSite).host}/`,
    `/\\${new URL(other.crossSite).host}/`,
    `/console/../..//${new URL(other.crossSite).host}/`,
    `/console/%0d%0aLocation:${other.crossSite}`,
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "/docs",
  ]) {
    const visited = await visit(console.browser, origin);
    await visited.page.goto(`${origin}/console/auth/oidc?return_to=${encodeURIComponent(to)}`);
    const { origin: where, pathname } = new URL(visited.page.url());
    assert.equal(where, origin, to);
    assert.ok(pathname.startsWith("/console/"), `${to} led to ${pathname}`);
    assert.deepEqual(
      visited.faults.filter((fault) => !fault.startsWith(`request to ${provider.issuer}/`)),
      [],
    );
    await visited.context.close();
  }
});

covers(
  ["console-cookie"],
  "fixation: a cookie that somebody planted ends when the browser's owner signs in, and never becomes theirs",
  async () => {
    const mallory = await console.signedIn("/", {
      token: (await console.berth.client({ user: "mallory@example.com" })).token,
    });
    const planted = await mallory.context.cookies();
    const victim = await visit(console.browser, origin);
    await victim.context.addCookies(planted);
    await victim.page.goto(await newLink());
    await victim.page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    assert.equal(await userIn(victim.context), "owner@example.com");
    assert.equal(await userIn(mallory.context), null);
    assert.notEqual((await victim.context.cookies())[0]?.value, planted[0]?.value);
  },
);

covers(
  ["console-ends", "console-drafts"],
  "revoked while it is open: the page asks for a sign-in, and afterwards goes on with all that was typed",
  async () => {
    const session = await makeSession(api, { title: "Cut short" });
    const visited = await console.signedIn(`/sessions/${session.id}`);
    const { page } = visited;
    const message = page.getByRole("textbox", { name: "Message to the agent" });
    await message.fill("half a sentence");
    const current = (await (
      await visited.context.request.get(`${origin}/api/v1/cloud/tokens/current`)
    ).json()) as AnyJson;
    await api.ok("DELETE", `/tokens/${current.id}`);
    await heading(page).waitFor();
    await signIn(visited, api.token ?? "");
    assert.equal(await message.inputValue(), "half a sentence");
    await message.fill("Say hello");
    await message.press("Enter");
    await page
      .getByText(/This is the rehearsal model/)
      .first()
      .waitFor();
    assert.deepEqual(visited.faults, []);
  },
);

/**
 * Returns a page's attempts to use the cookie of whoever opens it. Each ends by itself, successful or not.
 */
const FORGED = (token: string) => `<script>
  const tries = [];
  const send = (path, init = {}) => tries.push(fetch("${origin}" + path, { credentials: "include", mode: "no-cors", ...init })
    .then((response) => response.text()).catch(() => ""));
  const JSON_BODY = { method: "POST", body: JSON.stringify({ name: "forged", model: "rehearsal/steps" }) };
  send("/api/v1/cloud/agents");
  send("/api/v1/cloud/agents", { mode: "cors" });
  send("/api/v1/cloud/agents", JSON_BODY);
  send("/api/v1/cloud/agents", { ...JSON_BODY, mode: "cors", headers: { "content-type": "application/json" } });
  send("/console/auth/sign-out", { method: "POST", body: "{}" });
  send("/console/auth/token", { method: "POST", body: JSON.stringify({ token: "${token}" }) });
  const script = (path) => tries.push(new Promise((done) => {
    const element = document.createElement("script");
    element.src = "${origin}" + path;
    element.onload = () => done("ran " + path);
    element.onerror = () => done("");
    document.head.append(element);
  }));
  script("/api/v1/cloud/agents");
  script("/api/v1/cloud/tokens");
  const stream = new EventSource("${origin}/api/v1/cloud/sessions/SESSION/events/stream", { withCredentials: true });
  tries.push(new Promise((done) => { stream.onerror = () => done(""); stream.onmessage = ({ data }) => done(data); }));
  Promise.all(tries).then((read) => { document.title = "tried:" + read.join(""); });
</script>`;

const FORM = (
  path: string,
  body: string,
) => `<form method="post" enctype="text/plain" action="${origin}${path}">
  <input name='${body.slice(0, -2)}, "x": "' value='"}'></form><script>document.forms[0].submit()</script>`;

covers(
  ["console-origin", "console-cookie"],
  "pages of another site, and of another port of this one, read nothing, change nothing, and sign nobody in or out",
  async () => {
    const session = await makeSession(api);
    const mallory = (await console.berth.client({ user: "mallory@example.com" })).token ?? "";
    const agents = (await api.ok("GET", "/agents")).data.length;
    const { page, context } = await console.signedIn();
    for (const site of [other.crossSite, other.sameSite]) {
      other.serve(FORGED(mallory).replace("SESSION", session.id));
      await page.goto(site);
      await page.waitForFunction('document.title.startsWith("tried:")');
      assert.equal(await page.title(), "tried:", "nothing was read");
      for (const [path, body] of [
        ["/console/auth/token", JSON.stringify({ token: mallory })],
        ["/console/auth/sign-out", "{}"],
        ["/api/v1/cloud/agents", JSON.stringify({ name: "forged", model: "rehearsal/steps" })],
      ] as const) {
        other.serve(FORM(path, body));
        const answered = page.waitForResponse((response) => response.url() === `${origin}${path}`);
        await page.goto(site, { waitUntil: "commit" });
        assert.ok([401, 403].includes((await answered).status()), path);
        await page.waitForURL(`${origin}${path}`);
      }
      assert.equal(await userIn(context), "owner@example.com");
    }
    assert.equal((await api.ok("GET", "/agents")).data.length, agents);
  },
);

covers(
  ["console-pages", "console-return-to"],
  "another page can neither frame the console, nor reach into its window, nor start a sign-in",
  async () => {
    const { page, context } = await console.signedIn();
    for (const site of [other.crossSite, other.sameSite]) {
      other.serve(`<iframe src="${origin}/console/"></iframe>`);
      const refused = page.waitForEvent("console", (message) => /frame-ancestors/.test(message.text()));
      await page.goto(site);
      await refused;

      other.serve(`<a href="${origin}/console/" target="_blank" rel="opener">open</a>
        <button onclick="window.opened = window.open('${origin}/console/', 'held')">hold</button>`);
      await page.goto(site);
      const [linked] = await Promise.all([context.waitForEvent("page"), page.getByText("open").click()]);
      await linked.waitForLoadState();
      assert.equal(await linked.evaluate("window.opener"), null);
      const [held] = await Promise.all([context.waitForEvent("page"), page.getByText("hold").click()]);
      await held.waitForLoadState();
      await page.waitForFunction("window.opened.closed");
      await Promise.all([linked.close(), held.close()]);

      other.serve(`<script>location.href = "${origin}/console/auth/oidc"</script>`);
      await page.goto(site, { waitUntil: "commit" });
      await page.getByText(/another site/).waitFor();
    }
    assert.equal(await userIn(context), "owner@example.com");
  },
);

covers(
  ["console-origin"],
  "a name that somebody lets lead to this machine is not the console's: no page there signs anybody in",
  async () => {
    const browser = await console.browser.newContext();
    await browser.route("http://rebound.example/**", async (route) => {
      const request = route.request();
      const url = request.url().replace("http://rebound.example", origin);
      const headers = { ...(await request.allHeaders()), host: "rebound.example" };
      const response = await fetch(url, { method: request.method(), headers, body: request.postData() });
      await route.fulfill({
        status: response.status,
        body: await response.text(),
        contentType: response.headers.get("content-type") ?? "",
      });
    });
    const page = await browser.newPage();
    await page.goto("http://rebound.example/console/auth/methods");
    const status = await page.evaluate(async (token) => {
      const body = JSON.stringify({ token });
      const headers = { "content-type": "application/json" };
      return (await fetch("/console/auth/token", { method: "POST", body, headers })).status;
    }, api.token);
    assert.equal(status, 403);
    assert.deepEqual(await browser.cookies(), []);
  },
);

covers(["console-ends"], "a user who is disabled is out: the open page asks for a sign-in", async () => {
  const bob = await console.berth.client({ user: "bob@example.com" });
  const { page, context } = await console.signedIn("/sessions", { token: bob.token });
  await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
  await console.berth.command("admin", "users", "disable", "bob@example.com");
  await heading(page).waitFor();
  await page.getByLabel("Token", { exact: true }).fill(bob.token ?? "");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page
    .getByRole("dialog")
    .getByText(/is disabled/)
    .waitFor();
  assert.equal(await userIn(context), null);
  assert.equal((await new Api(origin, bob.token).get("/agents")).status, 401);
});
