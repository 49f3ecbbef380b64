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

/** Makes repositories at one host, each with a token that reaches no other, and returns their variables. */
async function separate(names: readonly string[]): Promise<Record<string, string>> {
  const accesses: RepositoryAccess[] = [];
  for (const name of names) {
    await bench.host.createRepository({ org: "acme", name, private: true, files: { a: "a\n" } });
    const repositories = [`acme/${name}`];
    const secret = bench.host.createToken({ user: name, permissions: "write", repositories });
    assert.ok((await bench.clone(sandbox, name)).ok);
    accesses.push({ ...widget(secret), url: `${bench.host.url}/acme/${name}` });
  }
  return repositoryEnvironment(accesses);
}

test("gh: as git's credential helper, by any of its commands → git still has the token of each repository", async () => {
  const environment = await separate(["first", "second"]);
  const push = "git commit -q --allow-empty -m x && git push -q origin HEAD:refs/heads/side && git fetch -q";
  const helper = "git config --global credential.https://$GH_HOST.helper '!gh auth git-credential'";
  for (const set of ["gh auth setup-git 2>&1", 'gh auth setup-git --hostname "$GH_HOST" 2>&1', helper]) {
    const said = await sh(sandbox, `cd /data/first && ${set}`, environment);
    if (set !== helper) assert.match(said, /^git is logged in already, with the token of each/);
    for (const name of ["first", "second"]) {
      await sh(sandbox, `cd /data/${name} && ${push}`, environment);
      const pushed = await bench.host.head("acme", name, "side");
      assert.equal(await sh(sandbox, `git -C /data/${name} rev-parse HEAD`), pushed);
    }
  }
  const own =
    "printf 'protocol=https\\nhost=elsewhere.example\\n\\n' | gh auth git-credential get 2>&1 || true";
  assert.doesNotMatch(await sh(sandbox, own, environment), /password=/);
});

test("gh: a clone whose host has a port → its commands work there as in any clone", async () => {
  const environment = await separate(["one", "port"]);
  const inClone = (script: string) => sh(sandbox, `cd /data/port && ${script}`, environment);
  assert.equal(await inClone("gh pr list"), "");
  assert.equal(await inClone("gh repo view --json name --jq .name"), "port");
  await inClone("git checkout -qb work && git commit -q --allow-empty -m x && git push -q origin HEAD");
  assert.match(await inClone("gh pr create --title Mine --body b"), /\/acme\/port\/pull\/1$/);
  assert.equal(
    await inClone("gh pr view --json title,headRefName --jq '.title, .headRefName'"),
    "Mine\nwork",
  );
  assert.match(await inClone("gh issue create --title Two --body b"), /\/acme\/port\/issues\/2$/);
  assert.match(await inClone("gh pr list --json author --jq '.[].author.login'"), /^port$/);
  await inClone("git checkout -q main && git branch -qD work && gh pr checkout 1 2>&1");
  assert.equal(await inClone("git symbolic-ref --short HEAD"), "work");
  await inClone("git checkout -q main && git branch -qf work main && gh pr checkout work 2>&1");
  assert.equal(await inClone("git rev-parse HEAD"), await bench.host.head("acme", "port", "work"));
  const other = await inClone(`gh pr list -R ${bench.host.host}/acme/one --json number`);
  assert.equal(other, "[]");
  await inClone("git checkout -qb second && git commit -q --allow-empty -m y && git push -q origin HEAD");
  assert.match(await inClone("gh pr new --fill --head second"), /\/acme\/port\/pull\/3$/);
  assert.equal(await sh(sandbox, "cd /data && ! gh pr list 2>&1", environment).then(Boolean), true);
});

test("gh: a host below ghe.com → the token of the clone's repository, whichever variable this gh reads", async () => {
  const at = (name: string, secret: string): RepositoryAccess => ({
    url: `https://acme.ghe.com/acme/${name}`,
    secret,
    provider: { host: "acme.ghe.com", token_env: ["GH_TOKEN"] },
  });
  const environment = repositoryEnvironment([at("one", "ghp_one"), at("two", "ghp_two")]);
  for (const name of ["two", "one"]) {
    const clone = `git init -q /data/ghe-${name} && cd /data/ghe-${name} && git remote add origin https://acme.ghe.com/acme/${name}`;
    assert.equal(await sh(sandbox, `${clone} && gh auth token`, environment), `ghp_${name}`);
  }
});
