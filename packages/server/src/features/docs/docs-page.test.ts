import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openApiDocument } from "@berth/contract";
import { testApp } from "../../../test-support/http.ts";
import { docsPage } from "./docs-page.ts";
import { html, prose } from "./html.ts";

describe("API reference", () => {
  const page = docsPage({ ...openApiDocument() });

  test("page: every link has exactly one target", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    assert.ok(links.length > 100);
    for (const link of links) assert.ok(ids.includes(link), `#${link}`);
  });

  test("html: text is escaped; words between backticks → code", () => {
    assert.equal(html`<p>${"<script>&\"'"}</p>`.text, "<p>&lt;script&gt;&amp;&quot;&#39;</p>");
    assert.equal(prose("a `b<c` d").text, "a <code>b&lt;c</code> d");
    assert.ok(!/<script/i.test(page));
  });

  test("GET /docs: no token → the page, with a policy that blocks scripts", async (t) => {
    const { app } = await testApp(t);
    const response = await app.fastify.inject({ method: "GET", url: "/docs" });
    assert.equal(response.statusCode, 200);
    assert.match(String(response.headers["content-type"]), /^text\/html/);
    assert.match(String(response.headers["content-security-policy"]), /default-src 'none'/);
    assert.match(response.body, /Create a session/);
    const style = await app.fastify.inject({ method: "GET", url: "/docs/style.css" });
    assert.match(String(style.headers["content-type"]), /^text\/css/);
  });
});
