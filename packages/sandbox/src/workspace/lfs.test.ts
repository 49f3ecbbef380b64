// Subject: Git LFS files in clones and snapshots.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createGuardedFetch } from "@berth/egress";
import { type GitHost, startGitHost } from "../../../../tests/git-host/git-host.ts";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { buildSnapshot, MIRROR_MOUNT_PATH, SNAPSHOT_PATH } from "./build-snapshot.ts";
import { MIRROR_PATH, mirrorRepository } from "./mirror-repository.ts";
import { refreshClone } from "./refresh-clone.ts";
import { createListRefs } from "./refs/list-refs.ts";
import { repositoryEnvironment } from "./repository/repository-environment.ts";
import { resolveCheckout } from "./resolve-checkout.ts";

const BIG = Buffer.alloc(100_000, "large ");
const ATTRIBUTES = "*.bin filter=lfs diff=lfs merge=lfs -text\n";

let bench: Workbench;
let other: GitHost;
let sandbox: Sandbox;
before(async () => {
  bench = await makeWorkbench();
  other = await startGitHost({ dir: join(bench.dir, "other") });
  sandbox = await bench.open({ egress: { mode: "unrestricted", hosts: [bench.host.host] } });
});
after(async () => {
  await other.stop();
  await bench.close();
});

/** Makes a private repository with a Git LFS file, which its server has unless `isMissing`. */
async function makeRepository(
  name: string,
  files: Record<string, string> = {},
  isMissing = false,
): Promise<void> {
  const pointer = bench.host.lfs.add(isMissing ? "nowhere" : `acme/${name}`, BIG);
  const all = { ".gitattributes": ATTRIBUTES, "big.bin": pointer, "small.txt": "small\n", ...files };
  await bench.host.createRepository({ org: "acme", name, private: true, files: all });
}

const environment = (name: string) =>
  repositoryEnvironment([{ url: `${bench.host.url}/acme/${name}`, secret: bench.token, provider: null }]);

test("lfs: a clone has the files, which the agent changes, commits and pushes", async () => {
  await makeRepository("media");
  const result = await bench.clone(sandbox, "media");
  assert.ok(result.ok && result.missingLfs === null, JSON.stringify(result));
  assert.equal(
    await sh(sandbox, "cd /data/media && wc -c <big.bin && git status --porcelain && git lfs ls-files -n"),
    "100000\nbig.bin",
  );
  assert.equal(await sh(sandbox, `grep -rlF "$LOOK_FOR" /data/media || true`, { LOOK_FOR: bench.token }), "");
  const change =
    "cd /data/media && echo changed >big.bin && git commit -qam x && git push -q origin HEAD && git show HEAD:big.bin | head -1";
  assert.match(await sh(sandbox, change, environment("media")), /^version https:\/\/git-lfs/m);
  assert.deepEqual(bench.host.lfs.of("acme/media").at(-1)?.toString(), "changed\n");
  assert.equal(
    await sh(sandbox, "cd /data/media && git checkout -q HEAD^ && wc -c <big.bin", environment("media")),
    "100000",
  );
});

test("lfs: a clone into a directory of its own has the files, too", async () => {
  await makeRepository("placed");
  await sh(sandbox, "mkdir -p /data/place");
  const result = await bench.clone(sandbox, "placed", { mountPath: "/data/place" });
  assert.ok(result.ok && result.missingLfs === null, JSON.stringify(result));
  assert.equal(await sh(sandbox, "cd /data/place && wc -c <big.bin && git status --porcelain"), "100000");
});

test("lfs: a system without git-lfs → pointers, which git leaves alone", async () => {
  await makeRepository("absent");
  await sh(sandbox, "mkdir -p /data/programs && cd /data/programs && ln -s /usr/bin/* . && rm git-lfs");
  const PATH = "/opt/berth/bin:/data/programs";
  const result = await bench.clone(sandbox, "absent", { environment: { ...environment("absent"), PATH } });
  assert.ok(result.ok && result.missingLfs === "absent", JSON.stringify(result));
  const use =
    "cd /data/absent && git status --porcelain && head -c 7 big.bin && echo x >>small.txt && git commit -qam x 2>&1 && git checkout -q HEAD^ 2>&1";
  assert.equal(await sh(sandbox, use, { PATH }), "version");
});

