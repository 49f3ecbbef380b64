import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { cloneVariables } from "./clone-script.ts";
import type { CloneProgress } from "./repository/repository.ts";
import { repositoryEnvironment } from "./repository/repository-environment.ts";

let bench: Workbench;
let sandbox: Sandbox;
let head: string | null;
before(async () => {
  bench = await makeWorkbench();
  const { host } = bench;
  const files = { "README.md": "# Widget\n", "src/a.txt": "a\n" };
  await host.createRepository({ org: "acme", name: "widget", private: true, files });
  await host.createRepository({ org: "acme", name: "open", private: false, files });
  await host.createRepository({ org: "acme", name: "empty", private: true });
  const large = Array.from({ length: 40 }, (_, index): [string, string] => [
    `${index}.txt`,
    randomBytes(375_000).toString("base64"),
  ]);
  await host.createRepository({
    org: "acme",
    name: "large",
    private: true,
    files: Object.fromEntries(large),
  });
  // Packed in advance, so that the host only sends it.
  execFileSync("git", ["--git-dir", bare("large"), "-c", "pack.window=0", "repack", "-adq"]);
  head = await host.head("acme", "widget", "main");
  sandbox = await bench.open({ writable: ["/workspace", "/place"] });
});
after(() => bench.close());

/** Returns the path of the host's bare repository. */
const bare = (name: string): string => join(bench.dir, `host/repositories/acme/${name}.git`);
const fresh = "find . -name .git -prune -o -type f -print | sort; git status --porcelain";

test("clone: a private repository → the whole history, on its default branch", async () => {
  const began = performance.now();
  const { seconds, ...result } = succeeded(await bench.clone(sandbox, "widget"));
  assert.deepEqual(result, { ok: true, commit: head, branch: "main", missingLfs: null });
  assert.ok(seconds > 0 && seconds <= (performance.now() - began) / 1_000);
  assert.equal(await sh(sandbox, `cd /data/widget && ${fresh}`), "./README.md\n./src/a.txt");
  assert.equal(await sh(sandbox, "cd /data/widget && git rev-parse --is-shallow-repository"), "false");
  assert.equal(await sh(sandbox, "ls -A /data"), "widget");
});

test("clone: afterwards → the token is in no file, and the URL of origin is the one given", async () => {
  succeeded(await bench.clone(sandbox, "widget", { mountPath: "/data/clean" }));
  assert.equal(
    await sh(sandbox, "cd /data/clean && git remote get-url origin"),
    `${bench.host.url}/acme/widget`,
  );
  assert.equal(
    await sh(sandbox, 'grep -rlF "$LOOK_FOR" /data/clean /home/agent /etc /tmp || true', {
      LOOK_FOR: bench.token,
    }),
    "",
  );
});

test("clone: a public repository without a token → cloned", async () => {
  succeeded(await bench.clone(sandbox, "open", { token: null }));
});

test("clone: called again → the clone and the work in it are unchanged", async () => {
  for (const mountPath of ["/data/kept", "/place"]) {
    succeeded(await bench.clone(sandbox, "widget", { mountPath }));
    await sh(sandbox, `cd ${mountPath} && echo work >work.txt && git commit -q --allow-empty -m Mine`);
    const mine = await sh(sandbox, `git -C ${mountPath} rev-parse HEAD`);
    assert.equal(succeeded(await bench.clone(sandbox, "widget", { mountPath })).commit, mine);
    assert.equal(await sh(sandbox, `cat ${mountPath}/work.txt`), "work");
  }
});

test("clone: the mount path is a writable directory of the sandbox → filled in place", async () => {
  const other = await bench.open({ writable: ["/workspace/own"] });
  const { commit, branch } = succeeded(await bench.clone(other, "widget", { mountPath: "/workspace/own" }));
  assert.deepEqual([commit, branch], [head, "main"]);
  assert.equal(await sh(other, `cd /workspace/own && ${fresh} && git fsck`), "./README.md\n./src/a.txt");
  assert.equal(await sh(other, "ls -A /workspace/own /workspace/own/.git | grep berth || true"), "");
  await other.close();
});

test("clone: missing parents and a name of 255 characters → cloned", async () => {
  const mountPath = `/workspace/deep/er/${"n".repeat(255)}`;
  succeeded(await bench.clone(sandbox, "widget", { mountPath }));
});

test("clone: a repository without a commit → its unborn default branch", async () => {
  const { commit, branch } = succeeded(await bench.clone(sandbox, "empty"));
  assert.deepEqual([commit, branch], ["", "main"]);
});

