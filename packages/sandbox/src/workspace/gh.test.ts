// Subject: the `gh` program of sandboxes, and git in a clone, with the variables of `repositoryEnvironment`.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import type { RepositoryAccess } from "./repository/repository.ts";
import { repositoryEnvironment } from "./repository/repository-environment.ts";

let bench: Workbench;
let sandbox: Sandbox;
before(async () => {
  bench = await makeWorkbench();
  await bench.host.createRepository({ org: "acme", name: "widget", private: true, files: { a: "a\n" } });
  sandbox = await bench.open();
});
after(() => bench.close());

const widget = (secret: string | null = bench.token, token_env = ["GH_TOKEN"]): RepositoryAccess => ({
  url: `${bench.host.url}/acme/widget`,
  secret,
  provider: { host: bench.host.host, token_env },
});

test("gh: a repository with a token → logged in at its host", async () => {
  for (const names of [["GH_TOKEN"], ["GITHUB_TOKEN", "GH_TOKEN"], ["GH_ENTERPRISE_TOKEN"]]) {
    const environment = repositoryEnvironment([widget(bench.token, names)]);
    const status = await sh(sandbox, "gh auth status 2>&1", environment);
    assert.match(status, new RegExp(`Logged in to ${bench.host.host} as robot`));
    assert.ok(!status.includes("github.com"), status);
    assert.equal(await sh(sandbox, "gh api /user --jq .login", environment), "robot");
    assert.equal(await sh(sandbox, "gh api / --jq .login", environment), "robot");
    assert.equal(
      await sh(sandbox, "gh api graphql -f query='{viewer{login}}' --jq .data.viewer.login", environment),
      "robot",
    );
  }
});

test("gh: another host than github.com → no other host is contacted, and the variables stay for other programs", async () => {
  const denied: string[] = [];
  const other = await bench.open({ onEgressDenied: ({ host }) => denied.push(host) });
  const environment = repositoryEnvironment([widget()]);
  await sh(other, "gh auth status", environment);
  assert.deepEqual(denied, []);
  assert.equal(
    await sh(other, 'test "$GH_TOKEN" = "$GH_ENTERPRISE_TOKEN" && printf %s "$GH_TOKEN"', environment),
    bench.token,
  );
  await other.close();
});

test("gh: repositories at github.com and elsewhere → each token is for its own host", async () => {
  const hub: RepositoryAccess = {
    url: "https://github.com/acme/widget",
    secret: "ghp_hub",
    provider: { host: "github.com", token_env: ["GH_TOKEN"] },
  };
  const environment = repositoryEnvironment([widget(), hub]);
  assert.equal(await sh(sandbox, 'gh auth token --hostname "$GH_HOST"', environment), bench.token);
  assert.equal(await sh(sandbox, "gh auth token --hostname github.com", environment), "ghp_hub");
  assert.equal(await sh(sandbox, "gh auth token", repositoryEnvironment([hub])), "ghp_hub");
});

test("gh: a wrong, revoked or missing token → an error without a prompt", async () => {
  const revoked = bench.host.createToken({ user: "gone", permissions: "read" });
  bench.host.revokeToken(revoked);
  for (const secret of ["wrong", revoked, null]) {
    const environment = repositoryEnvironment([widget(secret)]);
    const output = await sh(
      sandbox,
      "gh auth status 2>&1 && echo in; gh api /user 2>&1 && echo in; true",
      environment,
    );
    assert.doesNotMatch(output, /^in$/m);
  }
});

test("git: fetch and push in the clone → authenticated, but not with the password of another repository", async () => {
  const result = await bench.clone(sandbox, "widget");
  assert.ok(result.ok, JSON.stringify(result));
  const script =
    "cd /data/widget && git fetch -q && git commit -q --allow-empty -m x && git push -q origin HEAD:refs/heads/side";
  await sh(sandbox, script, repositoryEnvironment([widget()]));
  const pushed = await bench.host.head("acme", "widget", "side");
  assert.equal(await sh(sandbox, "git -C /data/widget rev-parse HEAD"), pushed);
  const other = repositoryEnvironment([{ ...widget(), url: `${bench.host.url}/acme/other`, provider: null }]);
  const refused = await sh(sandbox, "cd /data/widget && ! git fetch 2>&1", other);
  assert.match(refused, /could not read Username|terminal prompts disabled/);
});
