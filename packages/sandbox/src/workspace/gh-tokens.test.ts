// Subject: the token that a sandbox's `gh` gets in each call. A program that prints its variables replaces
// the real `gh`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { RepositoryAccess } from "./repository/repository.ts";
import { repositoryEnvironment, WORKSPACE_PROGRAMS } from "./repository/repository-environment.ts";

const run = promisify(execFile);
const PRINT = `#!/bin/sh\nprintf '%s|%s|%s' "\${GH_TOKEN-}" "\${GH_ENTERPRISE_TOKEN-}" "\${GH_HOST-}"\n`;

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "gh-tokens-"));
  const program = WORKSPACE_PROGRAMS.gh ?? "";
  await writeFile(join(dir, "gh"), program.replace(/for real in .*; do/, `for real in '${dir}/real'; do`));
  await writeFile(join(dir, "real"), PRINT);
  for (const name of ["gh", "real"]) await chmod(join(dir, name), 0o755);
});
after(() => rm(dir, { recursive: true, force: true }));

const at = (host: string, path: string, secret: string | null): RepositoryAccess => ({
  url: `https://${host}/${path}`,
  secret,
  provider: { host, token_env: ["GH_TOKEN"] },
});

const HUB = [
  at("github.com", "acme/one", "first"),
  at("github.com", "acme/two", "second"),
  at("github.com", "other/three", "third"),
];
const FORGE = [at("forge.example", "acme/one", "first"), at("forge.example", "acme/two", "second")];

/** Returns the variables that gh gets: GH_TOKEN, GH_ENTERPRISE_TOKEN and GH_HOST. */
async function given(
  repositories: readonly RepositoryAccess[],
  args: readonly string[],
  { cwd = dir, ...more }: Record<string, string> = {},
): Promise<string> {
  const isolated = {
    PATH: process.env.PATH,
    HOME: dir,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CEILING_DIRECTORIES: dir,
  };
  const env = { ...isolated, ...repositoryEnvironment(repositories), ...more };
  return (await run(join(dir, "gh"), args, { cwd, env })).stdout;
}

/** Makes a repository with these git settings, such as remotes, and returns its path. */
async function clone(name: string, config: Readonly<Record<string, string>>): Promise<string> {
  const path = join(dir, name);
  await run("git", ["init", "-q", path]);
  for (const [key, value] of Object.entries(config)) await run("git", ["-C", path, "config", key, value]);
  return path;
}

const calls: readonly [args: readonly string[], token: string][] = [
  [["issue", "list"], "first"],
  [["api", "/user"], "first"],
  [["issue", "list", "-R", "acme/two"], "second"],
  [["issue", "list", "-Racme/two"], "second"],
  [["-R=acme/two", "issue", "list"], "second"],
  [["issue", "list", "--repo", "github.com/Acme/Two"], "second"],
  [["issue", "list", "--repo=https://github.com/acme/two.git"], "second"],
  [["pr", "view", "https://github.com/acme/two/pull/3"], "second"],
  [["pr", "checkout", "-f", "https://github.com/other/three/pull/3"], "third"],
  [["pr", "view", "-R", "acme/one", "https://github.com/acme/two/pull/3"], "second"],
  [["repo", "clone", "acme/two", "--", "--depth", "1"], "second"],
  [["repo", "view", "git@github.com:acme/two.git"], "second"],
  [["repo", "view", "ssh://git@ssh.github.com:443/acme/two"], "second"],
  [["api", "repos/acme/two/issues"], "second"],
  [["api", "/repos/acme/two"], "second"],
  [
    ["api", "graphql", "-f", "owner=acme", "-F", "name=two", "-f", "query=query($owner:String!){x}"],
    "second",
  ],
  [["api", "graphql", "-f", 'query={\n repository(owner: "acme", name: "two") { id } }'], "second"],
  [["repo", "view", "other/unknown"], "third"],
  [["repo", "view", "stranger/unknown"], "first"],
  [["issue", "create", "-t", "x", "--body", "https://github.com/acme/two/issues/1"], "first"],
  [["issue", "create", "-b", "a\nhttps://github.com/acme/two", "-R", "acme/one"], "first"],
  [["issue", "list", "-R", "acme/two/$(touch pwned)`x`;"], "first"],
];
for (const [args, token] of calls) {
  test(`gh ${JSON.stringify(args)} → the ${token} token`, async () => {
    assert.equal(await given(HUB, args), `${token}||`);
  });
}

