// Subject: `mirrorRepository`, `buildSnapshot`, `refreshClone` and `resolveCheckout` together.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createGuardedFetch } from "@berth/egress";
import { type Fault, Faults } from "../../../../tests/git-host/faults.ts";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { buildSnapshot, MIRROR_MOUNT_PATH, SNAPSHOT_PATH } from "./build-snapshot.ts";
import { MIRROR_PATH, type MirrorResult, mirrorRepository } from "./mirror-repository.ts";
import { refreshClone } from "./refresh-clone.ts";
import { createListRefs } from "./refs/list-refs.ts";
import { digestRefs } from "./refs/remote-refs.ts";
import type { RepositoryCheckout } from "./repository/repository.ts";
import { repositoryEnvironment } from "./repository/repository-environment.ts";
import { resolveCheckout } from "./resolve-checkout.ts";

const faults = new Faults();
let bench: Workbench;
let fresh: Sandbox;
let count = 0;
before(async () => {
  bench = await makeWorkbench({ intercept: faults.intercept });
  await bench.push(
    "widget",
    `mkdir src && echo one >src/one && printf '#!/bin/sh\\n' >run && chmod +x run && ln -s src/one link && git add . && git commit -qm One
git tag light && git tag -a -m Heavy heavy && git checkout -q -b side && echo side >side && git add side && git commit -qm Side
git checkout -q main && echo two >two && git add two`,
  );
  fresh = await bench.open();
});
after(() => bench.close());

const limits = { timeoutMs: 60_000, signal: new AbortController().signal };
const largest = { maxBytes: 2 ** 28, maxFiles: 1000 };
const url = (name: string): string => `${bench.host.url}/acme/${name}`;
const bare = (name: string): string => join(bench.dir, `host/repositories/acme/${name}.git`);
const environment = (name: string) =>
  repositoryEnvironment([{ url: url(name), secret: bench.token, provider: null }]);

/** Changes the repository on the host. */
function onHost(name: string, script: string): string {
  const identity =
    "export GIT_AUTHOR_NAME=H GIT_AUTHOR_EMAIL=h@example.com GIT_COMMITTER_NAME=H GIT_COMMITTER_EMAIL=h@example.com";
  return execFileSync("sh", ["-euc", `${identity}\n${script}`], { cwd: bare(name), encoding: "utf8" });
}

async function refsOf(name: string) {
  const fetch = createGuardedFetch({
    allowPrivate: [bench.host.host],
    authorities: [await readFile(bench.host.caFile, "utf8")],
  });
  const refs = await createListRefs(fetch)({ url: url(name), secret: bench.token });
  assert.ok(refs);
  return refs;
}

async function mirror(
  name: string,
  disk: string,
  maxBytes = 2 ** 28,
  ...queued: Fault[]
): Promise<MirrorResult | { reason: string }> {
  const { head } = await refsOf(name);
  faults.queue(`acme/${name}`, ...queued);
  const sandbox = await bench.open({ disk: join(bench.dir, disk) });
  const repository = { url: url(name), head: head ?? "" };
  const mirrored = await mirrorRepository(sandbox, repository, {
    ...limits,
    environment: environment(name),
    maxBytes,
  });
  if ("refs" in mirrored)
    assert.equal(
      await sh(sandbox, `grep -rlF "$LOOK_FOR" /data /home/agent /tmp || true`, { LOOK_FOR: bench.token }),
      "",
    );
  await sandbox.close();
  return mirrored;
}

async function mirrored(name: string, disk: string): Promise<MirrorResult> {
  const result = await mirror(name, disk);
  assert.ok("refs" in result, JSON.stringify(result));
  return result;
}

