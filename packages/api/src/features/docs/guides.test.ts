import assert from "node:assert/strict";
import { test } from "node:test";
import { guideHtml } from "./guides.ts";

test("guide: HTML in the text is shown, not interpreted", () => {
  const { text } = guideHtml('<script>alert(1)</script>\n\nA <b onclick="x()">word</b> and `a < b`.');
  assert.doesNotMatch(text, /<script|<b /);
  assert.match(text, /&lt;script&gt;/);
  assert.match(text, /<code>a &lt; b<\/code>/);
});

test("guide: links to guides lead to their pages, others are kept only with a known scheme", () => {
  const { text } = guideHtml(
    "[a](files.md#parts) [b](../../SECURITY.md) [c](javascript:alert) [d](https://example.com/?a=1&b=2)",
  );
  assert.equal(
    text,
    '<p><a href="/docs/guides/files#parts">a</a> b c <a href="https://example.com/?a=1&amp;b=2">d</a></p>\n',
  );
});

test("guide: headings have ids as on GitHub, each once", () => {
  const { text } = guideHtml("## Limits, and `more`\n\n## Limits\n\n## Limits\n");
  assert.deepEqual(
    [...text.matchAll(/id="([^"]+)"/g)].map(([, id]) => id),
    ["limits-and-more", "limits", "limits-1"],
  );
});
