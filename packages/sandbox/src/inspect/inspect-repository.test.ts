import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type FreshEngine, freshEngine, openIn } from "../../test-support/bubblewrap.ts";
import { ok } from "../../test-support/conformance/context.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { repositoryChanges, repositoryDiff } from "./inspect-repository.ts";
import { type ChangedFile, parseChanges } from "./parse-changes.ts";

let fresh: FreshEngine;
let sandbox: Sandbox;
before(async () => {
  fresh = await freshEngine("clones");
  sandbox = await openIn(fresh, "clones");
});
after(() => fresh.close());

const TIME = { timeoutMs: 60_000, maxFile: 1024 * 1024 };

/**
 * Makes a repository with a remote branch and runs the script in it. Returns the path and the commit that was
 * cloned.
 */
async function clone(name: string, work: string): Promise<{ path: string; base: string }> {
  const path = `/data/${name}`;
  const base = await ok(
    sandbox,
    `mkdir ${name} && cd ${name} && git init -q -b main && printf '1\\n2\\n3\\n' >kept.txt && printf 'a\\nb\\nc\\nd\\ne\\n' >moved.txt &&
     echo gone >gone.txt && printf 'a\\0b' >data.bin && echo '*.log' >.gitignore && git add -A && git commit -q -m Base &&
     git update-ref refs/remotes/origin/main HEAD && git rev-parse HEAD`,
  );
  await ok(sandbox, `cd ${name} && ${work}`);
  return { path, base };
}

async function changesOf(clone: { path: string; base: string }, limits = { commits: 100, files: 100 }) {
  const result = await repositoryChanges(sandbox, clone, { pushes: 20, ...limits, ...TIME });
  assert.ok(result.ok, JSON.stringify(result));
  return result.changes;
}

async function diffOf(clone: { path: string; base: string }, file: string | null = null, max = 100_000) {
  const result = await repositoryDiff(sandbox, clone, { file, max, ...TIME });
  assert.ok(result.ok, JSON.stringify(result));
  return { diff: result.diff.toString(), cut: result.cut };
}

/** Returns the paths of the files that were too large to compare. */
async function largeOf(clone: { path: string; base: string }, file: string | null = null) {
  const result = await repositoryDiff(sandbox, clone, { file, max: 100_000, ...TIME });
  assert.ok(result.ok, JSON.stringify(result));
  return result.large.map(String);
}

const shown = ({ path, oldPath, status, additions, deletions, binary }: ChangedFile) =>
  [`${path}`, oldPath === null ? null : `${oldPath}`, status, additions, deletions, binary] as const;

test("changes: committed, staged, unstaged and untracked ones against what was cloned", async () => {
  const made = await clone(
    "all",
    `echo 4 >>kept.txt && git commit -qam 'Pushed: four' && git update-ref refs/remotes/origin/main HEAD &&
     mv moved.txt elsewhere.txt && git rm -q gone.txt && printf 'x\\0y' >data.bin && mkdir sub && printf 'new\\nfile' >sub/new.txt &&
     ln -s kept.txt alias && : >empty && echo log >x.log && git commit -q --allow-empty -m 'Local one'`,
  );
  const changes = await changesOf(made);
  assert.deepEqual(changes.files.map(shown), [
    ["alias", null, "added", 1, 0, false],
    ["data.bin", null, "modified", null, null, true],
    ["elsewhere.txt", "moved.txt", "renamed", 0, 0, false],
    ["empty", null, "added", 0, 0, false],
    ["gone.txt", null, "deleted", 0, 1, false],
    ["kept.txt", null, "modified", 1, 0, false],
    ["sub/new.txt", null, "added", 2, 0, false],
  ]);
  assert.equal(changes.files[0]?.type, "symlink");
  const commits = changes.commits.map(({ subject, pushed, author }) => [subject, pushed, author]);
  assert.deepEqual(commits, [
    ["Local one", false, "Berth agent"],
    ["Pushed: four", true, "Berth agent"],
  ]);
  const { commitCount, fileCount, branch, hasBase, baseIsAncestor, head } = changes;
  assert.deepEqual([commitCount, fileCount, branch, hasBase, baseIsAncestor], [2, 7, "main", true, true]);
  assert.equal(head, await ok(sandbox, "git -C all rev-parse HEAD"));
});