/** Builds a snapshot from a new mirror and opens a sandbox on a disk that contains it. */
async function snapshot(name: string, checkout: RepositoryCheckout | null, from = `mirror-${++count}`) {
  if (!existsSync(join(bench.dir, from))) await mirrored(name, from);
  const disk = join(bench.dir, `snapshot-${++count}`);
  const source = join(bench.dir, from, MIRROR_PATH);
  const resolved = resolveCheckout(await refsOf(name), checkout);
  assert.ok(resolved);
  const maker = await bench.open({
    disk,
    egress: { mode: "limited", hosts: [] },
    directories: [{ source, target: MIRROR_MOUNT_PATH }],
  });
  const built = await buildSnapshot(maker, url(name), resolved, { ...limits, ...largest });
  await maker.close();
  assert.ok("commit" in built, JSON.stringify(built));
  return { built, resolved, sandbox: await bench.open({ disk }), disk };
}

/** Returns everything that distinguishes two clones, except times and the packing of objects. */
async function fingerprint(sandbox: Sandbox, path: string): Promise<string> {
  return await sh(
    sandbox,
    `cd ${path} && cat .git/HEAD && git config --local --list | sort && git for-each-ref --format='%(refname) %(objectname) %(symref)'
git branch -vv --no-color; git status -sb; git ls-files -s; for log in $(cd .git/logs && find . -type f | sort); do echo "$log"; cut -d ' ' -f 1,2 .git/logs/$log; cut -f 2 .git/logs/$log; done
find . -name .git -prune -o -printf '%P %y %m %l\\n' | sort; find .git -name objects -prune -o -path .git/refs -prune -o -printf '%P %y %m\\n' | sort
git diff-files --name-only; git count-objects -v | grep -E 'garbage|alternate' ; git rev-list --objects --all | sort | sha256sum; git fsck --strict 2>&1`,
  );
}

async function clone(name: string, checkout: RepositoryCheckout | null): Promise<string> {
  const mountPath = `/data/fresh-${++count}`;
  const cloned = await bench.clone(fresh, name, { mountPath, checkout });
  assert.ok(cloned.ok, JSON.stringify(cloned));
  return await fingerprint(fresh, mountPath);
}

const CHECKOUTS: Record<string, () => Promise<RepositoryCheckout | null>> = {
  "the default branch": async () => null,
  "a branch": async () => ({ type: "branch", name: "side" }),
  "a commit": async () => ({
    type: "commit",
    sha: (await refsOf("widget")).objects.get("refs/tags/light") ?? "",
  }),
  "an annotated tag": async () => ({ type: "tag", name: "heavy" }),
};

for (const [index, [title, checkout]] of Object.entries(CHECKOUTS).entries()) {
  test(`snapshot of ${title}: built, or refreshed after changes on the host → equal to a fresh clone`, async () => {
    const of = await checkout();
    const { sandbox, built } = await snapshot("widget", of);
    assert.equal(await fingerprint(sandbox, SNAPSHOT_PATH), await clone("widget", of));
    assert.equal(await sh(sandbox, `git -C ${SNAPSHOT_PATH} rev-parse HEAD`), built.commit);
    const packs = await sh(sandbox, `cd ${SNAPSHOT_PATH} && find .git/objects -name '*.pack' | wc -l`);
    assert.equal(packs, "1");

    // First the host changes, then the checkout.
    onHost(
      "widget",
      `tree=$(git rev-parse side^{tree}); new=$(git commit-tree -m New-${count} -p main "$tree"); git update-ref refs/heads/main $new
git update-ref refs/heads/made-${count} $new; git tag tag-${count} $new`,
    );
    const following = Object.values(CHECKOUTS).at(index - 2) ?? checkout;
    for (const next of [checkout, following]) {
      const then = await next();
      const resolved = resolveCheckout(await refsOf("widget"), then);
      assert.ok(resolved);
      const refreshed = await refreshClone(
        sandbox,
        { url: url("widget"), mountPath: SNAPSHOT_PATH },
        resolved,
        { environment: environment("widget") },
      );
      assert.ok(refreshed);
      assert.equal(await fingerprint(sandbox, SNAPSHOT_PATH), await clone("widget", then));
    }
  });
}

