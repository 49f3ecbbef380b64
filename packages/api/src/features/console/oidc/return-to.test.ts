import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { returnTo } from "./return-to.ts";

const SERVICE = "https://berth.example.com";

test("return_to: a page of the console, as a browser reads it", () => {
  assert.equal(returnTo(), "/console/");
  assert.equal(returnTo("/console"), "/console/");
  assert.equal(returnTo("/console/sessions/sess_1?tab=diff#L3"), "/console/sessions/sess_1?tab=diff#L3");
  assert.equal(returnTo("/console/a/../b"), "/console/b");
  assert.equal(returnTo("/console/authors"), "/console/authors");
});

test("return_to: nothing that leads elsewhere", () => {
  for (const text of [
    "",
    "/",
    "//evil.example",
    "//evil.example/console/",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example/console/",
    "https:evil.example",
    "javascript:alert(1)",
    "/console/../..//evil.example",
    "/console/..//evil.example",
    "/console//evil.example",
    "/console/%2e%2e/api/v1/cloud/agents",
    "/console/.%2E/%2e./docs",
    "/console/\\..\\..\\evil.example",
    "/console/\t//evil.example",
    "/console/\r\nset-cookie: a=b",
    "/console@evil.example",
    "/console.evil.example",
    "/consolex/",
    "console/",
    " /console/",
    "/console/auth/oidc",
    "/console/auth",
    "/console/x/../auth/sign-out",
    `/console/${"a".repeat(2_048)}`,
  ])
    assert.throws(() => returnTo(text), { param: "return_to" }, JSON.stringify(text));
});

test("return_to: whatever the text, a browser stays below /console/", () => {
  const part = fc.constantFrom(
    "/console",
    "/",
    "\\",
    "..",
    ".",
    "%2e",
    "%2f",
    "%5c",
    "evil.example",
    "@",
    ":",
    "?",
    "#",
    "a",
    "\t",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 8 }).map((parts) => `/console/${parts.join("")}`),
  );
  fc.assert(
    fc.property(text, (given) => {
      let page: string;
      try {
        page = returnTo(given);
      } catch {
        return;
      }
      const { origin, pathname } = new URL(page, `${SERVICE}/console/auth/oidc/callback`);
      assert.equal(origin, SERVICE);
      assert.ok(pathname.startsWith("/console/") && !pathname.startsWith("/console/auth/"), page);
    }),
    { numRuns: 2_000 },
  );
});
