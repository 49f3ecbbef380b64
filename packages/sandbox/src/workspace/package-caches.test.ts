import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { GATHERED_CACHES, gatherCaches, PACKAGE_CACHES, seesRefsOf } from "./package-caches.ts";

let bench: Workbench;
let sandbox: Sandbox;

before(async () => {
  bench = await makeWorkbench();
  const files = { "a.txt": "a\n" };
  await bench.host.createRepository({ org: "acme", name: "widget", private: true, files });
  sandbox = await bench.open();
  assert.ok((await bench.clone(sandbox, "widget")).ok);
});
after(() => bench.close());

const run = (script: string) => sh(sandbox, script);

test("gather: directories with files are moved, also read-only ones; links, files, empty ones and others stay", async () => {
  assert.equal(await gatherCaches(sandbox, PACKAGE_CACHES), false);
  const { npm, maven, go, pip, uv } = PACKAGE_CACHES;
  await run(`mkdir -p ${npm}/_cacache ${go}/example.com ${pip} ~/.m2 ~/other && echo one >${npm}/_cacache/one
    echo mod >${go}/example.com/mod && chmod -R a-w ${go} && ln -s /etc ${maven} && mkdir -p ~/.cache && echo x >${uv}`);
  assert.equal(await gatherCaches(sandbox, PACKAGE_CACHES), true);
  assert.equal(GATHERED_CACHES, "home/.berth-caches");
  const gathered = "cd ~/.berth-caches && find . -type f | sort; stat -c %a go/example.com";
  assert.equal(await run(gathered), "./go/example.com/mod\n./npm/_cacache/one\n555");
  assert.equal(
    await run(`ls -d ${npm} ${go} 2>/dev/null; readlink ${maven}; cat ${uv}; ls ${pip}`),
    "/etc\nx",
  );
  const quoted = { "it's": "/home/agent/it's $HOME" };
  await run(`mkdir "$HOME/it's \\$HOME" && echo x >"$HOME/it's \\$HOME/x"; chmod -R u+w ~/.berth-caches`);
  assert.equal(await gatherCaches(sandbox, quoted), true);
  assert.equal(await run("find ~/.berth-caches -type f"), "/home/agent/.berth-caches/it's/x");
});

test("refs: a clone sees those of an earlier one unless a branch, a tag or its HEAD is gone", async () => {
  await run(`cd /data/widget && git config user.name a && git config user.email a@example.com
    git commit -q --allow-empty -m two && git tag v1 && git clone -q --no-local . /data/former && git clone -q --no-local . /data/present
    git commit -q --allow-empty -m three && git clone -q --no-local . /data/later`);
  const sees = (present: string, former: string) =>
    seesRefsOf(sandbox, { present: `/data/${present}`, former: `/data/${former}` });
  assert.equal(await sees("present", "former"), true);
  assert.equal(await sees("later", "former"), true);
  assert.equal(await sees("former", "later"), false, "a branch");
  await run(`git -C /data/former tag v2 $(git -C /data/former commit-tree -m tagged HEAD^{tree})`);
  assert.equal(await sees("present", "former"), false, "a tag");
  await run(
    "cd /data/former && git tag -d v2 && git checkout -q --detach && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
  );
  assert.equal(await sees("present", "former"), false, "HEAD");
  assert.equal(await sees("present", "missing"), false);
  assert.equal(await sees("missing", "later"), false);
});
