import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { excludePath, includePath } from "./exclude-path.ts";

let bench: Workbench;
let sandbox: Sandbox;
const clone = "/data/widget";
before(async () => {
  bench = await makeWorkbench();
  await bench.host.createRepository({
    org: "acme",
    name: "widget",
    private: true,
    files: { "a.txt": "a\n", "config/app.json": "{}\n" },
  });
  sandbox = await bench.open();
  assert.ok((await bench.clone(sandbox, "widget")).ok);
});
after(() => bench.close());

const status = () => sh(sandbox, `git -C ${clone} status --porcelain --untracked-files=all`);

test("exclude: names that git would read as patterns → that path alone is ignored, until it is included again", async () => {
  for (const path of [
    ".env",
    "config/.env.local",
    "a*",
    "[x]",
    "q?",
    "back\\slash",
    "#hash",
    "!bang",
    "blank ",
    "é ü",
  ]) {
    const place = { clone, path };
    await sh(
      sandbox,
      `cd ${clone} && printf x >"$P" && printf x >"near$P" 2>/dev/null || printf x >"$P.near"`,
      { P: path },
    );
    assert.equal(await excludePath(sandbox, place), "excluded", path);
    assert.equal(await excludePath(sandbox, place), "excluded", "again");
    const others = (await status()).split("\n").filter(Boolean);
    assert.equal(others.length, 1, `${path}: ${others.join(" ")}`);
    await includePath(sandbox, place);
    assert.equal((await status()).split("\n").filter(Boolean).length, 2, path);
    await sh(sandbox, `cd ${clone} && git clean -fdxq`);
  }
});

test("exclude: what the repository tracks, or contains it → tracked, and nothing is changed", async () => {
  const read = () => sh(sandbox, `cat ${clone}/.git/info/exclude 2>/dev/null || true`);
  const before = await read();
  for (const path of ["a.txt", "config", "config/app.json"])
    assert.equal(await excludePath(sandbox, { clone, path }), "tracked", path);
  assert.equal(await read(), before);
});

test("exclude: no clone → failed; an exclude file without a newline at its end → kept", async () => {
  assert.equal(await excludePath(sandbox, { clone: "/data/none", path: "x" }), "failed");
  await sh(sandbox, `mkdir -p ${clone}/.git/info && printf own >${clone}/.git/info/exclude`);
  assert.equal(await excludePath(sandbox, { clone, path: "x" }), "excluded");
  assert.equal(await sh(sandbox, `cat ${clone}/.git/info/exclude`), "own\n/x");
});