for (const place of ["/data/empty-sha256", "/data/place-sha256"]) {
  test(`clone: an empty repository of SHA-256, to ${place} → a clone that can be pushed`, async () => {
    const name = place.slice(6);
    await bench.host.createRepository({ org: "acme", name, private: true, objectFormat: "sha256" });
    if (place.includes("place")) await sh(sandbox, `mkdir -p ${place}`);
    const { commit, branch } = succeeded(await bench.clone(sandbox, name, { mountPath: place }));
    assert.deepEqual([commit, branch], ["", "main"]);
    const url = `${bench.host.url}/acme/${name}`;
    const environment = repositoryEnvironment([{ url, secret: bench.token, provider: null }]);
    const push = `cd ${place} && echo 1 >f && git add f && git commit -qm one && git push -q && git rev-parse HEAD`;
    const pushed = await sh(sandbox, push, environment);
    assert.match(pushed, /^[0-9a-f]{64}$/);
    assert.equal(await bench.host.head("acme", name, "main"), pushed);
  });
}

test("clone: a branch, a commit, or a commit that only a fetch reaches → checked out", async () => {
  await bench.push(
    "branches",
    "echo 1 >f && git add f && git commit -qm one && git checkout -qb a/b && echo 2 >f && git commit -qam two && git checkout -q main && echo 3 >f && git add f",
  );
  const git = (...args: string[]): string =>
    execFileSync("git", ["--git-dir", bare("branches"), ...args], { encoding: "utf8" }).trim();
  const [first, second, main] = [
    git("rev-parse", "main~1"),
    git("rev-parse", "a/b"),
    git("rev-parse", "main"),
  ];
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  const pulled = git(...identity, "commit-tree", "-p", main, "-m", "Proposal", `${main}^{tree}`);
  git("update-ref", "refs/pull/1/head", pulled);
  const clone = async (
    mountPath: string,
    checkout: { type: "branch"; name: string } | { type: "commit"; sha: string },
  ) => {
    const { commit, branch } = succeeded(await bench.clone(sandbox, "branches", { mountPath, checkout }));
    assert.equal(await sh(sandbox, `cd ${mountPath} && git status --porcelain`), "");
    return [commit, branch];
  };
  assert.deepEqual(await clone("/data/b1", { type: "branch", name: "a/b" }), [second, "a/b"]);
  assert.deepEqual(await clone("/data/b2", { type: "commit", sha: first }), [first, null]);
  assert.deepEqual(await clone("/data/b3", { type: "commit", sha: pulled }), [pulled, null]);
  assert.equal(await sh(sandbox, "git -C /data/b1 rev-parse origin/main"), main);
});

test("clone: six at the same time → all are cloned", async () => {
  const names = ["widget", "open", "branches", "empty", "widget", "open"];
  const results = await Promise.all(
    names.map((name, index) => bench.clone(sandbox, name, { mountPath: `/workspace/at-once/${index}` })),
  );
  for (const result of results) succeeded(result);
  assert.equal(await sh(sandbox, "ls -A /workspace/at-once"), "0\n1\n2\n3\n4\n5");
});

test("clone: progress → it only advances, and no command line contains the token", async () => {
  const states: CloneProgress[] = [];
  let sawGit = false;
  const onProgress = (progress: CloneProgress): void => {
    states.push(progress);
    const lines = commandLines();
    sawGit ||= lines.includes(`${bench.host.url}/acme/large`);
    assert.ok(!lines.includes(bench.token), "the token is in a command line");
  };
  succeeded(await bench.clone(sandbox, "large", { onProgress }));
  assert.ok(sawGit, "no command line of git was seen");
  const phases = ["waiting", "counting", "receiving", "resolving", "checking_out"];
  const order = states.map(({ phase, percent }) => phases.indexOf(phase) * 1000 + (percent ?? -1));
  assert.deepEqual(
    order,
    order.toSorted((one, other) => one - other),
  );
  assert.deepEqual(states[0], { phase: "waiting", percent: null });
  assert.ok(new Set(states.filter(({ phase }) => phase === "receiving")).size > 5, JSON.stringify(states));
  assert.equal(await sh(sandbox, "cd /data/large && git fsck && ls | wc -l"), "40");
});

test("clone: aborted at any time → the next call completes it", async () => {
  const complete = await bench.host.head("acme", "large", "main");
  for (const mountPath of ["/data/cut", "/workspace/cut"]) {
    await sh(sandbox, "mkdir -p /workspace/cut");
    for (const states of [1, 3 + Math.floor(Math.random() * 60), 1000]) {
      await sh(sandbox, `rm -rf /data/cut; find /workspace/cut -mindepth 1 -delete`);
      const stop = new AbortController();
      let reported = 0;
      const onProgress = (): void => {
        reported += 1;
        if (reported === states) stop.abort();
      };
      const cut = await bench.clone(sandbox, "large", { mountPath, onProgress, signal: stop.signal });
      const half = await sh(sandbox, `git -C ${mountPath} rev-parse -q --verify HEAD 2>/dev/null || true`);
      // At one of the last states the clone may already be complete.
      if (states === 1 || states > reported)
        assert.equal(cut.ok, states > reported, `cut after ${states} of ${reported}`);
      if (!cut.ok) assert.equal(cut.type, "stopped", `cut after ${states} states`);
      // After its last step the clone is complete, even when cut.
      assert.ok(half === "" || half === complete, `cut after ${states} states: ${half}`);
      succeeded(await bench.clone(sandbox, "large", { mountPath }));
      assert.equal(await sh(sandbox, `cd ${mountPath} && git status --porcelain && ls | wc -l`), "40");
      assert.equal(await sh(sandbox, `ls -A /data ${mountPath} ${mountPath}/.git | grep berth || true`), "");
    }
  }
});