test("changes: what the clone itself pushed, and not what it fetched", async () => {
  const push = "git commit -q --allow-empty -m one && git push -q origin HEAD:agent/fix";
  const made = await clone(
    "pushing",
    `git init -q --bare ../pushed.git && git remote add origin ../pushed.git && ${push} && ${push} &&
     git clone -q ../pushed.git ../somebody -b agent/fix && cd ../somebody && git commit -q --allow-empty -m theirs &&
     git push -q origin HEAD:agent/fix HEAD:theirs && cd ../pushing && git fetch -q`,
  );
  const pushed = await ok(sandbox, "git -C pushing rev-parse HEAD");
  assert.deepEqual((await changesOf(made)).pushes, [{ branch: "agent/fix", commit: pushed }]);
});

test("changes: nothing was written to the clone, and nothing is left in the sandbox", async () => {
  const made = await clone("quiet", "touch -d '2001-01-01' kept.txt && echo new >new.txt");
  const state = "find quiet -printf '%p %s %T@ %C@\\n' | sort; ls -A /dev/shm /tmp";
  const before = await ok(sandbox, state);
  assert.deepEqual((await changesOf(made)).files.map(shown), [["new.txt", null, "added", 1, 0, false]]);
  assert.match((await diffOf(made)).diff, /^\+new$/m);
  assert.equal(await ok(sandbox, state), before);
});

test("diff: of all, of one file, of a renamed one by its new path, and cut at the bound", async () => {
  const made = await clone(
    "diffs",
    "echo 4 >>kept.txt && git mv moved.txt b.txt && echo f >>b.txt && echo u >'u\"1'",
  );
  const whole = await diffOf(made);
  assert.equal(whole.diff.match(/^diff --git /gm)?.length, 3);
  assert.equal(whole.cut, false);
  assert.match(
    (await diffOf(made, "kept.txt")).diff,
    /^diff --git a\/kept\.txt b\/kept\.txt\n.*@@.*\n\+4\n$/s,
  );
  const renamed = (await diffOf(made, "b.txt")).diff;
  assert.match(renamed, /^rename from moved\.txt\nrename to b\.txt$/m);
  assert.match(renamed, /^\+f$/m);
  assert.match((await diffOf(made, 'u"1')).diff, /^\+u$/m);
  assert.deepEqual(await diffOf(made, "gone.txt"), { diff: "", cut: false });
  assert.deepEqual(await diffOf(made, "kept.txt", 20), {
    diff: whole.diff.slice(whole.diff.indexOf("diff --git a/kept")).slice(0, 20),
    cut: true,
  });
});

/** Makes a file that cannot be read within the time limit. */
const TERABYTE = "truncate -s 1T";

test("large files: a sparse one is told as binary and by its name, and the rest is compared", async () => {
  const made = await clone("sparse", `${TERABYTE} disk.img && chmod +x disk.img && echo 4 >>kept.txt`);
  const { diff } = await diffOf(made);
  assert.match(diff, /^new file mode 100755\n.*\nBinary files \/dev\/null and b\/disk\.img differ$/m);
  assert.match(diff, /^\+4$/m);
  assert.deepEqual(await largeOf(made), ["disk.img"]);
  assert.deepEqual(await largeOf(made, "disk.img"), ["disk.img"]);
  assert.deepEqual(await largeOf(made, "kept.txt"), []);
  assert.deepEqual((await changesOf(made)).files.map(shown), [
    ["disk.img", null, "added", null, null, true],
    ["kept.txt", null, "modified", 1, 0, false],
  ]);
});

