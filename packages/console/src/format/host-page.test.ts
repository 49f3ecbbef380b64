import assert from "node:assert/strict";
import { test } from "node:test";
import { hostPage } from "./host-page.ts";

test("hosts known by name have pages of repositories and branches, in each host's form", () => {
  assert.equal(hostPage("https://github.com/acme/a.git", null, []), "https://github.com/acme/a");
  for (const [url, page] of [
    ["https://github.com/acme/a", "https://github.com/acme/a/tree/agent/%23%201"],
    ["https://gitlab.com/g/sub/a.git/", "https://gitlab.com/g/sub/a/-/tree/agent/%23%201"],
    ["https://codeberg.org/acme/a", "https://codeberg.org/acme/a/src/branch/agent/%23%201"],
    ["https://bitbucket.org/acme/a.git", "https://bitbucket.org/acme/a/branch/agent/%23%201"],
  ] as const)
    assert.equal(hostPage(url, "agent/# 1", []), page);
});

test("other hosts are known by a connection to them; without one, and without https, there is no page", () => {
  const url = "https://git.example:8443/acme/a.git";
  const page = (auth: Parameters<typeof hostPage>[2][number]["auth"], at = "https://git.example:8443") =>
    hostPage(url, "b", [{ url: at, auth }]);
  assert.equal(page({ type: "github_app" }), "https://git.example:8443/acme/a/tree/b");
  assert.equal(page({ type: "token", api: "gitea" }), "https://git.example:8443/acme/a/src/branch/b");
  assert.equal(page({ type: "token", api: null }), null);
  assert.equal(page({ type: "gitlab" }, "https://git.example"), null);
  assert.equal(hostPage(url, "b", []), null);
  assert.equal(hostPage("http://github.com/acme/a", "b", []), null);
  assert.equal(hostPage("https://github.com.evil.example/acme/a", "b", []), null);
  assert.equal(hostPage("not an address", "b", []), null);
});