test("gh tokens: the working directory's remotes, in gh's order, unless GH_REPO or -R names another", async () => {
  const remote = (name: string, path: string) => ({ [`remote.${name}.url`]: path });
  const two = await clone("two", remote("origin", "https://github.com/acme/two"));
  assert.equal(await given(HUB, ["pr", "list"], { cwd: two }), "second||");
  assert.equal(await given(HUB, ["api", "repos/{owner}/{repo}/pulls"], { cwd: two }), "second||");
  assert.equal(await given(HUB, ["pr", "list"], { cwd: two, GH_REPO: "acme/one" }), "first||");
  assert.equal(
    await given(HUB, ["pr", "list", "-R", "other/three"], { cwd: two, GH_REPO: "acme/one" }),
    "third||",
  );
  const fork = await clone("fork", {
    ...remote("origin", "git@github.com:other/three.git"),
    ...remote("upstream", "ssh://git@github.com/acme/two.git"),
  });
  assert.equal(await given(HUB, ["pr", "list"], { cwd: fork }), "second||");
  await run("git", ["-C", fork, "config", "remote.origin.gh-resolved", "base"]);
  assert.equal(await given(HUB, ["pr", "list"], { cwd: fork }), "third||");
});

test("gh tokens: another host than github.com → its variable, the default host's first token, and no token of another host", async () => {
  assert.equal(await given(FORGE, ["issue", "list"]), "|first|forge.example");
  assert.equal(await given(FORGE, ["issue", "list", "-R", "acme/two"]), "|second|forge.example");
  assert.equal(await given(FORGE, ["issue", "list", "-R", "github.com/acme/two"]), "|first|forge.example");
  const others = [...FORGE, at("forge.example.evil", "acme/two", "evil"), ...HUB];
  assert.equal(
    await given(others, ["issue", "list", "-R", "forge.example.evil/acme/x"]),
    "first|evil|forge.example",
  );
  assert.equal(
    await given(others, ["issue", "list", "-R", "elsewhere.example/acme/two"]),
    "first||forge.example",
  );
  assert.equal(
    await given(others, ["api", "/user", "--hostname", "elsewhere.example"]),
    "first||forge.example",
  );
  assert.equal(await given(others, ["repo", "view", "github.com/acme/two"]), "second|first|forge.example");
});

test("gh tokens: a host below ghe.com → both variables hold its token, for any version of gh", async () => {
  const tenant = [at("acme.ghe.com", "acme/one", "first"), at("acme.ghe.com", "acme/two", "second")];
  assert.equal(await given(tenant, ["issue", "list"]), "first|first|acme.ghe.com");
  assert.equal(await given(tenant, ["issue", "list", "-R", "acme/two"]), "second|second|acme.ghe.com");
  const cwd = await clone("tenant", { "remote.origin.url": "https://acme.ghe.com/acme/two" });
  assert.equal(await given(tenant, ["pr", "list"], { cwd }), "second|second|acme.ghe.com");
  assert.equal(await given([...HUB, ...tenant], ["pr", "list"], { cwd }), "second|second|acme.ghe.com");
  const others = [...tenant, ...FORGE];
  assert.equal(
    await given(others, ["issue", "list", "-R", "forge.example/acme/two"]),
    "|second|acme.ghe.com",
    "the token of another host is not given",
  );
  assert.equal(await given(others, ["issue", "list", "-R", "github.com/acme/two"]), "|first|acme.ghe.com");
});

test("gh tokens: a clone at another host than the first → that host, unless the agent chose one", async () => {
  const cwd = await clone("hub", { "remote.origin.url": "https://github.com/acme/two" });
  const both = [...FORGE, ...HUB];
  assert.equal(await given(both, ["pr", "list"], { cwd }), "second|first|github.com");
  assert.equal(await given(both, ["pr", "list"], { cwd, GH_HOST: "github.com" }), "second|first|github.com");
  const forge = await clone("forge", { "remote.origin.url": "https://forge.example/acme/two" });
  assert.equal(await given([...HUB, ...FORGE], ["pr", "list"], { cwd: forge }), "first|second|forge.example");
  const elsewhere = await clone("elsewhere", { "remote.origin.url": "https://plain.example/acme/two" });
  assert.equal(await given(FORGE, ["api", "/user"], { cwd: elsewhere }), "|first|forge.example");
  const own = { cwd: forge, GH_HOST: "elsewhere.example" };
  assert.equal(await given(both, ["pr", "list"], own), "first||elsewhere.example");
});

test("gh tokens: a token that the agent set itself stays, and no repository sets none", async () => {
  assert.equal(await given(HUB, ["pr", "list", "-R", "acme/two"], { GH_TOKEN: "own" }), "own||");
  assert.equal(
    await given(FORGE, ["pr", "list", "-R", "acme/two"], { GH_ENTERPRISE_TOKEN: "own" }),
    "|own|forge.example",
  );
  assert.equal(await given([], ["pr", "list", "-R", "acme/two"], { GH_TOKEN: "own" }), "own||");
  assert.equal(await given([at("github.com", "acme/one", null)], ["pr", "list"]), "||");
});

test("gh tokens: any characters in a token → handed over unchanged", async () => {
  for (const secret of ["$(touch pwned)", "a\\nb\\0", "  two  spaces ", "%s", "-n", "*", "'\""]) {
    assert.equal(
      await given(
        [at("github.com", "acme/one", "x"), at("github.com", "acme/two", secret)],
        ["pr", "list", "-R", "acme/two"],
      ),
      `${secret}||`,
    );
  }
});