test("large files: one that grew, and one in a commit, beside a small change", async () => {
  const made = await clone(
    "grown",
    `seq 1 300000 >list.txt && git add list.txt && git commit -qm List && ${TERABYTE} moved.txt &&
     mkdir "$(printf 'a\nb')" && ${TERABYTE} "$(printf 'a\nb')/c" && echo 4 >>kept.txt`,
  );
  const { diff } = await diffOf(made);
  assert.match(diff, /^Binary files a\/moved\.txt and b\/moved\.txt differ$/m);
  assert.match(diff, /^Binary files \/dev\/null and b\/list\.txt differ$/m);
  assert.match(diff, /^\+4$/m);
  assert.deepEqual(await largeOf(made), ["a\nb/c", "list.txt", "moved.txt"]);
  assert.deepEqual(await largeOf(made, "a\nb/c"), ["a\nb/c"]);
});

test("large files: of a repository with the other kind of names", async () => {
  const base = await ok(
    sandbox,
    `git init -q -b main --object-format=sha256 other && cd other && echo 1 >kept.txt && git add -A && git commit -qm Base &&
     git rev-parse HEAD && ${TERABYTE} disk.img && echo 2 >>kept.txt`,
  );
  const { diff } = await diffOf({ path: "/data/other", base });
  assert.match(diff, /^Binary files \/dev\/null and b\/disk\.img differ$/m);
  assert.match(diff, /^\+2$/m);
});

test("large files: of many, as many are compared as there is time for, the small ones first", async () => {
  const made = await clone(
    "many-large",
    `mkdir logs && for n in $(seq 300); do truncate -s 1M "logs/$n"; done && echo 4 >>kept.txt && echo new >new.txt`,
  );
  assert.equal((await largeOf(made)).length, 300 - 255);
  const files = (await changesOf(made, { commits: 1, files: 1_000 })).files.map(shown);
  assert.equal(files.length, 302);
  assert.ok(files.every(([path, , , , , binary]) => binary === path.startsWith("logs/")));
});

test("changes: no program that a hostile clone names is run, for changes nor for the diff", async () => {
  const made = await clone("hostile", "echo changed >>kept.txt && echo new >new.txt");
  await ok(
    sandbox,
    `cat >/tmp/trap <<'END'
#!/bin/sh
touch /data/ran
cat
END
chmod +x /tmp/trap; cd hostile; cp /tmp/trap .git/hooks/post-index-change 2>/dev/null || { mkdir -p .git/hooks; cp /tmp/trap .git/hooks/post-index-change; }
for name in core.fsmonitor diff.external diff.x.command diff.x.textconv filter.x.clean filter.x.smudge filter.x.process core.pager \
  core.sshCommand core.askPass gpg.program core.alternateRefsCommand remote.origin.uploadpack alias.diff-index alias.rev-list \
  interactive.diffFilter trailer.x.command uploadpack.packObjectsHook; do git config "$name" /tmp/trap; git config --global "$name" /tmp/trap; done
git config log.showSignature true; git config extensions.partialClone origin; git config remote.origin.promisor true
git config core.hooksPath /data/hostile/.git/hooks; git config core.worktree /; git config core.attributesFile /data/all-attributes
git config filter.x.required true; git config --file /tmp/included core.fsmonitor /tmp/trap; git config include.path /tmp/included
echo '* filter=x diff=x' >.gitattributes; cp .gitattributes .git/info/attributes; cp .gitattributes /data/all-attributes
mkdir -p /home/agent/.config/git; cp .gitattributes /home/agent/.config/git/attributes; rm -f /data/ran`,
  );
  const changes = await changesOf(made);
  assert.deepEqual(changes.files.map(shown), [
    [".gitattributes", null, "added", 1, 0, false],
    ["kept.txt", null, "modified", 1, 0, false],
    ["new.txt", null, "added", 1, 0, false],
  ]);
  assert.match((await diffOf(made)).diff, /^\+changed$/m);
  await diffOf(made, "kept.txt");
  const hasRun = "test -e /data/ran && echo ran || echo quiet";
  assert.equal(await ok(sandbox, hasRun), "quiet");
  await ok(sandbox, "git -C hostile status >/dev/null || true");
  assert.equal(await ok(sandbox, hasRun), "ran");
  await ok(sandbox, "rm -rf /home/agent/.config/git /home/agent/.gitconfig");
});

