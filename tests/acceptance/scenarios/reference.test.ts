import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { AnyJson } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { Browser } from "../harness/browser.ts";
import { covers } from "../harness/covers.ts";

const PAGES = ["/", "/docs", "/docs/guides", "/docs/guides/files", "/openapi.json", "/docs/openapi.json"];

const EXAMPLES = ["curl", "berth", "@berth/sdk"];

let berth: Berth;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_LOG_LEVEL: "error" } });
});
after(() => berth.stop());

covers(["reference-page", "reference-try-it"], "a browser shows all operations and calls one", async (t) => {
  const api = await berth.client({ role: "admin" });
  const browser = await Browser.start();
  t.after(() => browser.stop());
  const ids = await operationIds();
  const tags = [...new Set(ids.map((id) => id.split(".")[0] ?? ""))];

  await browser.open(`${berth.url}/docs#agents.create`);
  await browser.until(
    `${operation("agents.create")} && document.querySelector('input[placeholder="Token"]')`,
  );
  await browser.value(`document.querySelector('input[placeholder="Token"]').focus()`);
  await browser.send("Input.insertText", { text: api.token });
  await browser.value(
    `[...${operation("agents.create")}.querySelectorAll("button")].find((one) => /Test Request/.test(one.textContent)).click()`,
  );
  const send = `[...document.querySelectorAll("[role=dialog] button")].find((one) => /^Send/.test(one.textContent.trim()))`;
  await browser.until(send);
  await browser.value(`${send}.click()`);
  await browser.until(`/200 OK/.test(document.querySelector("[role=dialog]")?.textContent)`);
  assert.equal((await api.ok("GET", "/agents")).data[0].name, "Helper");

  await browser.open("about:blank");
  await browser.open(`${berth.url}/docs`);
  for (const tag of tags.map((tag) => tag.toLowerCase())) {
    const group = `document.querySelector('a[href="#tag/${tag}"]')`;
    await browser.until(group);
    await browser.value(`${group}.click()`);
    for (const id of ids.filter((id) => id.toLowerCase().startsWith(`${tag}.`)))
      await browser.until(operation(id));
    // An open group slows down the page for all that follow.
    await browser.value(`${group}.click()`);
  }
  assert.deepEqual(browser.complaints, []);
  const asked = browser.requests.filter(({ url }) => !url.startsWith("data:") && url !== "about:blank");
  assert.ok(asked.length > 0);
  assert.deepEqual(
    asked.filter(({ url }) => new URL(url).origin !== berth.url),
    [],
  );
});

covers(
  ["reference-examples"],
  "an operation has examples for curl, the CLI and the SDK, and is found by a search",
  async (t) => {
    const browser = await Browser.start();
    t.after(() => browser.stop());
    await browser.open(`${berth.url}/docs#agents.create`);
    const [chosen, offered] = [
      buttonOf(operation("agents.create"), "curl"),
      "[...document.querySelectorAll('[role=option]')]",
    ];
    await browser.until(`${operation("agents.create")} && ${chosen}`);
    await browser.value(`${chosen}.click()`);
    await browser.until(`${offered}.length === 3`);
    assert.deepEqual(await browser.value(`${offered}.map((one) => one.textContent.trim())`), EXAMPLES);
    await browser.value(`${offered}[1].click()`);
    await browser.until(`/berth agents create/.test(${operation("agents.create")}.textContent)`);

    await browser.value(
      `[...document.querySelectorAll("button")].find((one) => /search/.test(one.className)).click()`,
    );
    const search = `document.querySelector("[role=dialog] input[type=search]")`;
    await browser.until(search);
    await browser.value(`${search}.focus()`);
    await browser.send("Input.insertText", { text: "rotate its secret" });
    await browser.until(`/Update a credential/.test(document.querySelector("[role=dialog]").textContent)`);
    assert.deepEqual(browser.complaints, []);
  },
);

covers(["reference-page"], "the policy allows the service's own scripts only", async () => {
  const policy = (await fetch(`${berth.url}/docs`)).headers.get("content-security-policy") ?? "";
  const rules = new Map(policy.split("; ").map((rule) => [rule.split(" ")[0], rule]));
  assert.equal(rules.get("default-src"), "default-src 'none'");
  assert.equal(rules.get("script-src"), "script-src 'self'");
  assert.equal(rules.get("connect-src"), "connect-src 'self'");
  assert.doesNotMatch(policy, /unsafe-eval|https?:|\*/);
});

