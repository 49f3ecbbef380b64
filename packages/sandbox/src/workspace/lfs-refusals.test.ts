// Subject: LFS servers that reject a credential which the git server accepts. git-lfs asks for a credential
// again after each 401, so the tests count requests.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { mirrorRepository } from "./mirror-repository.ts";
import { repositoryEnvironment } from "./repository/repository-environment.ts";

const ATTRIBUTES = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
/**
 * Maximum requests to the LFS server for one command: without a credential, with it, and once more without.
 */
const MAX_REQUESTS = 6;

let bench: Workbench;
let sandbox: Sandbox;
/** Called for each request for an LFS object or its location. */
let onLfs: (path: string) => void = () => {};
before(async () => {
  bench = await makeWorkbench({
    intercept: ({ url = "" }) => {
      if (url.includes("/info/lfs/")) onLfs(url);
      return false;
    },
  });
  sandbox = await bench.open();
});
after(() => bench.close());

async function makeRepository(name: string, count = 1): Promise<void> {
  const files = Array.from({ length: count }, (_, index) => {
    const pointer = bench.host.lfs.add(`acme/${name}`, Buffer.from(`${name} ${index}`));
    return [`${index}.bin`, pointer] as const;
  });
  const all = { ".gitattributes": ATTRIBUTES, "a.txt": "a\n", ...Object.fromEntries(files) };
  await bench.host.createRepository({ org: "acme", name, private: true, files: all });
}

const url = (name: string) => `${bench.host.url}/acme/${name}`;
const environment = (name: string, secret: string) =>
  repositoryEnvironment([{ url: url(name), secret, provider: null }]);
const lfsRequests = (name: string) =>
  bench.host.requests.filter(({ path }) => path.startsWith(`/acme/${name}.git/info/lfs/`)).length;
const token = () => bench.host.createToken({ user: "robot", permissions: "write" });

async function assertRefused(name: string, secret: string): Promise<void> {
  const result = await bench.clone(sandbox, name, { token: secret, timeoutMs: 60_000 });
  assert.ok(!result.ok && result.type !== "stopped", JSON.stringify(result));
  assert.equal(result.type, "repository_authentication_error", result.message);
  assert.match(result.message, /Git LFS/);
  assert.equal(result.transient, false);
  assert.ok(!result.message.includes(secret));
  assert.ok(lfsRequests(name) <= MAX_REQUESTS, `${lfsRequests(name)} requests`);
  assert.equal(await sh(sandbox, "ls -A /data"), "");
}

test("lfs: a server that rejects the credential → repository_authentication_error after a few requests", async () => {
  await makeRepository("closed");
  bench.host.lfs.rejectCredentials("acme/closed");
  await assertRefused("closed", token());
});

test("lfs: a credential that is revoked before the first of many objects → the same", async () => {
  await makeRepository("revoked", 20);
  const secret = token();
  onLfs = () => bench.host.revokeToken(secret);
  await assertRefused("revoked", secret);
});

test("lfs: a credential that is revoked between the list of objects and the objects → the same", async () => {
  await makeRepository("halfway", 3);
  const secret = token();
  onLfs = (path) => {
    if (!path.endsWith("/batch")) bench.host.revokeToken(secret);
  };
  await assertRefused("halfway", secret);
});

test("lfs: a refused credential is given again in the next attempt, which succeeds with a new one", async () => {
  await makeRepository("rotated");
  const secret = token();
  onLfs = () => bench.host.revokeToken(secret);
  await assertRefused("rotated", secret);
  onLfs = () => {};
  const result = await bench.clone(sandbox, "rotated");
  assert.ok(result.ok && result.missingLfs === null, JSON.stringify(result));
});

test("git: what a host refused is not given again in the session's commands until it is rotated", async () => {
  await makeRepository("work");
  assert.ok((await bench.clone(sandbox, "work")).ok);
  onLfs = () => {};
  const secret = token();
  bench.host.revokeToken(secret);
  const logins = () => bench.host.requests.filter(({ user }) => user === "x-access-token").length;
  const fetch = "git -C /data/work fetch 2>&1 || true";
  const before = logins();
  assert.match(await sh(sandbox, fetch, environment("work", secret)), /Authentication failed/);
  assert.equal(logins(), before + 1);
  const again = await sh(sandbox, `${fetch}; ${fetch}`, environment("work", secret));
  assert.match(again, /refused this credential for .*\/acme\/work/);
  assert.equal(logins(), before + 1, again);
  assert.ok(!again.includes(secret));
  assert.equal(await sh(sandbox, "git -C /data/work fetch", environment("work", bench.token)), "");
});

test("lfs: the agent's own commands end after a few requests, too", async () => {
  await makeRepository("late");
  onLfs = () => {};
  assert.ok((await bench.clone(sandbox, "late")).ok);
  bench.host.lfs.rejectCredentials("acme/late");
  const before = lfsRequests("late");
  const change =
    "cd /data/late && rm -rf .git/lfs && (git lfs pull; echo new >0.bin; git commit -qam x; git push) 2>&1 || true";
  const output = await sh(sandbox, change, environment("late", bench.token));
  assert.match(output, /refused this credential for .*acme\/late \(Git LFS\)/);
  assert.equal(await sh(sandbox, "git -C /data/late fetch", environment("late", bench.token)), "");
  assert.ok(lfsRequests("late") - before <= 2 * MAX_REQUESTS, output);
});

test("lfs: a mirror is made without the files after a few requests", async () => {
  await makeRepository("mirrored");
  bench.host.lfs.rejectCredentials("acme/mirrored");
  const mirrored = await mirrorRepository(
    sandbox,
    { url: url("mirrored"), head: "refs/heads/main" },
    {
      environment: environment("mirrored", bench.token),
      maxBytes: 2 ** 28,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
    },
  );
  assert.ok("refs" in mirrored);
  assert.ok(lfsRequests("mirrored") <= MAX_REQUESTS);
});

test("lfs: a server that gives nothing for too long → the clone without it", async () => {
  await makeRepository("slow");
  const { promise, resolve } = Promise.withResolvers<void>();
  onLfs = () => resolve();
  bench.host.lfs.hang("acme/slow");
  const result = await bench.clone(sandbox, "slow", { lfsSeconds: 1 });
  await promise;
  assert.ok(result.ok && result.missingLfs === "failed", JSON.stringify(result));
});