test("refresh: any other ref → equal to a fresh clone with it; one that is missing → null", async () => {
  onHost("widget", "git update-ref refs/pull/7/head $(git commit-tree -p main -m Pull main^{tree})");
  const repository = { url: url("widget"), mountPath: SNAPSHOT_PATH };
  for (const name of ["refs/pull/7/head", "refs/heads/side", "refs/tags/heavy", "refs/pull/8/head"]) {
    const { sandbox, resolved } = await snapshot("widget", null, "mirror-refs");
    const wanted = resolveCheckout(await refsOf("widget"), { type: "ref", name });
    assert.equal(wanted?.branch, resolved.branch);
    const refreshed = await refreshClone(sandbox, repository, wanted ?? resolved, {
      environment: environment("widget"),
    });
    if (name.includes("/8/")) assert.equal(refreshed, null);
    else
      assert.equal(await fingerprint(sandbox, SNAPSHOT_PATH), await clone("widget", { type: "ref", name }));
  }
});

test("refresh: branches and tags were deleted or replaced on the host → equal to a fresh clone", async () => {
  await bench.push(
    "moved",
    "echo a >a && git add a && git commit -qm A && git branch old && git tag gone && echo b >b && git add b",
  );
  const { sandbox, resolved } = await snapshot("moved", { type: "branch", name: "old" });
  onHost(
    "moved",
    "git update-ref -d refs/heads/old; git update-ref refs/heads/old/new main; git tag -d gone; git symbolic-ref HEAD refs/heads/old/new",
  );
  const next = resolveCheckout(await refsOf("moved"), null);
  assert.deepEqual([resolved.branch, next?.branch], ["old", "old/new"]);
  assert.ok(next);
  const repository = { url: url("moved"), mountPath: SNAPSHOT_PATH };
  assert.ok(await refreshClone(sandbox, repository, next, { environment: environment("moved") }));
  assert.equal(await fingerprint(sandbox, SNAPSHOT_PATH), await clone("moved", null));
});

test("refresh: the host rewrote its history → null, and a clone with `overwrite` replaces the snapshot", async () => {
  await bench.push("rewritten", "echo secret >a && git add a && git commit -qm A && echo b >b && git add b");
  const { sandbox } = await snapshot("rewritten", null);
  onHost("rewritten", "git update-ref refs/heads/main $(git commit-tree -m Clean $(git mktree </dev/null))");
  const resolved = resolveCheckout(await refsOf("rewritten"), null);
  assert.ok(resolved);
  const repository = { url: url("rewritten"), mountPath: SNAPSHOT_PATH };
  assert.equal(
    await refreshClone(sandbox, repository, resolved, { environment: environment("rewritten") }),
    null,
  );
  const cloned = await bench.clone(sandbox, "rewritten", { mountPath: SNAPSHOT_PATH, overwrite: true });
  assert.ok(cloned.ok);
  assert.equal(await fingerprint(sandbox, SNAPSHOT_PATH), await clone("rewritten", null));
});

test("mirror: the host moved a branch → the mirror has exactly its refs, and a snapshot only the objects that they reach", async () => {
  await bench.push("followed", "echo a >a && git add a && git commit -qm A && echo b >b && git add b");
  const first = await mirrored("followed", "mirror-followed");
  assert.equal(digestRefs(first.refs), digestRefs(await refsOf("followed")));
  const lost = await bench.host.head("acme", "followed", "main");
  onHost(
    "followed",
    "git update-ref refs/heads/main main~1; git update-ref refs/pull/1/head main; git branch other main",
  );
  const second = await mirrored("followed", "mirror-followed");
  assert.equal(digestRefs(second.refs), digestRefs(await refsOf("followed")));
  assert.deepEqual([...second.refs.objects.keys()].sort(), ["refs/heads/main", "refs/heads/other"]);
  const { sandbox } = await snapshot("followed", null, "mirror-followed");
  assert.equal(
    await sh(sandbox, `git -C ${SNAPSHOT_PATH} cat-file -e ${lost} 2>/dev/null || echo absent`),
    "absent",
  );
});