test("lfs: a server that lacks a file → the clone without it", async () => {
  await makeRepository("missing", {}, true);
  const result = await bench.clone(sandbox, "missing");
  assert.ok(result.ok && result.missingLfs === "failed", JSON.stringify(result));
  assert.equal(await sh(sandbox, "cd /data/missing && head -c 7 big.bin && cat small.txt"), "versionsmall");
});

test("lfs: a repository that names another server → no request is made to it, and no program of its choice runs", async () => {
  const name = bench.host.host;
  const urls = [
    `${other.url}/acme/evil.git/info/lfs`,
    `https://${name}.evil.example/acme/evil.git/info/lfs`,
    `https://${name}@${other.host}/acme/evil.git/info/lfs`,
    `https://x:y@${name}/acme/evil.git/info/lfs`,
    "file:///data/hostile-0",
    `ssh://git@${name}/acme/evil`,
  ];
  for (const [index, url] of urls.entries()) {
    const agent = `[lfs "customtransfer.x"]\n\tpath = touch\n\targs = /data/pwned\n[lfs]\n\tstandalonetransferagent = x\n\tconcurrenttransfers = 1\n[core]\n\tsshCommand = touch /data/pwned\n`;
    await makeRepository(`hostile-${index}`, { ".lfsconfig": `[lfs]\n\turl = ${url}\n${agent}` });
    const result = await bench.clone(sandbox, `hostile-${index}`);
    assert.ok(result.ok && result.missingLfs === "elsewhere", `${url} ${JSON.stringify(result)}`);
  }
  assert.deepEqual(other.requests, []);
  assert.equal(await sh(sandbox, "ls /data/pwned 2>/dev/null || true"), "");
});

test("lfs: a snapshot has the files without a network and is brought up to date with them; a file that cannot be fetched → none", async () => {
  const limits = { timeoutMs: 60_000, signal: new AbortController().signal };
  const fetch = createGuardedFetch({
    allowPrivate: [bench.host.host],
    authorities: [await readFile(bench.host.caFile, "utf8")],
  });
  const build = async (name: string) => {
    const url = `${bench.host.url}/acme/${name}`;
    const refs = await createListRefs(fetch)({ url, secret: bench.token });
    const resolved = refs && resolveCheckout(refs, null);
    assert.ok(refs && resolved);
    const mirror = await bench.open({ disk: join(bench.dir, `mirror-${name}`) });
    const repository = { url, head: refs.head ?? "" };
    const mirrored = await mirrorRepository(mirror, repository, {
      ...limits,
      environment: environment(name),
      maxBytes: 2 ** 28,
    });
    assert.ok("refs" in mirrored);
    await mirror.close();
    const disk = join(bench.dir, `snapshot-${name}`);
    const maker = await bench.open({
      disk,
      egress: { mode: "limited", hosts: [] },
      directories: [{ source: join(bench.dir, `mirror-${name}`, MIRROR_PATH), target: MIRROR_MOUNT_PATH }],
    });
    const built = await buildSnapshot(maker, url, resolved, { ...limits, maxBytes: 2 ** 28, maxFiles: 1000 });
    await maker.close();
    return { built, resolved, disk, url };
  };
  await makeRepository("kept");
  const { built, disk, url, resolved } = await build("kept");
  assert.ok("commit" in built);
  const shown = await bench.open({ disk });
  assert.equal(
    await sh(
      shown,
      `cd ${SNAPSHOT_PATH} && wc -c <big.bin && git status --porcelain && git config remote.origin.url`,
    ),
    `100000\n${url}`,
  );
  assert.ok((await bench.clone(sandbox, "kept")).ok);
  await sh(
    sandbox,
    "cd /data/kept && echo newer >big.bin && git commit -qam x && git push -q origin HEAD",
    environment("kept"),
  );
  const mount = { url, mountPath: SNAPSHOT_PATH };
  assert.ok(await refreshClone(shown, mount, resolved, { environment: environment("kept") }));
  assert.equal(await sh(shown, `cd ${SNAPSHOT_PATH} && cat big.bin && git status --porcelain`), "newer");
  await shown.close();
  await makeRepository("lost", {}, true);
  assert.deepEqual((await build("lost")).built, {
    reason: "its LFS server did not provide all Git LFS files",
  });
});
