// Subject: git's system configuration in a sandbox, and the program `git`.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import { DEFAULT_IDENTITY, gitConfig } from "../inside/git-config.ts";
import { SandboxError } from "../interface/errors.ts";

let bench: Workbench;
before(async () => {
  bench = await makeWorkbench();
});
after(() => bench.close());

const BOB = { name: "Bob", email: "bob@example.com" };
const NONE = { identity: DEFAULT_IDENTITY, author: null, coAuthors: [], signingKey: null, httpsHosts: [] };
const COMMIT = "git commit -q --allow-empty";
const SHOWN = "git log -1 --format='%an <%ae>|%cn <%ce>|%(trailers)'";

test("git identity: none given → Berth's own, and no co-author", async () => {
  const sandbox = await bench.open();
  const shown = await sh(sandbox, `cd /data && git init -q r && cd r && ${COMMIT} -m x && ${SHOWN}`);
  assert.match(shown, /^Berth agent <agent@berth.invalid>\|Berth agent <agent@berth.invalid>\|$/m);
  await sandbox.close();
});

test("git identity: any name is data, also in the configuration's own syntax; a repository and a command may have another", async () => {
  const name = '#1 "Ann"; \\n\\ [core] $(touch /data/pwned) ключ';
  const sandbox = await bench.open({
    git: { ...NONE, identity: { name, email: "ann@example.com" } },
  });
  const make = `cd /data && git init -q r && cd r && ${COMMIT} -m x`;
  assert.equal(await sh(sandbox, `${make} && git log -1 --format='%an <%ae>'`), `${name} <ann@example.com>`);
  assert.equal(
    await sh(sandbox, "git config core.fsmonitor; git config core.hooksPath; ls /data"),
    "false\nr",
  );
  const own = "cd /data/r && git config user.name Own && git -c user.email=o@example.com";
  assert.match(await sh(sandbox, `${own} commit -q --allow-empty -m y && ${SHOWN}`), /^Own <o@example.com>/);
  await sandbox.close();
});

test("git identity: a control character → SandboxError", () => {
  for (const name of ["a\nb", "a\0b", "a\u0085b"])
    assert.throws(() => gitConfig({ ...NONE, identity: { ...BOB, name } }), SandboxError);
});

test("co-author: git commit in all its forms names it once, and the repository's hooks run as ever", async () => {
  const coAuthor = { name: 'Bob "B" $(x)', email: "bob@example.com" };
  const line = 'Co-authored-by: Bob "B" $(x) <bob@example.com>';
  const sandbox = await bench.open({ git: { ...NONE, coAuthors: [coAuthor] } });
  const commit = (script: string) => sh(sandbox, `cd /data/r && ${script} && git log -1 --format=%B`);
  await sh(sandbox, "cd /data && git init -q r");
  assert.equal(await commit(`${COMMIT} -m one`), `one\n\n${line}\n`);
  assert.equal(
    await commit("git -C /data -C r -c user.name=commit commit -q --allow-empty -m two"),
    `two\n\n${line}\n`,
  );
  assert.equal(await commit("git commit -q --amend --allow-empty --no-edit"), `two\n\n${line}\n`);
  assert.equal(
    await commit(`printf 'three\\n\\nCo-authored-by: C <c@x>\\n' | ${COMMIT} -F -`),
    `three\n\nCo-authored-by: C <c@x>\n${line}\n`,
  );
  const hook =
    "printf '#!/bin/sh\\necho hooked >>\"$1\"\\n' >.husky/commit-msg && chmod 755 .husky/commit-msg";
  const hooked = `mkdir .husky && ${hook} && git config core.hooksPath .husky && ${COMMIT} -m 'four five'`;
  assert.equal(await commit(hooked), `four five\n\n${line}\nhooked\n`);
  assert.equal(await commit(`${COMMIT} --no-verify -m commit && git tag commit`), `commit\n\n${line}\n`);
  assert.equal(
    await sh(sandbox, "cd /data/r; git frobnicate 2>/dev/null; echo $?; git; echo $?").then(
      (text) => text.split("\n")[0],
    ),
    "1",
  );
  await sandbox.close();
});

test("author: differs from the committer; several co-authors are named once each, in all forms of a commit", async () => {
  const coAuthors = [BOB, { name: "Eve $(x) \\\\ 'y'", email: "eve@example.com" }];
  const author = { name: "Ann", email: "ann@example.com" };
  const sandbox = await bench.open({ git: { ...NONE, identity: BOB, author, coAuthors } });
  const commit = (script: string) => sh(sandbox, `cd /data/r && ${script} && ${SHOWN}`);
  await sh(sandbox, "cd /data && git init -q r");
  const trailers =
    "Co-authored-by: Bob <bob@example.com>\nCo-authored-by: Eve $(x) \\\\ 'y' <eve@example.com>";
  const expected = `Ann <ann@example.com>|Bob <bob@example.com>|${trailers}`;
  assert.equal((await commit(`${COMMIT} -m one`)).trim(), expected);
  assert.equal((await commit("git commit -q --amend --allow-empty --no-edit")).trim(), expected);
  assert.equal((await commit("git -C . commit -q --allow-empty -m 'two three'")).trim(), expected);
  await sandbox.close();
});