test("mirror and snapshot: larger than the limits → none, and the reason", async () => {
  await bench.push("large", "head -c 3000000 /dev/urandom >large && git add large");
  assert.deepEqual(await mirror("large", "mirror-small", 1_000_000), { reason: "it exceeds the size limit" });
  await mirror("large", "mirror-large");
  const resolved = resolveCheckout(await refsOf("large"), null);
  assert.ok(resolved);
  for (const bounds of [{ maxBytes: 1_000_000 }, { maxFiles: 0 }]) {
    const sandbox = await bench.open({
      directories: [{ source: join(bench.dir, "mirror-large", MIRROR_PATH), target: MIRROR_MOUNT_PATH }],
    });
    const built = await buildSnapshot(sandbox, url("large"), resolved, { ...limits, ...largest, ...bounds });
    assert.deepEqual(built, { reason: "its files or objects exceed the size limit" });
  }
});

test("mirror: the service may not write files as large as that → its own limit holds, and the mirror is made", async () => {
  const { head } = await refsOf("widget");
  const sandbox = await bench.open({ disk: join(bench.dir, "mirror-lowered") });
  const lowered: Pick<Sandbox, "run"> = {
    run: ({ script, ...command }) => sandbox.run({ ...command, script: `ulimit -f 20000\n${script}` }),
  };
  const options = { ...limits, environment: environment("widget"), maxBytes: 2 ** 28 };
  const made = await mirrorRepository(lowered, { url: url("widget"), head: head ?? "" }, options);
  assert.ok("refs" in made, JSON.stringify(made));
  await sandbox.close();
});

test("snapshot: thousands of directories in a small repository → they count as files", async () => {
  // Four levels of eight equal entries: 4,096 copies of the deepest tree, in a few hundred bytes.
  await bench.push(
    "bomb",
    `tree=$(printf '100644 blob %s\\tx\\n' "$(git hash-object -w --stdin </dev/null)" | git mktree)
for level in 1 2 3 4; do tree=$(for n in 1 2 3 4 5 6 7 8; do printf '040000 tree %s\\t%s\\n' "$tree" "$n"; done | git mktree); done
git read-tree "$tree"`,
  );
  await mirror("bomb", "mirror-bomb");
  const resolved = resolveCheckout(await refsOf("bomb"), null);
  assert.ok(resolved);
  const source = join(bench.dir, "mirror-bomb", MIRROR_PATH);
  for (const [maxFiles, fits] of [
    [5_000, false],
    [9_000, true],
  ] as const) {
    const sandbox = await bench.open({ directories: [{ source, target: MIRROR_MOUNT_PATH }] });
    const built = await buildSnapshot(sandbox, url("bomb"), resolved, { ...limits, ...largest, maxFiles });
    assert.equal("commit" in built, fits);
    if ("commit" in built) assert.ok(built.bytes > 8_700 * 4096);
  }
});

/** Writes an object to the repository on the host as it is, even one that git itself would not write. */
function write(name: string, type: "tree" | "commit", content: Buffer): string {
  const args = ["hash-object", "-t", type, "-w", "--stdin", "--literally"];
  return execFileSync("git", args, { cwd: bare(name), input: content, encoding: "utf8" }).trim();
}

function writeTree(name: string, ...entries: readonly [entry: string, object: string][]): string {
  const bytes = entries.flatMap(([entry, object]) => [Buffer.from(`${entry}\0`), Buffer.from(object, "hex")]);
  return write(name, "tree", Buffer.concat(bytes));
}

/**
 * Makes a commit of this tree and author, and points the branch "old" of the repository on the host to it.
 */
function commitOld(name: string, tree: string, author = "A <a@example.com> 1 +0000"): void {
  const text = `tree ${tree}\nauthor ${author}\ncommitter C <c@example.com> 1 +0000\n\nOld\n`;
  onHost(name, `git update-ref refs/heads/old ${write(name, "commit", Buffer.from(text))}`);
}

/**
 * Author lines that earlier versions of git and other tools wrote, by the name of the fault that git reports.
 */
