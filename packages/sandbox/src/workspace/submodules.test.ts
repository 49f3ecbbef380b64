// Subject: access of git in a sandbox to repositories that are not the session's: submodules, and ssh URLs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import { DEFAULT_IDENTITY } from "../inside/git-config.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { repositoryEnvironment } from "./repository/repository-environment.ts";

let bench: Workbench;
let sandbox: Sandbox;
before(async () => {
  bench = await makeWorkbench();
  const { host } = bench;
  await host.createRepository({
    org: "libs",
    name: "inner",
    private: true,
    files: { "inner.txt": "inner\n" },
  });
  const name = host.host.replace(/:\d+$/, "");
  const urls = {
    https: `${host.url}/libs/inner`,
    scp: `git@${name}:libs/inner.git`,
    ssh: `ssh://git@${name}/libs/inner`,
  };
  const add = Object.entries(urls).map(
    ([path, url]) =>
      `printf '[submodule "${path}"]\\n\\tpath = ${path}\\n\\turl = ${url}\\n' >>.gitmodules; git update-index --add --cacheinfo "160000,$inner,${path}"`,
  );
  const inner = await host.head("libs", "inner", "main");
  await bench.push("outer", `inner=${inner}; ${add.join("; ")}; git add .gitmodules`);
  const git = {
    identity: DEFAULT_IDENTITY,
    author: null,
    coAuthors: [],
    signingKey: null,
    httpsHosts: [host.host],
  };
  sandbox = await bench.open({ git });
});
after(() => bench.close());

const environment = (provider: boolean) =>
  repositoryEnvironment([
    {
      url: `${bench.host.url}/acme/outer`,
      secret: bench.token,
      provider: provider ? { host: bench.host.host, token_env: ["GH_TOKEN"] } : null,
    },
  ]);

test("submodules of a hosted repository: https and ssh URLs → fetched with the repository's token", async () => {
  assert.ok((await bench.clone(sandbox, "outer")).ok);
  const update =
    "cd /data/outer && git submodule update -q --init --recursive && cat */inner.txt && git status --porcelain";
  assert.equal(await sh(sandbox, update, environment(true)), "inner\ninner\ninner");
  const clone = `cd /data && git clone -q --recurse-submodules ${bench.host.url}/acme/outer again && cat again/*/inner.txt`;
  assert.equal(await sh(sandbox, clone, environment(true)), "inner\ninner\ninner");
});

test("submodules of another server's repository → its password is for itself", async () => {
  const clone = `cd /data && git clone -q --recurse-submodules ${bench.host.url}/acme/outer third 2>&1; cat third/.gitmodules third/*/inner.txt`;
  const refused = await sandbox.run({ script: clone, environment: environment(false), timeoutMs: 15_000 });
  const text = Buffer.from(refused.output).toString();
  assert.match(text, /could not read Username|terminal prompts disabled/);
  assert.doesNotMatch(text, /^inner$/m);
});
