import assert from "node:assert/strict";
import { test } from "node:test";
import { PACKAGE_HOSTS } from "@berth/sandbox";
import type { RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { egressPolicy } from "./egress-policy.ts";

type Limited = Extract<RunSession["networking"], { type: "limited" }>;
const limited: Omit<Limited, "allow_package_managers"> = {
  type: "limited",
  allowed_hosts: ["a.example"],
  allow_mcp_servers: false,
};

function hosts(allow_package_managers: boolean): readonly string[] {
  const session = { networking: { ...limited, allow_package_managers } } as RunSession;
  return egressPolicy(session, [], []).hosts;
}

test("egressPolicy: a repository at github.com → also where it keeps files of Git LFS", () => {
  const session = { networking: { ...limited, allow_package_managers: false } } as RunSession;
  const repository = (url: string) => [{ type: "git_repository", url }] as unknown as RunResource[];
  assert.deepEqual(egressPolicy(session, repository("https://github.com/a/b"), []).hosts, [
    "github.com",
    "github-cloud.githubusercontent.com",
    "github-cloud.s3.amazonaws.com",
    "a.example",
  ]);
  assert.deepEqual(egressPolicy(session, repository("https://github.com.evil.example/a/b"), []).hosts, [
    "github.com.evil.example",
    "a.example",
  ]);
});

test("egressPolicy: a hosted repository → also its provider's API; not that of a provider whose host only begins alike", () => {
  const session = { networking: { ...limited, allow_package_managers: false } } as RunSession;
  const providers = [{ host: "forge.example", api: "https://api.forge.example" }];
  const reached = (host: string) => {
    const resources = [{ type: "hosted_repository", url: `https://${host}/a/b` }] as unknown as RunResource[];
    return egressPolicy(session, resources, providers).hosts;
  };
  assert.deepEqual(reached("forge.example"), ["forge.example", "api.forge.example", "a.example"]);
  for (const other of ["forge.example.evil.test", "forge.examples", "forge.example:8443", "my.forge.example"])
    assert.deepEqual(reached(other), [other, "a.example"]);
});

test("egressPolicy: hosts of package managers only if the environment allows them", () => {
  assert.deepEqual(hosts(false), ["a.example"]);
  const reached = hosts(true);
  assert.equal(reached[0], "a.example");
  for (const host of Object.values(PACKAGE_HOSTS).flat()) assert.ok(reached.includes(host), host);
  assert.equal(new Set(reached).size, reached.length);
});