test("changes: an unborn HEAD, a detached one, and one without what was cloned before it", async () => {
  await ok(sandbox, "mkdir unborn && cd unborn && git init -q -b start && echo a >a.txt");
  const unborn = await changesOf({ path: "/data/unborn", base: "" });
  assert.deepEqual(
    [unborn.head, unborn.branch, unborn.commitCount, unborn.hasBase],
    [null, "start", 0, true],
  );
  assert.deepEqual(unborn.files.map(shown), [["a.txt", null, "added", 1, 0, false]]);
  await ok(sandbox, "cd unborn && git add -A && git commit -q -m First");
  const born = await changesOf({ path: "/data/unborn", base: "" });
  assert.deepEqual(
    born.commits.map(({ subject, pushed }) => [subject, pushed]),
    [["First", false]],
  );

  const detached = await changesOf(
    await clone("detached", "git checkout -q --detach && git commit -q --allow-empty -m Loose"),
  );
  assert.deepEqual([detached.branch, detached.commitCount, detached.baseIsAncestor], [null, 1, true]);

  const rebased = await changesOf(
    await clone("rebased", "git checkout -q --orphan other && git commit -q -m Root && echo 4 >>kept.txt"),
  );
  assert.deepEqual([rebased.branch, rebased.baseIsAncestor, rebased.commitCount], ["other", false, 1]);
  assert.deepEqual(rebased.files.map(shown), [["kept.txt", null, "modified", 1, 0, false]]);
});

test("changes: the base is gone → told, and nothing is compared", async () => {
  const { path } = await clone("gone", "echo 4 >>kept.txt");
  const missing = { path, base: "1".repeat(40) };
  const changes = await changesOf(missing);
  assert.deepEqual(
    [changes.hasBase, changes.branch, changes.files, changes.commits],
    [false, "main", [], []],
  );
  assert.deepEqual(await repositoryDiff(sandbox, missing, { file: null, max: 100, ...TIME }), {
    ok: false,
    reason: "base_missing",
  });
});

test("changes: submodules, a repository within, a merge with conflicts and a changed type", async () => {
  const made = await clone(
    "odd",
    `git init -q within && git -C within commit -q --allow-empty -m In &&
     git init -q /data/lib && git -C /data/lib commit -q --allow-empty -m One && git -c protocol.file.allow=always submodule --quiet add /data/lib lib &&
     git commit -qm Submodule && git -C lib commit -q --allow-empty -m Two &&
     git checkout -q -b side HEAD && echo side >kept.txt && git commit -qm Side -- kept.txt && git checkout -q main && echo main >kept.txt && git commit -qm Main -- kept.txt &&
     { git merge -q side || true; } && rm moved.txt && ln -s kept.txt moved.txt`,
  );
  await ok(sandbox, "cd odd/lib && git config core.fsmonitor 'touch /data/ran-within'");
  const files = new Map((await changesOf(made)).files.map((file) => [`${file.path}`, file]));
  assert.deepEqual(
    [files.get("lib")?.type, files.get("lib")?.status, files.get("lib")?.additions],
    ["submodule", "added", null],
  );
  assert.equal(files.get("within")?.type, "submodule");
  assert.equal(files.get("kept.txt")?.status, "modified");
  assert.equal(files.get("moved.txt")?.status, "type_changed");
  assert.equal(await ok(sandbox, "ls /data/ran-within 2>/dev/null || echo none"), "none");
});