test("clone: an earlier one was killed while it moved its files → cloned again", async () => {
  succeeded(await bench.clone(sandbox, "widget", { mountPath: "/workspace/moved" }));
  await sh(
    sandbox,
    "cd /workspace/moved && mkdir .git/berth-clone && mv src .git/berth-clone && rm README.md",
  );
  succeeded(await bench.clone(sandbox, "widget", { mountPath: "/workspace/moved" }));
  assert.equal(await sh(sandbox, `cd /workspace/moved && ${fresh}`), "./README.md\n./src/a.txt");
});

test("clone: timeout before git begins → it fails, and nothing is left", async () => {
  const mountPath = "/data/early";
  const repository = { url: `${bench.host.url}/acme/widget`, mountPath, checkout: null };
  const { BERTH_CLONE_BESIDE: work } = cloneVariables(repository, { stallSeconds: 1, lfsSeconds: 1 });
  // As a script that is killed at that moment leaves them.
  await sh(sandbox, `mkdir ${work}; : >${work}.headers`);
  assert.ok(!(await bench.clone(sandbox, "widget", { mountPath, timeoutMs: 1 })).ok);
  assert.equal(await sh(sandbox, "ls -A /data | grep -e berth -e early || true"), "");
});

test("clone: timeout → it fails, and nothing is left", async () => {
  for (const mountPath of ["/data/late", "/workspace/late"]) {
    await sh(sandbox, "mkdir -p /workspace/late");
    const result = await bench.clone(sandbox, "large", { mountPath, timeoutMs: 60 });
    assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
    assert.match(result.message, /it took longer than 0.06 s/);
    assert.equal(await sh(sandbox, "ls -A /data | grep -e berth -e late || true; ls -A /workspace/late"), "");
  }
});

test("clone: a repository with hooks, filters, configuration and submodules → none of its programs runs", async () => {
  await bench.push(
    "hostile",
    `run='touch /data/pwned /tmp/pwned'
     mkdir -p hooks .githooks bare/objects bare/refs bare/hooks .berth-clone
     for hook in post-checkout post-merge reference-transaction fsmonitor-watchman; do
       for at in hooks .githooks bare/hooks; do printf '#!/bin/sh\\n%s\\n' "$run" >$at/$hook; chmod +x $at/$hook; done
     done
     echo 'ref: refs/heads/main' >bare/HEAD
     printf '[core]\\nbare = false\\nworktree = ..\\nfsmonitor = "%s"\\nhooksPath = hooks\\n' "$run" >bare/config
     cp bare/config .gitconfig; touch bare/objects/x bare/refs/x .berth-clone/x
     printf '* filter=evil diff=evil merge=evil\\n' >.gitattributes
     printf '[submodule "a"]\\npath = sub\\nurl = ext::sh -c "%s"\\nupdate = !%s\\n' "$run" "$run" >.gitmodules
     ln -s /etc link; ln -s .git dotgit
     git add -A
     git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub`,
  );
  await sh(sandbox, 'git config --global filter.evil.smudge "touch /data/pwned; cat"');
  await sh(sandbox, "git config --global core.fsmonitor 'touch /data/pwned'");
  for (const mountPath of ["/data/hostile", "/workspace/hostile"]) {
    await sh(sandbox, "mkdir -p /workspace/hostile");
    succeeded(await bench.clone(sandbox, "hostile", { mountPath }));
    await sh(sandbox, `touch ${mountPath}/mine`);
    succeeded(await bench.clone(sandbox, "hostile", { mountPath }));
    assert.equal(await sh(sandbox, "ls -d /data/pwned /tmp/pwned 2>/dev/null || true"), "");
    assert.equal(await sh(sandbox, `cd ${mountPath} && ls -d .berth-clone/x mine`), ".berth-clone/x\nmine");
    assert.equal(
      await sh(sandbox, `ls -A ${mountPath}/.git/hooks 2>/dev/null | wc -l; ls ${mountPath}/sub`),
      "0",
    );
  }
});

function succeeded(result: Awaited<ReturnType<Workbench["clone"]>>): {
  ok: true;
  commit: string;
  branch: string | null;
  seconds: number;
} {
  assert.ok(result.ok, JSON.stringify(result));
  return result;
}

/** Returns the command lines of all processes on this machine. */
function commandLines(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .join("\n");
}
