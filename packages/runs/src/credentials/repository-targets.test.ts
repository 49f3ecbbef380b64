import assert from "node:assert/strict";
import { test } from "node:test";
import { providerOf, repositoryTargets } from "./repository-targets.ts";

const PROVIDERS = [
  { host: "github.com", api: "https://api.github.com" },
  { host: "forge.example:8443", api: "https://forge.example:8443/rest/v2/" },
  { host: "git.example" },
];

const targets = (type: "hosted_repository" | "git_repository", url: string) =>
  repositoryTargets({ type, url }, PROVIDERS);

test("hosted repository → its secret may be sent to its provider's host and API, over TLS only", () => {
  assert.deepEqual(targets("hosted_repository", "https://github.com/acme/widget"), [
    { host: "github.com" },
    { host: "api.github.com" },
  ]);
  assert.deepEqual(targets("hosted_repository", "https://forge.example:8443/a/b"), [
    { host: "forge.example:8443" },
    { host: "forge.example:8443", path: "/rest/v2" },
  ]);
  assert.deepEqual(targets("hosted_repository", "https://git.example/a/b"), [{ host: "git.example" }]);
});

test("git repository → its secret may be sent to the repository alone, over plain HTTP only for an http url", () => {
  for (const url of [
    "http://git.example/a/b/c",
    "http://git.example/a/b/c.git",
    "http://git.example/a/b/c/",
  ]) {
    assert.deepEqual(targets("git_repository", url), [
      { host: "git.example", path: "/a/b/c", plaintext: true },
    ]);
  }
});

test("hosted repository at a host that only begins or ends like a provider's → its secret is for the repository alone", () => {
  for (const host of [
    "github.com.evil.test",
    "github.community",
    "evilgithub.com",
    "www.github.com",
    "github.com:8443",
    "forge.example",
    "forge.example:8444",
    "forge.example:844",
  ]) {
    assert.equal(providerOf({ type: "hosted_repository", url: `https://${host}/a/b` }, PROVIDERS), null);
    assert.deepEqual(targets("hosted_repository", `https://${host}/a/b`), [
      { host, path: "/a/b", plaintext: false },
      { host, path: "/api" },
    ]);
  }
});