const OLD_AUTHORS: Readonly<Record<string, string>> = {
  missingSpaceBeforeDate: "A <a@example.com>1 +0000",
  badTimezone: "A <a@example.com> 1 +051800",
  missingEmail: "A 1 +0000",
  zeroPaddedDate: "A <a@example.com> 0123 +0000",
  missingSpaceBeforeEmail: "A<a@example.com> 1 +0000",
};
for (const fault of ["zeroPaddedFilemode", ...Object.keys(OLD_AUTHORS)]) {
  test(`mirror and snapshot: ${fault} in the history → made all the same`, async () => {
    const name = `old-${fault}`.toLowerCase();
    await bench.push(name, "mkdir d && echo a >d/a && git add d");
    const inner = onHost(name, "printf '' | git mktree").trim();
    commitOld(
      name,
      writeTree(name, [`${fault in OLD_AUTHORS ? "" : "0"}40000 d`, inner]),
      OLD_AUTHORS[fault],
    );
    assert.match(onHost(name, "git fsck --strict 2>&1 || true"), new RegExp(`: ${fault}: `));
    const { sandbox } = await snapshot(name, null);
    assert.equal(await sh(sandbox, `git -C ${SNAPSHOT_PATH} log -1 --format=%s origin/old`), "Old");
  });
}

const BAD_TREES: Readonly<Record<string, readonly string[]>> = {
  duplicateEntries: ["100644 a", "100644 a"],
  treeNotSorted: ["100644 b", "100644 a"],
  fullPathname: ["100644 a/b"],
};
for (const [fault, names] of Object.entries(BAD_TREES)) {
  test(`mirror: ${fault} in the history → none, and the reason names the fault`, async () => {
    const name = `bad-${fault}`.toLowerCase();
    await bench.push(name, "echo a >a && git add a");
    const blob = onHost(name, "printf x | git hash-object -w --stdin").trim();
    const tree = writeTree(name, ...names.map((entry): [string, string] => [entry, blob]));
    commitOld(name, tree);
    const { reason } = { reason: "", ...(await mirror(name, `mirror-${name}`)) };
    assert.match(reason, new RegExp(`^its object ${tree} does not pass git's check: ${fault}, `));
  });
}

test("mirror: the host rejects the credential → none, and the reason", async () => {
  const sandbox = await bench.open();
  const repository = { url: url("widget"), head: "refs/heads/main" };
  const rejected = repositoryEnvironment([{ url: url("widget"), secret: "wrong", provider: null }]);
  const options = { ...limits, environment: rejected, maxBytes: 2 ** 28 };
  const { reason } = { reason: "", ...(await mirrorRepository(sandbox, repository, options)) };
  assert.match(reason, /^its host accepted no credential \(401\)/);
});

test("resolve checkout: no head, a missing branch or tag, or a short commit → null", async () => {
  const refs = await refsOf("widget");
  assert.equal(resolveCheckout({ ...refs, head: null }, null), null);
  assert.equal(resolveCheckout(refs, { type: "branch", name: "absent" }), null);
  assert.equal(resolveCheckout(refs, { type: "tag", name: "absent" }), null);
  assert.equal(resolveCheckout(refs, { type: "tag", name: "side" }), null);
  assert.equal(resolveCheckout(refs, { type: "commit", sha: "abc" }), null);
  assert.deepEqual(resolveCheckout(refs, { type: "branch", name: "main" }), resolveCheckout(refs, null));
});

test("mirrorRepository: the host is unavailable for a moment → it is asked again; it denies → none at once", async () => {
  const passing: Fault[] = [{ status: 503 }, "reset"];
  assert.ok("refs" in (await mirror("widget", "mirror-unavailable", 2 ** 28, ...passing)));
  const before = bench.host.requests.length;
  const { reason } = { reason: "", ...(await mirror("widget", "mirror-denied", 2 ** 28, { status: 403 })) };
  assert.match(reason, /^the token does not give access to it \(403\)$/);
  const asked = bench.host.requests.slice(before).filter(({ status }) => status === 403);
  assert.equal(asked.length, 1);
});
