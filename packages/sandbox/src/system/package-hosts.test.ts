import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PACKAGE_HOST_ROWS, packageHostsTable } from "./package-hosts.ts";

/** Hosts at which anybody can write under any name. */
const OPEN_TO_STRANGERS =
  /(^|\.)(github\.com|githubusercontent\.com|gitlab\.com|googleapis\.com|amazonaws\.com|cloudfront\.net)$/;

test("package hosts: each once, a plain name, and none where anybody can write", () => {
  const hosts = PACKAGE_HOST_ROWS.map(({ host }) => host);
  assert.deepEqual(hosts, [...new Set(hosts)]);
  for (const host of hosts) {
    assert.match(host, /^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
    assert.doesNotMatch(host, OPEN_TO_STRANGERS);
  }
});

test("package hosts: the guide has the table", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/networking.md", import.meta.url), "utf8");
  assert.ok(
    guide.includes(`\n${packageHostsTable()}\n`),
    `The guide networking lacks:\n${packageHostsTable()}`,
  );
});
