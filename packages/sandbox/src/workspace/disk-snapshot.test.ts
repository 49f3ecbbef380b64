// Subject: the preparation of a disk for a snapshot, and the takeover of a clone on a disk that was made from
// one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { discardClone, endDiskSnapshot, prepareDiskSnapshot, takeOverClone } from "./disk-snapshot.ts";

let bench: Workbench;
let sandbox: Sandbox;
const clone = "/data/widget";
const PLACES = ["/data", "/home/agent", "/mnt/session/outputs", "/var/tmp", "/tmp", "/mnt/session/shells"];

before(async () => {
  bench = await makeWorkbench();
  const files = { "a.txt": "a\n" };
  await bench.host.createRepository({ org: "acme", name: "widget", private: true, files });
  sandbox = await bench.open();
  assert.ok((await bench.clone(sandbox, "widget")).ok);
});
after(() => bench.close());

const run = (script: string) => sh(sandbox, script);
const prepare = (clones = [clone]) => prepareDiskSnapshot(sandbox, PLACES, clones);
const end = () => endDiskSnapshot(sandbox, [clone]);

test("a disk with a clone and nothing else is ready, and the clone has its reflogs again afterwards", async () => {
  const logs = () => run(`cd ${clone} && cat .git/logs/HEAD .git/logs/refs/heads/main 2>&1 || true`);
  const before = await logs();
  assert.match(before, /clone: from/);
  assert.equal(await prepare(), true);
  assert.doesNotMatch(await logs(), /clone: from/);
  assert.equal(await end(), true);
  assert.equal(await logs(), before);
  assert.equal(await end(), true, "once more does nothing");
  assert.equal(await run(`git -C ${clone} status --porcelain; ls -A /dev/shm`), "");
});

test("anything else on the disk, wherever it is → none is to be taken", async () => {
  for (const path of [
    "/data/other",
    "/data/.hidden",
    "/data/widget-other/file",
    "/home/agent/.netrc",
    "/home/agent/.local/bin/tool",
    "/tmp/x",
    "/var/tmp/a/b",
    "/mnt/session/outputs/result",
    "/mnt/session/shells/main",
  ]) {
    await run(`mkdir -p "$(dirname ${path})" && echo x >${path}`);
    assert.equal(await prepare(), false, path);
    assert.match(await run(`cat ${clone}/.git/logs/HEAD`), /clone: from/, path);
    await run(`rm ${path}; rmdir -p "$(dirname ${path})" 2>/dev/null || true`);
  }
  assert.equal(await prepare(["/data/w*"]), false, "a path is no pattern");
  await run("ln -s /etc /data/link");
  assert.equal(await prepare(["/data/link"]), false, "no clone is there");
  await run("rm /data/link");
  assert.equal(await prepare(), true);
  await end();
});

test("files that only have another owner are what the index says; what is changed stays changed, whatever the form of the index", async () => {
  await run(
    `cd ${clone} && mkdir -p deep/er && for n in 1 2 3; do echo $n >deep/er/file-$n; done && git add deep && git commit -qm More`,
  );
  const differing = () => run(`git -C ${clone} diff-files --name-only`);
  // Besides the owner, the index records the inode of a file.
  const touchInodes = () =>
    run(`cd ${clone} && for file in a.txt deep/er/*; do cp -p "$file" other && mv other "$file"; done`);
  for (const version of [2, 3, 4]) {
    // An index has version 3 when a file has the intent-to-add flag.
    const form =
      version === 3 ? "echo new >new && git add -N new" : `git update-index --index-version ${version}`;
    await run(`cd ${clone} && git update-index --refresh -q; ${form}`);
    await touchInodes();
    assert.match(await differing(), /^a\.txt\ndeep\/er\/file-1\n/, `${version}`);
    assert.equal(await takeOverClone(sandbox, clone), true);
    assert.equal(await differing(), version === 3 ? "new" : "", `${version}`);
    assert.equal(
      await run(
        `cd ${clone} && git fsck --strict --no-dangling; git rm -q --cached new 2>/dev/null; rm -f new`,
      ),
      "",
    );
  }
  // Changed within the second of the checkout, to other content of the same size.
  await run(
    `cd ${clone} && touch -d @1700000000.25 deep/er/file-2 && git update-index -q --refresh --index-version 2 &&
      echo 9 >deep/er/file-2 && touch -d @1700000000.75 deep/er/file-2`,
  );
  await touchInodes();
  assert.equal(await takeOverClone(sandbox, clone), true);
  assert.equal(await differing(), "deep/er/file-2");
  assert.equal(
    await run(`cd ${clone} && git checkout -qf HEAD && git status --porcelain; cat deep/er/file-2`),
    "2",
  );
});

test("a discarded clone leaves nothing, also where it made its directories read-only", async () => {
  await run(`mkdir ${clone}/sealed && touch ${clone}/sealed/file && chmod 500 ${clone}/sealed`);
  assert.equal(await discardClone(sandbox, clone), true);
  assert.equal(await run("ls -A /data"), "");
  assert.equal(await discardClone(sandbox, clone), true, "nothing is there");
});
