import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { clientOf, respond, startWire } from "../../test-support/wire.ts";
import { faultOf, pathOf, sectionsOf } from "./patch-sections.ts";

const ENV = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/** A repository with one commit of these files. */
function repository(t: TestContext, files: Readonly<Record<string, string>>) {
  const dir = mkdtempSync(join(tmpdir(), "patch-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const git = (args: readonly string[], input = "") =>
    execFileSync("git", ["-C", dir, ...args], {
      input,
      env: ENV,
      stdio: ["pipe", "pipe", "ignore"],
    }).toString();
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  const treeOf = () => {
    git(["add", "-A"]);
    return git(["write-tree"]).trim();
  };
  git(["init", "-q"]);
  for (const [path, content] of Object.entries(files)) write(path, content);
  const base = treeOf();
  /** Returns what git prints about the difference to the first files. */
  const compare = (...args: string[]) =>
    git(["diff", "--cached", "--find-renames", ...args.toSpliced(1, 0, base)]);
  return { dir, git, write, treeOf, compare };
}

const BASE = { "a.txt": "one\ntwo\n", "b c.txt": "b\n", "old.txt": "1\n2\n3\n4\n", link: "a file\n" };

/** Changes of each kind: of content, name and type, and of files with unusual names. */
function change({ dir, write }: ReturnType<typeof repository>): void {
  write("a.txt", "one\n2\n\ndiff --git a/x b/x\n");
  write("new/er.txt", "no newline at the end");
  write("b c.txt", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n");
  write('ümläut "q".txt', "quoted\n");
  write("empty", "");
  rmSync(join(dir, "old.txt"));
  write("renamed.txt", "1\n2\n3\n4\n5\n");
  rmSync(join(dir, "link"));
  symlinkSync("a.txt", join(dir, "link"));
}

/** Starts a service with these changes that cuts each diff after `most` characters. Returns its patch. */
async function patchOf(t: TestContext, { compare }: ReturnType<typeof repository>, most: number) {
  const paths = compare("--name-only", "-z").split("\0").filter(Boolean);
  const wire = await startWire(t, ({ path, query }, response) => {
    const files = paths.map((path) => ({ path }));
    const repository = { resource_id: "sesr_1", files, file_count: files.length + 3 };
    if (path.endsWith("/changes")) return respond(response, 200, { repositories: [repository] });
    const file = query.get("path");
    const former = file === "renamed.txt" ? ["old.txt"] : [];
    const diff = compare("-p", ...(file === null ? [] : ["--", file, ...former]));
    const truncated = diff.length > most;
    const shown = truncated ? diff.slice(0, diff.lastIndexOf("\n", most) + 1) : diff;
    respond(response, 200, { diff: shown, truncated });
  });
  return await clientOf(wire.url).client.sessions.changes.patch("sess_1", "sesr_1");
}

test("a patch of every kind of change makes the tree of the session", async (t) => {
  const [worked, clone] = [repository(t, BASE), repository(t, BASE)];
  change(worked);
  const tree = worked.treeOf();
  const { patch, ...rest } = await patchOf(t, worked, 1_000_000);
  assert.deepEqual(rest, { left_out: [], more_left_out: 0 });
  clone.git(["apply"], patch);
  assert.equal(clone.treeOf(), tree);
});

test("a diff that is cut anywhere is asked for file by file, and only a file that is cut itself is left out", async (t) => {
  const worked = repository(t, BASE);
  change(worked);
  const tree = worked.treeOf();
  const { length } = worked.compare("-p");
  for (let most = 400; most < length; most += 25) {
    const clone = repository(t, BASE);
    const { patch, ...rest } = await patchOf(t, worked, most);
    assert.deepEqual(rest, { left_out: [], more_left_out: 3 }, `cut at ${most}`);
    clone.git(["apply"], patch);
    assert.equal(clone.treeOf(), tree, `cut at ${most}`);
  }
  worked.write("long.txt", "a line\n".repeat(100));
  worked.treeOf();
  const clone = repository(t, BASE);
  const { patch, left_out } = await patchOf(t, worked, 500);
  assert.deepEqual(left_out, [{ path: "long.txt", reason: "Its diff is larger than 1 MiB." }]);
  clone.git(["apply"], patch);
  assert.equal(clone.treeOf(), tree);
});

test("what no patch of text can hold is left out, each with its reason", () => {
  const part = (path: string, lines: string) => `diff --git a/${path} b/${path}\n${lines}\n`;
  const diff = [
    part("bin", "index 1..2 100644\nBinary files a/bin and b/bin differ"),
    part(
      "sub",
      "index 1a..2b 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2",
    ),
    part("latin", "index 1..2 100644\n--- a/latin\n+++ b/latin\n@@ -1 +1 @@\n-a\n+\ufffd"),
    part("key", "index 1..2 100644\n--- a/key\n+++ b/key\n@@ -1 +1 @@\n-a\n+[redacted]"),
    part("torn", "index 1..2 100644\n--- a/torn\n+++ b/torn\n@@ -1 +1,2 @@\n-a\n+b"),
    part("fine", "index 1..2 100644\n--- a/fine\n+++ b/fine\n@@ -1 +1,2 @@\n-Binary files x differ\n+b\n+c"),
  ].join("");
  assert.deepEqual(
    sectionsOf(diff).map((section) => [pathOf(section), faultOf(section)]),
    [
      ["bin", "It is binary, or too large to compare."],
      ["sub", "It is a repository within the repository."],
      ["latin", "It is not UTF-8."],
      ["key", "It may have a secret, which is shown as [redacted]."],
      ["torn", "It may have a secret, which is shown as [redacted]."],
      ["fine", null],
    ],
  );
});