test("changes: names that are not UTF-8, and names with what ends lines and fields", async () => {
  const made = await clone(
    "names",
    `touch "$(printf 'bad\\377')" "$(printf 'new\\nline')" "$(printf 'tab\\there')" ':100644 x'`,
  );
  const names = (await changesOf(made)).files.map(({ path }) => path.toString("latin1"));
  assert.deepEqual(names, [":100644 x", "bad\xff", "new\nline", "tab\there"]);
  assert.match((await diffOf(made, "new\nline")).diff, /new file mode/);
});

test("changes: what is no clone, or hides what it is → why, and no pipe is waited for", async () => {
  const made = await clone("links", "true");
  await ok(
    sandbox,
    `mkdir plain && ln -s links alias && mkdir filed && echo 'gitdir: /data/links/.git' >filed/.git && mkdir linked && ln -s /data/links/.git linked/.git &&
     cp -r links piped && rm piped/.git/HEAD && mkfifo piped/.git/HEAD && cp -r links objects && mv objects/.git/objects o && ln -s /data/o objects/.git/objects`,
  );
  const reasons = {
    missing: "not_found",
    plain: "no_clone",
    alias: "link",
    filed: "no_clone",
    linked: "no_clone",
    piped: "no_clone",
    objects: "no_clone",
  };
  for (const [name, reason] of Object.entries(reasons)) {
    const asked = { path: `/data/${name}`, base: made.base };
    assert.deepEqual(
      await repositoryChanges(sandbox, asked, { commits: 1, files: 1, pushes: 1, ...TIME }),
      { ok: false, reason },
      name,
    );
  }
});

test("changes: objects that are pipes → too slow after the time, and the sandbox goes on", async () => {
  const made = await clone("stuck", "true");
  await ok(
    sandbox,
    `cd stuck && object=.git/objects/$(printf %s ${made.base} | sed 's|^..|&/|') && rm -f "$object" && mkfifo "$object"`,
  );
  assert.deepEqual(
    await repositoryChanges(sandbox, made, { commits: 1, files: 1, pushes: 1, maxFile: 1, timeoutMs: 1_000 }),
    {
      ok: false,
      reason: "slow",
    },
  );
  assert.equal(await ok(sandbox, "echo on"), "on");
});

test("changes: more files and commits than are listed → all are counted", async () => {
  const made = await clone(
    "large",
    `mkdir many && cd many && seq 1 3000 | xargs touch && cd .. && for n in 1 2 3 4 5; do git commit -q --allow-empty -m "$n"; done`,
  );
  const changes = await changesOf(made, { commits: 2, files: 10 });
  assert.deepEqual([changes.commitCount, changes.fileCount], [5, 3_000]);
  assert.deepEqual(
    changes.commits.map(({ subject }) => subject),
    ["5", "4"],
  );
  assert.equal(changes.files.length, 10);
  assert.ok(changes.files.every(({ additions }) => additions === 0));
});

test("changes: output that was tampered with → none", () => {
  const header = `${"1".repeat(40)}\0main\0found\0yes\x001\x001\0\0\0`;
  const commit = `${"1".repeat(40)}\0A\0a@b\x002001-01-01T00:00:00Z\0S\0`;
  const raw = ":000000 100644 00 00 A\0a\0";
  const numbers = "1\t0\ta\0";
  const whole = [commit, raw, numbers].map((text) => `${text.length}\0${text}`).join("");
  const parsed = parseChanges(Buffer.from(header + whole), 10);
  assert.deepEqual(parsed?.files.map(shown), [["a", null, "added", 1, 0, false]]);
  for (const text of [
    "",
    header,
    header + whole.slice(0, -1),
    whole,
    header.replace("main\0", "") + whole,
    header.replace("1", "x") + whole,
  ]) {
    assert.equal(parseChanges(Buffer.from(text), 10), null, JSON.stringify(text));
  }
});