covers(["reference-cached"], "parts of the reference are compressed and kept", async () => {
  const page = await (await fetch(`${berth.url}/docs`)).text();
  const scripts = [...page.matchAll(/ src="([^"]+)"/g)].map(([, path]) => `${berth.url}${path}`);
  assert.equal(scripts.length, 2);
  for (const address of scripts) {
    const plain = await fetch(address, { headers: { "accept-encoding": "identity" } });
    const text = await plain.text();
    for (const encoding of ["br", "gzip"]) {
      const packed = await fetch(address, { headers: { "accept-encoding": encoding } });
      assert.equal(packed.headers.get("content-encoding"), encoding);
      assert.equal(packed.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(await packed.text(), text);
    }
    const known = { "if-none-match": plain.headers.get("etag") ?? "" };
    assert.equal((await fetch(address, { headers: known })).status, 304);
  }
});

covers(["guides-served"], "each guide is a page, and links lead to guides and headings", async () => {
  const list = await (await fetch(`${berth.url}/docs/guides`)).text();
  const guides = linksOf(list).filter((link) => link.startsWith("/docs/guides/"));
  assert.ok(guides.includes("/docs/guides/files"));
  for (const guide of guides) {
    const response = await fetch(`${berth.url}${guide}`);
    const page = await response.text();
    assert.equal(response.status, 200, guide);
    assert.match(response.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    assert.doesNotMatch(response.headers.get("content-security-policy") ?? "", /script-src|unsafe/);
    assert.doesNotMatch(page, /<script/i);
    for (const link of linksOf(page).filter((link) => /^[/#]/.test(link))) {
      const [path = "", fragment] = link.split("#");
      const target = path === "" ? page : await bodyOf(path);
      if (fragment !== undefined) assert.ok(target.includes(` id="${fragment}"`), `${guide}: ${link}`);
    }
  }
});

covers(["front-page"], "/ is JSON, or a page for browsers, and HEAD is GET without a body", async () => {
  const places: AnyJson = await (await fetch(`${berth.url}/`)).json();
  for (const path of [places.docs, places.guides, places.openapi, places.live, places.ready])
    await bodyOf(path);
  const page = await fetch(`${berth.url}/`, { headers: { accept: "text/html,*/*;q=0.8" } });
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  const links = linksOf(await page.text());
  // A clone may lack the built console.
  assert.ok(links.includes(places.console));
  for (const link of links.filter((link) => link !== places.console)) await bodyOf(link);
  for (const path of PAGES) {
    const got = await fetch(`${berth.url}${path}`);
    const head = await fetch(`${berth.url}${path}`, { method: "HEAD" });
    assert.equal(head.status, 200, path);
    assert.equal(head.headers.get("content-type"), got.headers.get("content-type"));
    assert.equal(await head.text(), "");
  }
});

/** Returns an expression for the button with this text in an element of the page. */
function buttonOf(element: string, text: string): string {
  return `[...${element}.querySelectorAll("button")].find((one) => one.textContent.trim() === "${text}")`;
}

/** Returns an expression for the page's element of an operation. */
function operation(id: string): string {
  return `document.getElementById("api-1/tag/${id.split(".")[0]?.toLowerCase()}/${id}")`;
}

async function operationIds(): Promise<string[]> {
  const document: AnyJson = await (await fetch(`${berth.url}/openapi.json`)).json();
  return Object.values<AnyJson>(document.paths).flatMap((methods) =>
    Object.values<AnyJson>(methods).map(({ operationId }) => operationId),
  );
}

async function bodyOf(path: string): Promise<string> {
  const response = await fetch(`${berth.url}${path}`);
  assert.equal(response.status, 200, path);
  return await response.text();
}

function linksOf(page: string): string[] {
  return [...page.matchAll(/ href="([^"]+)"/g)]
    .flatMap(([, link]) => link ?? [])
    .filter((link) => !link.startsWith("data:"));
}
