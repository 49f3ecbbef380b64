import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openApiDocument } from "@berth/contract";
import { testApp } from "../../../test-support/http.ts";
import { docsPage } from "./docs-page.ts";
import { html, prose } from "./html.ts";

describe("the reference", () => {
  const page = docsPage({ ...openApiDocument() });

  test("every link of the page leads to a place that is there once", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    assert.ok(links.length > 100);
    for (const link of links) assert.ok(ids.includes(link), `#${link}`);
  });

  test("text is escaped, and words between backticks are code", () => {
    assert.equal(html`<p>${"<script>&\"'"}</p>`.text, "<p>&lt;script&gt;&amp;&quot;&#39;</p>");
    assert.equal(prose("a `b<c` d").text, "a <code>b&lt;c</code> d");
    assert.ok(!/<script/i.test(page));
  });

  test("is served to whoever asks, and lets nothing run", async (t) => {
    const { app } = await testApp(t);
    const answer = await app.fastify.inject({ method: "GET", url: "/docs" });
    assert.equal(answer.statusCode, 200);
    assert.match(String(answer.headers["content-type"]), /^text\/html/);
    assert.match(String(answer.headers["content-security-policy"]), /default-src 'none'/);
    assert.match(answer.body, /Create a session/);
    const style = await app.fastify.inject({ method: "GET", url: "/docs/style.css" });
    assert.match(String(style.headers["content-type"]), /^text\/css/);
  });
});
