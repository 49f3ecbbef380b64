// Subject: egress/provider-hosts.ts, and that policy and credentials agree.
import assert from "node:assert/strict";
import { test } from "node:test";
import { egressPolicy } from "../egress/egress-policy.ts";
import { apiOf } from "../egress/provider-hosts.ts";
import type { RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { repositoryTargets } from "./repository-targets.ts";

const FORMS: readonly [api: string, host: string, path: string][] = [
  ["https://api.forge.example", "api.forge.example", ""],
  ["https://API.Forge.Example/", "api.forge.example", ""],
  ["api.forge.example", "api.forge.example", ""],
  ["API.forge.example:443", "api.forge.example", ""],
  ["https://api.forge.example:443/rest", "api.forge.example", "/rest"],
  ["api.forge.example:8443", "api.forge.example:8443", ""],
  ["https://api.forge.example:8443/rest/v2/", "api.forge.example:8443", "/rest/v2"],
  ["api.forge.example/rest/v2", "api.forge.example", "/rest/v2"],
];

for (const [api, host, path] of FORMS) {
  test(`provider's API ${api}: the host that sandboxes reach is the one that gets the secret`, () => {
    assert.deepEqual(apiOf({ api }), { host, path, url: `https://${host}${path}` });
    const providers = [{ host: "forge.example", api }];
    const url = "https://forge.example/a/b";
    const session = {
      networking: { type: "limited", allowed_hosts: [], allow_package_managers: false },
    } as unknown as RunSession;
    const resources = [{ type: "hosted_repository", url }] as unknown as RunResource[];
    assert.deepEqual(egressPolicy(session, resources, providers).hosts, ["forge.example", host]);
    assert.deepEqual(repositoryTargets({ type: "hosted_repository", url }, providers), [
      { host: "forge.example" },
      path === "" ? { host } : { host, path },
    ]);
  });
}
